import BelayCertificates

/// Why the content of a response cannot be unpacked (RFC 9110, section 8.4).
///
/// A response may be compressed, and still be of the announced length where its server has cut it short: that only shows when it is
/// unpacked.
public enum ContentCodingError: Error, Sendable, Hashable {
    /// The server names a coding that nobody asked for.
    case unknown(coding: String)
    /// More codings than that, one over the other.
    case tooMany(limit: Int)
    /// The bytes are not of the coding, or were changed on the way.
    case corrupt(coding: String)
    /// The end is missing.
    case truncated(coding: String)
    /// Something comes after the end.
    case trailing(coding: String)
}

extension ContentCodingError: CustomStringConvertible {
    /// What is wrong with the content.
    public var description: String {
        switch self {
        case .unknown(let coding): "its coding is '\(printable(coding))', which nobody asked for"
        case .tooMany(let limit): "it is coded more than \(limit) times over"
        case .corrupt(let coding): "it is no content of the coding \(coding), or was damaged"
        case .truncated(let coding): "its end is missing: what came is not all of the coding \(coding)"
        case .trailing(let coding): "something comes after its end in the coding \(coding)"
        }
    }
}
