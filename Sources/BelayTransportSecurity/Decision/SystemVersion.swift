import BelayCertificates

/// A version of iOS or macOS that an app is linked against and runs on.
public struct SystemVersion: Sendable, Hashable {
    /// The families of systems. iPadOS, tvOS and visionOS share the engine, and count as the iOS of the same year.
    public enum Platform: String, Sendable, Hashable, CaseIterable {
        case iOS = "ios"
        case macOS = "macos"
    }

    /// The family.
    public let platform: Platform
    /// Up to three numbers, for example 18 and 4.
    public let numbers: [Int]

    /// Names a version.
    public init(_ platform: Platform, _ numbers: Int...) {
        self.init(platform, numbers: numbers)
    }

    init(_ platform: Platform, numbers: [Int]) {
        self.platform = platform
        self.numbers = numbers
    }

    /// The newest system whose rules are known.
    public static let newest = SystemVersion(.iOS, 26, 4)

    /// Whether this version is older than numbers of the same family. Numbers that are not there are zero.
    func isBefore(_ others: [Int]) -> Bool {
        for index in 0..<max(numbers.count, others.count) {
            let (left, right) = (index < numbers.count ? numbers[index] : 0, index < others.count ? others[index] : 0)
            if left != right { return left < right }
        }
        return false
    }
}

extension SystemVersion: CustomStringConvertible {
    /// As the command line writes it, for example `ios18.4`.
    public var description: String { platform.rawValue + numbers.map(String.init).joined(separator: ".") }
}

/// The systems that an answer is wanted for: one version, a range, or all from a version on.
///
/// ```swift
/// let range = try SystemRange("ios10-16")     // iOS 10.0 to the last iOS 16
/// ```
public struct SystemRange: Sendable, Hashable {
    /// The oldest version.
    public let oldest: SystemVersion
    /// The numbers of the first version that no longer belongs to the range; nil where the range is open.
    let end: [Int]?
    /// Whether the app was linked against an SDK from before App Transport Security, so that there is none for it.
    public let isLinkedBeforeTransportSecurity: Bool
    private let text: String

    /// One version.
    public init(_ version: SystemVersion) {
        oldest = version
        end = version.numbers + [0, 0, 0, 1]
        isLinkedBeforeTransportSecurity = false
        text = version.description
    }

    /// The systems of today: iOS 18.4 and later.
    public static let newest = SystemRange(oldest: SystemVersion(.iOS, 18, 4), end: nil, text: "ios18.4+")

    /// A version and all later ones.
    init(oldest: SystemVersion) { self.init(oldest: oldest, end: nil, text: "\(oldest)+") }

    private init(oldest: SystemVersion, end: [Int]?, isLinkedBefore: Bool = false, text: String) {
        self.oldest = oldest
        self.end = end
        isLinkedBeforeTransportSecurity = isLinkedBefore
        self.text = text
    }

    /// Reads a version (`ios17.2`), a range whose both ends belong to it (`ios10-16`), a version and all later ones (`ios18.4+`), or
    /// `sdk<ios9` for an app that was linked before there was App Transport Security.
    ///
    /// - Throws: ``SystemRangeError``.
    public init(_ text: String) throws(SystemRangeError) {
        if text == "sdk<ios9" || text == "sdk<macos10.11" {
            let oldest = text == "sdk<ios9" ? SystemVersion(.iOS, 9) : SystemVersion(.macOS, 10, 11)
            self.init(oldest: oldest, end: nil, isLinkedBefore: true, text: text)
            return
        }
        guard let platform = SystemVersion.Platform.allCases.first(where: { text.hasPrefix($0.rawValue) }) else {
            throw SystemRangeError(text: text)
        }
        var rest = text.dropFirst(platform.rawValue.count)
        if rest.hasSuffix("+") {
            rest = rest.dropLast()
            guard let numbers = Self.numbers(rest) else { throw SystemRangeError(text: text) }
            self.init(oldest: SystemVersion(platform, numbers: numbers), end: nil, text: text)
            return
        }
        let parts = rest.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, let numbers = parts.first.flatMap(Self.numbers) else {
            throw SystemRangeError(text: text)
        }
        let oldest = SystemVersion(platform, numbers: numbers)
        guard parts.count == 2 else {
            self.init(oldest)
            return
        }
        // The last one belongs to the range with everything that is called after it: 16 is all of iOS 16.
        guard var last = Self.numbers(parts[1]), let index = last.indices.last else {
            throw SystemRangeError(text: text)
        }
        last[index] += 1
        guard oldest.isBefore(last) else { throw SystemRangeError(text: text) }
        self.init(oldest: oldest, end: last, text: text)
    }

    private static func numbers(_ text: Substring) -> [Int]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                let number = Int(part)
            else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// Whether versions with these numbers and later ones are partly in the range and partly before it.
    func isDivided(at numbers: [Int]) -> Bool {
        guard oldest.isBefore(numbers) else { return false }
        guard let end else { return true }
        return SystemVersion(oldest.platform, numbers: numbers).isBefore(end)
    }
}

extension SystemRange: CustomStringConvertible {
    /// As it was written.
    public var description: String { text }
}

/// A text that is no version and no range.
public struct SystemRangeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text.
    public let text: String

    /// What is wrong and what is wanted.
    public var description: String {
        "'\(printable(text))' is no system. Write a version (ios17.2, macos15.4), a range (ios10-16), a version and all later ones "
            + "(ios18.4+), or sdk<ios9 for an app that was linked before"
    }
}
