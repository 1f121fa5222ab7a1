import BelayCertificates
import BelayTLS
import BelayTrust

extension SessionError: CustomStringConvertible {
    /// What happened and what to do about it, in sentences. It holds no header values, no body and no query of the URL.
    public var description: String { "\(Sentence.ended(summary)) \(remedy)" }

    /// What happened: which request, in which phase, and why it has no acceptable response.
    public var summary: String {
        let text = reason.text(phase, tlsError)
        return switch reason {
        // These name the URL, or the settings, themselves.
        case .badURL, .rejected, .hostDenied, .configuration, .interceptor: text
        default: "\(printable(method)) \(printable(shownURL)): \(text)"
        }
    }

    /// What a person can do.
    public var remedy: String { reason.remedy(phase, tlsError) }

    /// What the detail of ``Reason/notConnected(_:)`` begins with where the way leads through a socket of the file system.
    static let socketBeginning = "the socket "

    /// The URL, however it was put in, without query and fragment.
    private var shownURL: String { Redaction.url(String(url.prefix { $0 != "?" && $0 != "#" })) }

    /// The failure of the handshake in the words that handshakes have for it.
    private var tlsError: TLSError? {
        guard case .tls(let reason) = reason else { return nil }
        let endpoint = (try? SessionURL(shownURL))?.endpoint ?? TLSEndpoint(host: "the server", port: 443)
        return TLSError(endpoint: endpoint, phase: phase == .prepare ? .prepare : .handshake, reason: reason)
    }
}

extension SessionError.Reason {
    fileprivate func text(_ phase: SessionPhase, _ tlsError: TLSError?) -> String {
        switch self {
        case .configuration(let detail): "the session cannot be used as it is: \(printable(detail))"
        case .badURL(let detail): Sentence.firstOf(detail)
        case .hostDenied(let detail): Sentence.firstOf(detail)
        case .cleartext: "http is not allowed here; nothing was sent"
        case .transportSecurity(let findings):
            "the app's Info.plist allows no connection: "
                + (findings.first.map { printable($0.message) } ?? "it says so") + "; nothing was sent"
        case .untrusted(let verdict): "the server is not trusted; no request was sent\n" + Self.text(verdict)
        case .unjudged:
            "the connection carries no verdict under the policy of the moment; no request was sent"
        case .challengeCancelled: "the challenge handler cancelled"
        case .challengeUnanswered(let detail): Sentence.firstOf(printable(detail))
        case .tls: tlsError.map(Self.withoutPlace) ?? "there is no TLS connection"
        case .notResolved(let detail): "the name does not resolve: \(printable(detail))"
        case .notConnected(let detail): "there is no connection: \(printable(detail))"
        case .proxy(let detail): "the proxy: \(printable(detail))"
        case .timedOut(let limit): "no end after \(Self.seconds(limit)): still \(phase.activity)"
        case .connectionLost(let detail): "the connection broke before the response was complete: \(printable(detail))"
        case .truncated(let received): "the body ended after \(received) bytes, before its announced length"
        case .malformedResponse(let detail): "the response breaks the rules of HTTP: \(printable(detail))"
        case .contentCoding(let error): "the content of the response cannot be unpacked: \(error)"
        case .bodyTooLarge(let limit): "the body is longer than the limit of \(limit) bytes"
        case .headersTooLarge(let limit): "the headers are longer than the limit of \(limit) bytes"
        case .tooManyInformational(let limit): "more than \(limit) informational responses (1xx) came"
        case .redirect(let refusal): Sentence.firstOf(refusal.description)
        case .rejected(let rejection): "\(rejection)"
        case .interceptor(let error): "an interceptor stopped the request: \(printable("\(error)"))"
        case .cancelled: "cancelled"
        case .other(let code, let detail): "\(printable(detail)) (libcurl's error \(code))"
        }
    }

    /// The URL before it names the host already.
    private static func withoutPlace(_ error: TLSError) -> String {
        let place = "\(error.endpoint): "
        let text = error.summary
        return text.hasPrefix(place) ? String(text.dropFirst(place.count)) : text
    }

    fileprivate func remedy(_ phase: SessionPhase, _ tlsError: TLSError?) -> String {
        switch self {
        case .configuration: "Correct the settings; nothing was sent."
        case .badURL(let detail): Sentence.restOf(detail) ?? "Write https://host/path."
        case .hostDenied(let detail):
            Sentence.restOf(detail) ?? "Add a rule for the host, if it is meant to be reached."
        case .cleartext(let finding): finding.remedy
        case .transportSecurity(let findings): findings.first?.remedy ?? "Correct the Info.plist."
        case .untrusted(let verdict):
            verdict.findings(.error).first?.remedy ?? "Find out why the server's certificates are not accepted."
        case .unjudged: "Send the request again; if it goes on, report it."
        case .challengeCancelled: "Nothing to do; send the request again when wanted."
        case .challengeUnanswered(let detail):
            Sentence.restOf(detail) ?? "Look into the challenge handler, and into what the server asks."
        case .tls: tlsError?.remedy ?? "Look into the server's log."
        case .notResolved: "Check the spelling of the host and the machine's name servers."
        case .notConnected(let detail) where detail.hasPrefix(SessionError.socketBeginning):
            "Check the path, who may use it, and that the server that listens there runs."
        case .notConnected:
            "Check the port, that the server runs, and the network and firewalls between."
        case .proxy(let detail) where detail.contains("407"):
            "The proxy wants a user name and password (RFC 9110, section 15.5.8): give them in its URL, http://user:password@host:port."
        case .proxy:
            "Check the proxy's address, that it runs and lets this client through; or go without it."
        case .timedOut: Self.remedy(ofTimeoutIn: phase)
        case .connectionLost: "Look into the server's log; a firewall or a balancer between may have done it too."
        case .truncated, .contentCoding, .malformedResponse, .tooManyInformational:
            "Look into the server's log, and into those of proxies and balancers between."
        case .bodyTooLarge: "Raise the limit, if so long a body is expected; it is counted after decompression."
        case .headersTooLarge:
            "Raise the limit, if such long headers are expected; cookies are the usual cause. There is no more room than 300 KiB, "
                + "and over HTTP/2 than 128 KiB, where HTTP/1.1 helps."
        case .redirect(let refusal):
            Sentence.restOf(refusal.description) ?? "Correct the server's redirects, or ask for the final URL itself."
        case .rejected: "Look into the response, which the error keeps, or accept more in the request."
        case .interceptor: "Look into the interceptor."
        case .cancelled: "Nothing to do; send the request again when wanted."
        case .other: "Look into the server's log; if the server is well, report it."
        }
    }

    private static func remedy(ofTimeoutIn phase: SessionPhase) -> String {
        switch phase {
        case .prepare: "Allow more time."
        case .queue:
            "Other requests used all connections to the host, or were still making one: allow more connections, or more time."
        case .resolve: "Check the machine's name servers, or allow more time."
        case .connect: "A firewall may drop the packets: check address and port, or allow more time."
        case .tunnel: "Check that the proxy may and can reach the server, go without it, or allow more time."
        case .handshake:
            "Check that the port speaks TLS and that the server is not overloaded, or allow more time."
        case .send, .wait, .receive: "Check that the server is not overloaded, or allow more time."
        }
    }

    /// Each error of a verdict: what, by which rule, what was expected and found.
    private static func text(_ verdict: Verdict) -> String {
        let errors = verdict.findings(.error)
        guard !errors.isEmpty else { return "there was nothing to judge" }
        let lines = errors.prefix(8).map { finding in
            let compared = [("expected", finding.expected), ("found", finding.found)].compactMap { label, text in
                text.map { "\(label): \(printable($0))" }
            }
            return "\(finding.message) (\(([finding.rule.identifier] + compared).joined(separator: "; ")))"
        }
        let more = errors.count > lines.count ? ["and \(errors.count - lines.count) more"] : []
        return (lines + more).joined(separator: "\n")
    }

    /// A duration in seconds, to the millisecond: `5 s`, `0.25 s`.
    private static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { return "\(seconds) s" }
        var fraction = String(milliseconds + 1_000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(seconds).\(fraction) s"
    }
}

extension SessionPhase {
    /// What is being done, after "still".
    fileprivate var activity: String {
        switch self {
        case .prepare: "preparing the request"
        case .queue: "waiting for a connection to the host"
        case .resolve: "resolving the host's name"
        case .connect: "connecting"
        case .tunnel: "waiting for the proxy to open a tunnel to the server"
        case .handshake: "in the TLS handshake"
        case .send: "sending the request"
        case .wait: "waiting for the first byte of the response"
        case .receive: "receiving the response"
        }
    }
}

/// Texts of several sentences, of which the first says what is wrong and the others what to do.
private enum Sentence {
    static func firstOf(_ text: String) -> String { split(text)?.first ?? text }

    static func restOf(_ text: String) -> String? { (split(text)?.rest).map(ended) }

    /// With a full stop, unless it has an end.
    static func ended(_ text: String) -> String {
        text.last.map { ".!?".contains($0) } == true ? text : text + "."
    }

    private static func split(_ text: String) -> (first: String, rest: String)? {
        let letters = Array(text)
        guard letters.count > 2 else { return nil }
        for index in 0..<(letters.count - 2)
        where letters[index] == "." && letters[index + 1] == " " && letters[index + 2].isUppercase {
            return (String(letters[..<index]), String(letters[(index + 2)...]))
        }
        return nil
    }
}
