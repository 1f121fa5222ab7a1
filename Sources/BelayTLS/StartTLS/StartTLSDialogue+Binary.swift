import BelayCertificates

/// PostgreSQL and LDAP, whose messages are no lines.
extension StartTLSDialogue {
    /// `SSLRequest`: a length of 8, and the number 80877103. One byte answers: S for yes, N for no.
    static func postgres(_ channel: inout CleartextChannel) async throws(Stop) {
        try await channel.send([0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F])
        let answer = try await channel.bytes(1)
        switch answer {
        case [0x53]: return
        case [0x4E]: throw channel.refused("SSLRequest", Array("N (TLS is off)".utf8))
        // A server older than TLS, or one that cannot serve now, answers with an error.
        case [0x45]: throw channel.refused("SSLRequest", answer + channel.rest)
        default: throw channel.unexpected(answer + channel.rest, insteadOf: "S or N to SSLRequest")
        }
    }

    /// The extended operation 1.3.6.1.4.1.1466.20037 (RFC 4511, section 4.14).
    static func ldap(_ channel: inout CleartextChannel) async throws(Stop) {
        let name = Array("1.3.6.1.4.1.1466.20037".utf8)
        let request = element(0x77, element(0x80, name))
        try await channel.send(element(0x30, element(0x02, [1]) + request))

        let message = try await channel.ldapMessage()
        var reader = BERReader(message)
        guard let identifier = reader.next(0x02), let response = reader.next(0x78) else {
            throw channel.unexpected(Array(hexadecimal(message.prefix(64)).utf8), insteadOf: "an extended response")
        }
        var fields = BERReader(Array(response))
        guard let code = fields.next(0x0A), fields.next(0x04) != nil, let diagnostic = fields.next(0x04) else {
            throw channel.unexpected(Array(hexadecimal(message.prefix(64)).utf8), insteadOf: "an LDAP result")
        }
        // 0 is success; message 0 is no answer but the notice that the server hangs up (section 4.4.1).
        guard Array(identifier) == [1], Array(code) == [0] else {
            let number = code.reduce(0) { ($0 << 8 | Int($1)) & 0xFFFF }
            throw channel.refused(
                "StartTLS", Array("result \(number)".utf8) + (diagnostic.isEmpty ? [] : [0x20] + diagnostic))
        }
    }

    /// An element with its header; the contents are shorter than 128 bytes.
    private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag, UInt8(truncatingIfNeeded: contents.count)] + contents
    }
}

extension CleartextChannel {
    /// Reads an LDAPMessage: the contents of its SEQUENCE.
    fileprivate mutating func ldapMessage() async throws(Stop) -> [UInt8] {
        var header = try await bytes(2)
        guard header[0] == 0x30 else { throw unexpected(header + rest, insteadOf: "an LDAP message") }
        var length = Int(header[1])
        if length >= 0x80 {
            guard (0x81...0x84).contains(length) else {
                throw unexpected(header + rest, insteadOf: "an LDAP message of definite length")
            }
            header = try await bytes(length & 0x7F)
            length = header.reduce(0) { $0 << 8 | Int($1) }
        }
        return try await bytes(length)
    }
}

/// Elements of BER one after the other. LDAP's servers may write lengths in more octets than needed, which DER forbids.
private struct BERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// The contents of the next element; nil where it is another one, or cut.
    mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard rest.first == tag, let first = rest.dropFirst().first else { return nil }
        var contents = rest.dropFirst(2)
        var length = Int(first)
        if first >= 0x80 {
            let octets = Int(first & 0x7F)
            guard (1...4).contains(octets), contents.count >= octets else { return nil }
            length = contents.prefix(octets).reduce(0) { $0 << 8 | Int($1) }
            contents = contents.dropFirst(octets)
        }
        guard contents.count >= length else { return nil }
        rest = contents.dropFirst(length)
        return contents.prefix(length)
    }
}
