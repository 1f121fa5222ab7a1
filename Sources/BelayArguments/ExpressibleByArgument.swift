/// A type that can be made from one argument of the command line.
///
/// `String`, the integers, `Double`, `Float` and `Bool` conform already. An enumeration with raw values needs no code;
/// when it is `CaseIterable` too, its values are listed in the help and in errors:
///
///     enum Pinning: String, CaseIterable, ExpressibleByArgument {
///         case publicKey = "public-key"
///         case certificate, none
///     }
public protocol ExpressibleByArgument: SharableMetatype {
    /// Makes a value, or nil where the text does not stand for one.
    init?(argument: String)

    /// How a default of this type is shown in the help.
    var defaultValueDescription: String { get }

    /// Every text that stands for a value, in the order of the help; empty where they cannot be listed.
    static var allValueStrings: [String] { get }
}

extension ExpressibleByArgument {
    /// The value's description.
    public var defaultValueDescription: String { String(describing: self) }

    /// None.
    public static var allValueStrings: [String] { [] }
}

extension ExpressibleByArgument where Self: CaseIterable {
    /// One text for each case.
    public static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }
}

extension ExpressibleByArgument where Self: RawRepresentable, RawValue: ExpressibleByArgument {
    /// The raw value's description.
    public var defaultValueDescription: String { rawValue.defaultValueDescription }
}

extension RawRepresentable where Self: ExpressibleByArgument, RawValue: ExpressibleByArgument {
    /// Makes the value whose raw value the text stands for.
    public init?(argument: String) {
        guard let raw = RawValue(argument: argument) else { return nil }
        self.init(rawValue: raw)
    }
}

extension LosslessStringConvertible where Self: ExpressibleByArgument {
    /// Makes the value that the text describes.
    public init?(argument: String) { self.init(argument) }
}

extension String: ExpressibleByArgument {}
extension Int: ExpressibleByArgument {}
extension Int8: ExpressibleByArgument {}
extension Int16: ExpressibleByArgument {}
extension Int32: ExpressibleByArgument {}
extension Int64: ExpressibleByArgument {}
extension UInt: ExpressibleByArgument {}
extension UInt8: ExpressibleByArgument {}
extension UInt16: ExpressibleByArgument {}
extension UInt32: ExpressibleByArgument {}
extension UInt64: ExpressibleByArgument {}

extension Bool: ExpressibleByArgument {
    /// `true` and `false`, the only spellings.
    public static var allValueStrings: [String] { ["true", "false"] }
}

extension Double: ExpressibleByArgument {
    /// Makes a finite number from decimal digits. `nan`, `inf` and what overflows to infinity (`1e999`) are refused, and so are
    /// hexadecimal numbers (`0x5`): no option means them.
    public init?(argument: String) {
        guard isDecimal(argument), let value = Self(argument), value.isFinite else { return nil }
        self = value
    }
}

extension Float: ExpressibleByArgument {
    /// Makes a finite number; see `Double.init(argument:)`.
    public init?(argument: String) {
        guard isDecimal(argument), let value = Self(argument), value.isFinite else { return nil }
        self = value
    }
}

/// Whether a number is written in decimal digits, with a sign, a point and an exponent perhaps.
private func isDecimal(_ text: String) -> Bool {
    text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }
}

/// What a value of the type has to look like, in words for an error; nil where the type says nothing.
func expectation(of type: any ExpressibleByArgument.Type) -> String? {
    if let integer = type as? any FixedWidthInteger.Type { return integerExpectation(integer) }
    return type is any BinaryFloatingPoint.Type ? "a finite number" : nil
}

private func integerExpectation<Number: FixedWidthInteger>(_ type: Number.Type) -> String {
    "a whole number from \(Number.min) to \(Number.max)"
}
