/// Options that several commands share, declared once:
///
///     struct TrustOptions: ParsableArguments {
///         @Option(help: "A certificate to trust.") var anchor: [String] = []
///     }
///     struct Check: AsyncParsableCommand {
///         @OptionGroup(title: "Trust") var trust: TrustOptions
///     }
///
/// The help lists the options of a group with a title under that title.
@propertyWrapper
public struct OptionGroup<Value: ParsableArguments>: Decodable, DeclaredGroup {
    let title: String
    private var parsed: Value?

    /// Declares a group; without a title its options are listed among the command's own.
    public init(title: String = "") {
        self.title = title
    }

    /// Only the argument parser fills groups: throws `DecodingError` for every other decoder.
    public init(from decoder: any Decoder) throws { throw notACommandLine(decoder) }

    /// The options' values.
    public var wrappedValue: Value {
        get { parsed ?? Value() }
        set { parsed = newValue }
    }

    var memberType: any ParsableArguments.Type { Value.self }

    func filled(from schema: Schema, given: [String: [String]]) throws(CommandError.Reason) -> any DeclaredGroup {
        var group = self
        group.parsed = try schema.instantiate(Value.self, given: given)
        return group
    }
}

extension OptionGroup: Sendable where Value: Sendable {}

/// An option group without the type of its options.
protocol DeclaredGroup {
    var title: String { get }
    var memberType: any ParsableArguments.Type { get }
    func filled(from schema: Schema, given: [String: [String]]) throws(CommandError.Reason) -> any DeclaredGroup
}
