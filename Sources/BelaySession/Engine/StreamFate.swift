/// What a server of HTTP/2 has said of a stream that it did not answer, as far as libcurl's remarks tell.
///
/// Where it has not looked at the request, that may go out again, whatever it asks for (RFC 9113, sections 6.8 and 8.7). libcurl's results do
/// not say so: the same one stands for a stream that the server ended after it had looked.
struct StreamFate {
    /// The number of the stream; nil while it has none.
    private var stream: UInt64?
    /// The last stream that the server says it may have looked at; nil where it has not said so to this transfer.
    private var lastSeen: UInt64?
    private var isCalledRefused = false

    /// Whether libcurl takes the stream for refused, and nothing speaks against it. It may do so since another one was, long ago; but then only
    /// with a server that also says GOAWAY does it come to that.
    var isRefused: Bool { isCalledRefused && lastSeen == nil }

    /// Whether the server has said that it will not look at the stream, by GOAWAY.
    var isBeyondLast: Bool {
        guard let stream, let lastSeen else { return false }
        return lastSeen < stream
    }

    /// The beginnings of the remarks, as libcurl 7.88 spells them. With others nothing is known, and nothing is repeated.
    private static let using = Array("Using Stream ID: ".utf8)
    private static let goAway = Array("recveived GOAWAY, ".utf8)
    private static let correctGoAway = Array("received GOAWAY, ".utf8)
    private static let last = Array("last_stream=".utf8)
    private static let refused = Array("REFUSED_STREAM".utf8)

    /// Takes one of libcurl's remarks.
    mutating func take(_ remark: UnsafeRawBufferPointer) {
        switch remark.first {
        case UInt8(ascii: "U") where remark.starts(with: Self.using):
            stream = Self.number(remark.dropFirst(Self.using.count))
        case UInt8(ascii: "r") where remark.starts(with: Self.goAway) || remark.starts(with: Self.correctGoAway):
            for start in remark.indices where remark[start...].starts(with: Self.last) {
                lastSeen = Self.number(remark[(start + Self.last.count)...])
            }
        case UInt8(ascii: "R") where remark.starts(with: Self.refused): isCalledRefused = true
        default: break
        }
    }

    private static func number(_ text: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        UInt64(String(decoding: text.prefix { (0x30...0x39).contains($0) }.prefix(19), as: UTF8.self))
    }
}
