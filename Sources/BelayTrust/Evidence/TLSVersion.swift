/// A version of the TLS protocol, ordered from the oldest to the newest.
///
/// The raw value is the number on the wire (RFC 8446, section 4.2.1).
public enum TLSVersion: UInt16, Sendable, Hashable, Comparable, CaseIterable {
    case tls10 = 0x0301
    case tls11 = 0x0302
    case tls12 = 0x0303
    case tls13 = 0x0304

    /// The older version is the lesser.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension TLSVersion: CustomStringConvertible {
    /// The name people know, for example `TLS 1.2`.
    public var description: String {
        switch self {
        case .tls10: "TLS 1.0"
        case .tls11: "TLS 1.1"
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }
}
