import Testing

@testable import BelaySession

@Suite("What libcurl remarks of a stream")
struct StreamFateTests {
    private static func fate(_ remarks: String...) -> StreamFate {
        var fate = StreamFate()
        for remark in remarks { Array(remark.utf8).withUnsafeBytes { fate.take($0) } }
        return fate
    }

    private static let using = "Using Stream ID: 3 (easy handle 0x5581)\n"

    @Test("A stream is beyond the last one that GOAWAY names, or it is not")
    func goAway() {
        // As libcurl 7.88 spells it, and as it would be spelt.
        for word in ["recveived", "received"] {
            for (last, isBeyond) in [("0", true), ("1", true), ("3", false), ("5", false), ("2147483647", false)] {
                let fate = Self.fate(Self.using, "\(word) GOAWAY, error=0, last_stream=\(last)\n")
                #expect(fate.isBeyondLast == isBeyond && !fate.isRefused, "\(last)")
            }
        }
        // RFC 9113, section 6.8: a server that shuts down says the highest number first, and the true one later.
        #expect(
            Self.fate(
                Self.using, "received GOAWAY, error=0, last_stream=2147483647\n",
                "received GOAWAY, error=0, last_stream=1\n"
            ).isBeyondLast)
    }

    @Test("Nothing is known without the number of the stream, of a number that is none, and of other remarks")
    func unknown() {
        for fate in [
            Self.fate(), Self.fate("received GOAWAY, error=0, last_stream=1\n"),
            Self.fate(Self.using, "received GOAWAY, error=0, last_stream="),
            Self.fate(Self.using, "received GOAWAY, error=0"), Self.fate(Self.using, "Connection died, retrying"),
            Self.fate("Using Stream ID: x", "received GOAWAY, error=0, last_stream=1"),
        ] { #expect(!fate.isBeyondLast && !fate.isRefused) }
    }

    @Test("What libcurl calls refused is, unless GOAWAY says that the stream may have been looked at")
    func refused() {
        let remark = "REFUSED_STREAM, retrying a fresh connect\n"
        #expect(Self.fate(Self.using, remark).isRefused)
        #expect(!Self.fate(Self.using, "received GOAWAY, error=0, last_stream=3\n", remark).isRefused)
    }
}
