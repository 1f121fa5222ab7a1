import BelayCertificates

/// Why a server did not change to TLS. Whatever it said is escaped, so that it cannot steer a terminal, and cut.
public enum StartTLSFailure: Sendable, Hashable {
    /// The server does not offer to change to TLS; the list is what it offers.
    case notOffered(StartTLSProtocol, offered: [String])
    /// The server said no.
    case refused(StartTLSProtocol, command: String, answer: String)
    /// The server said something that the protocol does not have there.
    case unexpectedAnswer(StartTLSProtocol, expected: String, found: String)
    /// An answer, or all answers together, are longer than the limit, in bytes.
    case answerTooLong(StartTLSProtocol, limit: Int)
    /// Bytes in the clear came after the server's consent, where TLS has to begin: somebody may have put them there, to be taken for
    /// a part of the protected conversation.
    case plaintextAfterConsent(StartTLSProtocol, found: String)

    var text: String {
        switch self {
        case .notOffered(let name, let offered):
            "the \(name) server does not offer TLS"
                + (offered.isEmpty ? "" : "; it offers \(offered.joined(separator: ", "))")
        case .refused(let name, let command, let answer): "the \(name) server refused \(command): \(answer)"
        case .unexpectedAnswer(let name, let expected, let found):
            "expected \(expected) of \(name), found: \(found)"
        case .answerTooLong(let name, let limit):
            "the \(name) server's answer does not end within \(limit) bytes"
        case .plaintextAfterConsent(let name, let found):
            "the \(name) server's consent to TLS is followed by bytes in the clear, which do not belong there: \(found)"
        }
    }

    func remedy(for endpoint: TLSEndpoint) -> String {
        switch self {
        case .notOffered(let name, _), .refused(let name, _, _):
            "Turn TLS on in the server's configuration"
                + (name.schemeOfImplicitTLS.map {
                    ", or use the port on which it speaks TLS from the first byte (\($0)://)."
                } ?? ".")
        case .unexpectedAnswer(let name, _, _):
            "Check that port \(endpoint.port) belongs to \(name)."
        case .answerTooLong: "This is no working server: do not use it."
        case .plaintextAfterConsent:
            "Somebody may be tampering with the connection (command injection): do not use this network. If the server is yours, "
                + "update it; it must not send anything before the handshake."
        }
    }
}

/// What a server said, for people: escaped, on one line, at most 200 characters.
func said(_ bytes: some Collection<UInt8>) -> String {
    let text = printable(String(decoding: bytes.prefix(1_000), as: UTF8.self))
    return text.count > 200 ? "\(text.prefix(200))…" : text
}
