extension TLSError: CustomStringConvertible {
    /// What happened and what to do about it, in sentences.
    public var description: String { "\(summary). \(remedy)" }

    /// What happened: the host, the phase, and what the peer did.
    public var summary: String {
        let place =
            peerAddress.map { $0 == endpoint.description ? "\(endpoint)" : "\(endpoint) (at \($0))" } ?? "\(endpoint)"
        return "\(place): \(phase.activity): \(reason.text)"
    }

    /// What a person can do.
    public var remedy: String { reason.remedy(for: endpoint, phase: phase) }
}

extension TLSError.Phase {
    /// What was being done, for the beginning of a message.
    var activity: String {
        switch self {
        case .prepare: "options"
        case .resolve: "resolving the name"
        case .connect: "connecting"
        case .startTLS: "changing to TLS"
        case .handshake: "TLS handshake"
        case .confirm: "waiting for the server to accept the client"
        case .read: "reading"
        case .write: "writing"
        case .close: "closing"
        }
    }
}

extension TLSError.Reason {
    var text: String {
        switch self {
        case .unusableOptions(let detail): detail
        case .notResolved(let detail): "the name does not resolve: \(detail)"
        case .refused: "refused; nothing listens there"
        case .unreachable(let detail): "not reachable: \(detail)"
        case .reset: "the peer broke the connection off (reset)"
        case .startTLS(let failure): failure.text
        case .timedOut(let limit): "no end after \(secondsText(limit))"
        case .notTLS(let other): "the peer does not speak TLS; \(other)"
        case .protocolVersion(let minimum, let maximum, let found):
            "no common version: offered \(minimum == maximum ? "\(minimum)" : "\(minimum) to \(maximum)"), "
                + (found.map { "the server chose \(versionText($0))" } ?? "the server speaks none of them")
        case .noSharedCipher(let alert):
            "no common cipher suite, group or signature algorithm" + (alert.map { "; the server sent \($0)" } ?? "")
        case .noSharedApplicationProtocol: "the server speaks none of the application protocols offered (ALPN)"
        case .alert(let alert): "the peer ended it with the alert \(alert)"
        // Not everybody who reports it knows how much has come.
        case .closedEarly(let count):
            "the peer closed the connection in the middle\(count > 0 ? ", after \(count) bytes," : "") and did not say why"
        case .certificateMessageTooLarge(let limit): "the peer's certificates are larger than \(limit) bytes"
        case .handshakeTooLong(let limit): "the handshake did not end within \(limit) bytes"
        case .noCertificate: "the server presented no certificate"
        case .unreadableCertificate(_, let detail): "a certificate of the server's cannot be read: \(detail)"
        case .keyDoesNotMatchCertificate:
            "the server does not have the key of the certificate it presents: its signature does not match"
        case .insecureRenegotiation:
            "the server lacks secure renegotiation (RFC 5746), without which somebody between could put words of his own before the client's"
        case .renegotiationRefused:
            "the server wanted to begin the handshake anew in the middle of the connection, which is refused, and ended it"
        case .badFinished: "the check over the whole handshake failed; something changed it on the way"
        case .clientCertificateRequired(let issuers):
            "the server demands a client certificate"
                + (issuers.isEmpty ? "" : issuers.count == 1 ? " of one issuer" : " of one of \(issuers.count) issuers")
        case .clientIdentityWithheld:
            "the server demands a client certificate; none was sent, because the server is not trusted"
        case .clientCertificateRefused(let alert, _):
            "the server refused the client certificate with the alert \(alert)"
        case .identityUnusable(let detail): "the client identity cannot be used: \(detail)"
        case .protocolViolation(let detail): "the peer broke the rules of TLS: \(detail)"
        case .system(let call, let code): "\(call): \(systemErrorText(code))"
        case .cancelled: "cancelled"
        case .closed: "the connection is closed already"
        case .concurrentUse: "two tasks used the connection in the same direction at the same time"
        }
    }

    /// A TLS server says goodbye, or names a fault, before it closes; so something else is amiss.
    private static func remedy(ofEarlyEndIn phase: TLSError.Phase, _ endpoint: TLSEndpoint) -> String {
        switch phase {
        case .handshake:
            "Check that the port speaks TLS and that the server knows the name \(endpoint.host). A balancer without a server behind it and a "
                + "firewall that lets nobody in end like this too; the server's log tells more."
        case .confirm:
            "The server asked who the client is, and may have hung up for the answer: give it a client identity that it accepts, and look into "
                + "its log."
        default: "Look into the server's log; a TLS server says goodbye before it closes."
        }
    }

    func remedy(for endpoint: TLSEndpoint, phase: TLSError.Phase) -> String {
        switch self {
        case .unusableOptions: "Correct the options."
        case .notResolved: "Check the spelling of \(endpoint.host) and the machine's name servers."
        case .refused: "Check the port, and that the server runs."
        case .unreachable: "Check the network, the routes and the firewall."
        case .reset: "Look into the server's log; a firewall or a balancer between may have done it too."
        case .timedOut:
            switch phase {
            case .resolve: "Check the machine's name servers, or allow more time."
            case .connect: "A firewall may drop the packets: check address and port, or allow more time."
            case .startTLS:
                "Check that the port belongs to the protocol. If TLS begins with the first byte there, do not ask for it; or allow "
                    + "more time."
            default: "Check that the port speaks TLS and that the server is not overloaded, or allow more time."
            }
        case .startTLS(let failure): failure.remedy(for: endpoint)
        case .notTLS(.http): "The port speaks plain HTTP: use the server's HTTPS port."
        case .notTLS(.ssh): "The port belongs to SSH: use the server's HTTPS port."
        case .notTLS(.text):
            "Use the port on which the server speaks TLS from the first byte, or have it change to TLS by its protocol "
                + "(smtp://, imap://, pop3://, ftp://)."
        case .notTLS: "Use the port on which the server speaks TLS from the first byte."
        case .protocolVersion:
            "Have the server speak TLS 1.2 or 1.3; only where that is impossible, lower the minimum version."
        case .noSharedCipher:
            "Compare the server's suites with those that are allowed; modern servers have ECDHE with AES-GCM."
        case .noSharedApplicationProtocol: "Offer a protocol the server speaks, for example http/1.1."
        case .alert(let alert) where alert.code == 112:
            "The server does not know the name \(endpoint.host): check the name."
        case .alert: "Look into the server's log for the reason."
        case .closedEarly: Self.remedy(ofEarlyEndIn: phase, endpoint)
        case .certificateMessageTooLarge: "Have the server send its leaf and the intermediates only."
        case .handshakeTooLong: "This is no working TLS server: do not use it."
        case .noCertificate: "Configure the server with a certificate."
        case .unreadableCertificate: "Have the certificate issued again; its encoding is broken."
        case .keyDoesNotMatchCertificate:
            "Somebody may be posing as the server with its public certificate. If the server is yours, give it the key that "
                + "belongs to the certificate."
        case .insecureRenegotiation:
            "Update the server's TLS library, or the balancer before it: every one since 2010 has it, so this one has other holes too."
        case .renegotiationRefused:
            "Have the server ask for client certificates in the first handshake and not for single paths (in Apache SSLVerifyClient outside "
                + "of Location and Directory), and switch renegotiation off; or have it speak TLS 1.3, which has none."
        case .badFinished: "Something between may be tampering with the connection: do not use this network."
        case .clientCertificateRequired: "Give a client identity that one of the acceptable issuers has issued."
        case .clientIdentityWithheld:
            "Find out why the server's certificates are not accepted; until they are, do not show it an identity."
        case .clientCertificateRefused: "Use an identity that the server accepts: issuer, dates and key usage count."
        case .identityUnusable: "Check that the identity's key belongs to its certificate and is strong enough."
        case .protocolViolation: "Look into the server's log, and update its TLS library."
        case .system: "Check this machine's limits on open files and memory."
        case .cancelled: "Nothing to do; connect again when wanted."
        case .closed: "Connect again."
        case .concurrentUse: "Let one task read and one task write."
        }
    }
}

extension TLSError.OtherProtocol: CustomStringConvertible {
    /// What it seems to be, with the beginning of what was sent.
    public var description: String {
        switch self {
        case .http(let line): "it answered in plain HTTP: \(line)"
        case .ssh(let banner): "it is an SSH server: \(banner)"
        case .text(let line): "it sent: \(line)"
        case .unknown(""): "it sent something else"
        case .unknown(let bytes): "it sent the bytes \(bytes)"
        }
    }

    /// Tells what the first bytes of a peer belong to; nil when they can be TLS, or there are none.
    init?(opening: [UInt8]) {
        guard let first = opening.first else { return nil }
        // A record begins with its type, 20 to 24, and the major version 3.
        if (20...24).contains(first), opening.count < 2 || opening[1] == 3 { return nil }
        let line = firstLine(of: opening)
        if let line, line.hasPrefix("HTTP/") || line.hasPrefix("<!") || line.lowercased().hasPrefix("<html") {
            self = .http(line)
        } else if let line, line.hasPrefix("SSH-") {
            self = .ssh(line)
        } else if let line {
            self = .text(line)
        } else {
            self = .unknown(opening.prefix(32).map(hexadecimal).joined(separator: " "))
        }
    }
}

/// The first line, when it is printable ASCII throughout: nothing a peer sends can steer a terminal.
private func firstLine(of bytes: [UInt8]) -> String? {
    let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(120)
    guard !line.isEmpty, line.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else { return nil }
    return String(decoding: line.map { $0 == 0x09 ? 0x20 : $0 }, as: UTF8.self)
}

private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
}

private func versionText(_ number: UInt16) -> String {
    switch number {
    case 0x0300: "SSL 3.0"
    case 0x0301: "TLS 1.0"
    case 0x0302: "TLS 1.1"
    case 0x0303: "TLS 1.2"
    case 0x0304: "TLS 1.3"
    default: "version 0x" + hexadecimal(UInt8(number >> 8)) + hexadecimal(UInt8(number & 0xFF))
    }
}

/// A duration in seconds, to the millisecond: `5 s`, `0.25 s`.
private func secondsText(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    guard milliseconds > 0 else { return "\(seconds) s" }
    var fraction = String(milliseconds)
    while fraction.count < 3 { fraction = "0" + fraction }
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(seconds).\(fraction) s"
}
