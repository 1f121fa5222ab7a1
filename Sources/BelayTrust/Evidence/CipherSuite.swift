/// A negotiated cipher suite, by its number on the wire and its IANA name.
public struct CipherSuite: Sendable, Hashable {
    /// The IANA code point, for example `0x1301`.
    public let code: UInt16
    /// The IANA name, for example `TLS_AES_128_GCM_SHA256`.
    public let name: String

    /// Names a cipher suite.
    public init(code: UInt16, name: String) {
        self.code = code
        self.name = name
    }

    /// Whether neither side proves who it is, so that anybody in between can pose as the server.
    public var isAnonymous: Bool { name.hasPrefix("TLS_DH_anon_") || name.hasPrefix("TLS_ECDH_anon_") }

    /// Whether what is sent can be read by everybody on the way: the suite protects integrity alone.
    public var isUnencrypted: Bool {
        // By bytes: it is asked for every judgement, and a search by characters costs more than all the rest of the requirements.
        let mark = "_WITH_NULL_".utf8
        var rest = name.utf8[...]
        while let start = rest.firstIndex(of: 0x5F) {
            rest = rest[start...]
            if rest.starts(with: mark) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    /// Whether the key exchange is ephemeral, so that a key stolen later does not open what was recorded today.
    ///
    /// All suites of TLS 1.3 are (RFC 8446, section 1.2); before it those with ECDHE or DHE in their name.
    public var hasForwardSecrecy: Bool {
        (code >> 8) == 0x13 || name.hasPrefix("TLS_ECDHE_") || name.hasPrefix("TLS_DHE_")
    }
}

extension CipherSuite: CustomStringConvertible {
    /// The IANA name.
    public var description: String { name }
}
