import FoundationEssentials

/// The period in which a certificate may be used; both ends belong to it (RFC 5280, section 4.1.2.5).
public struct Validity: Sendable, Hashable {
    /// The first second, counted from 1970-01-01T00:00:00Z.
    package let notBeforeSeconds: Int64
    /// The last second, counted from 1970-01-01T00:00:00Z.
    package let notAfterSeconds: Int64

    init(notBefore: Int64, notAfter: Int64) {
        notBeforeSeconds = notBefore
        notAfterSeconds = notAfter
    }

    /// A period between two moments, at a resolution of one second.
    public init(from notBefore: Date, through notAfter: Date) {
        notBeforeSeconds = CivilTime.seconds(notBefore)
        notAfterSeconds = CivilTime.seconds(notAfter)
    }

    /// The first moment.
    public var notBefore: Date { Date(timeIntervalSince1970: Double(notBeforeSeconds)) }

    /// The last moment.
    public var notAfter: Date { Date(timeIntervalSince1970: Double(notAfterSeconds)) }

    /// The length in seconds, both ends included, as the CA/Browser Forum counts it (Baseline Requirements, 6.3.2).
    public var seconds: Int64 { notAfterSeconds - notBeforeSeconds + 1 }

    /// Whether a moment lies in the period.
    public func contains(_ moment: Date) -> Bool {
        let seconds = CivilTime.seconds(moment)
        return notBeforeSeconds <= seconds && seconds <= notAfterSeconds
    }
}

extension Validity: CustomStringConvertible {
    /// Both ends in RFC 3339.
    public var description: String {
        "\(CivilTime.text(notBeforeSeconds)) to \(CivilTime.text(notAfterSeconds))"
    }
}

extension CivilTime {
    /// Whole seconds since 1970 of a moment, rounded down; moments beyond the years 0 to 9999 are clamped to them.
    package static func seconds(_ moment: Date) -> Int64 {
        let interval = moment.timeIntervalSince1970.rounded(.down)
        return Int64(min(max(interval, -62_167_219_200), 253_402_300_799))
    }

    /// A moment in RFC 3339, in UTC.
    package static func text(_ seconds: Int64) -> String {
        let parts = components(of: seconds)
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
            + "T\(padded(parts.hour, 2)):\(padded(parts.minute, 2)):\(padded(parts.second, 2))Z"
    }

    /// A moment in RFC 3339, in UTC.
    package static func text(_ moment: Date) -> String { text(seconds(moment)) }
}
