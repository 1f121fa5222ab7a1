/// The names of an option or a flag: `.long`, `.short`, `.shortAndLong`, or a list such as
/// `[.customLong("info-plist"), .customShort("i")]`.
public struct NameSpecification: Sendable, ExpressibleByArrayLiteral {
    /// One name.
    public struct Element: Sendable, Hashable {
        enum Form: Hashable {
            case long, short
            case customLong(String), customShort(Character)
        }
        let form: Form

        /// The property's name in kebab-case: `infoPlist` is `--info-plist`.
        public static var long: Self { Self(form: .long) }
        /// The first letter of the property's name: `-i`.
        public static var short: Self { Self(form: .short) }
        /// This name, without its dashes.
        public static func customLong(_ name: String) -> Self { Self(form: .customLong(name)) }
        /// This letter, without its dash.
        public static func customShort(_ letter: Character) -> Self { Self(form: .customShort(letter)) }
    }

    let elements: [Element]

    /// Makes a specification of several names; the help shows short ones first.
    public init(_ elements: [Element]) { self.elements = elements }

    /// Makes a specification of several names.
    public init(arrayLiteral elements: Element...) { self.init(elements) }

    /// The property's name in kebab-case.
    public static var long: Self { [.long] }
    /// The first letter of the property's name.
    public static var short: Self { [.short] }
    /// Both.
    public static var shortAndLong: Self { [.short, .long] }
    /// This name, without its dashes.
    public static func customLong(_ name: String) -> Self { [.customLong(name)] }
    /// This letter, without its dash.
    public static func customShort(_ letter: Character) -> Self { [.customShort(letter)] }

    /// The names with their dashes, short ones first, for a property of this name.
    func names(for property: String) -> [String] {
        let spelled = elements.map { element in
            switch element.form {
            case .long: "--" + kebabCase(property)
            case .short: "-" + kebabCase(property).prefix(1)
            case .customLong(let name): "--" + name
            case .customShort(let letter): "-\(letter)"
            }
        }
        return spelled.filter { !$0.hasPrefix("--") } + spelled.filter { $0.hasPrefix("--") }
    }
}

/// Turns `infoPlist` into `info-plist` and `serverURLFile` into `server-url-file`.
func kebabCase(_ name: String) -> String {
    var result = ""
    let letters = Array(name)
    for (index, letter) in letters.enumerated() {
        if letter.isUppercase, index > 0, letters[index - 1] != "_" {
            let endsAcronym = index + 1 < letters.count && letters[index + 1].isLowercase
            if !letters[index - 1].isUppercase || endsAcronym { result += "-" }
        }
        result += letter == "_" ? "-" : letter.lowercased()
    }
    return result
}
