import BelayTLS
import BelayTrust

/// Why a request has no acceptable response: which request, in which phase, and what happened.
///
/// ```swift
/// do {
///     let response = try await session.get("https://api.example.com/users/1")
/// } catch {
///     switch error.reason {
///     case .untrusted(let verdict): print(verdict.findings)
///     case .rejected(let rejection): print(rejection.response.status)
///     default: print(error)
///     }
/// }
/// ```
public struct SessionError: Error, Sendable {
    /// The method of the request.
    public let method: String
    /// The URL, without its query and fragment, which may hold secrets. After redirects it is the one that failed.
    public let url: String
    /// How far the exchange had come.
    public let phase: SessionPhase
    /// What went wrong.
    public let reason: Reason

    /// Puts an error together.
    public init(method: String, url: String, phase: SessionPhase, reason: Reason) {
        self.method = method
        self.url = url
        self.phase = phase
        self.reason = reason
    }

    /// What went wrong.
    public enum Reason: Error, Sendable {
        /// The session or the request cannot be used as it is; the text says why. Nothing was sent.
        case configuration(String)
        /// The URL is none that a request can be sent to; the text says why.
        case badURL(String)
        /// No rule allows the host. Nothing was sent, no socket was opened.
        case hostDenied(String)
        /// `http` is not allowed here. Nothing was sent, no socket was opened.
        case cleartext(Finding)
        /// The app's Info.plist allows no connection to the URL. Nothing was sent, no socket was opened.
        case transportSecurity([Finding])
        /// The server is not trusted. Not one byte of HTTP was sent.
        case untrusted(Verdict)
        /// The connection carried no verdict under the policy of the moment. Not one byte of HTTP was sent.
        case unjudged
        /// The challenge handler gave the request up.
        case challengeCancelled
        /// What the challenge handler answered is no answer to the question; the text says why.
        case challengeUnanswered(String)
        /// There is no TLS connection.
        case tls(TLSError.Reason)
        /// The name has no address; the text is the resolver's.
        case notResolved(String)
        /// There is no connection; the text is the system's.
        case notConnected(String)
        /// The proxy is the problem.
        case proxy(String)
        /// The phase took longer than this.
        case timedOut(Duration)
        /// The connection broke before the response was complete.
        case connectionLost(String)
        /// The body ended before its announced length, after so many bytes.
        case truncated(received: Int)
        /// The response breaks the rules of HTTP.
        case malformedResponse(String)
        /// The content of the response cannot be unpacked: it is damaged, cut short, or of an unknown coding.
        case contentCoding(ContentCodingError)
        /// The body is longer than the limit, in bytes.
        case bodyTooLarge(limit: Int)
        /// The headers are longer than the limit, in bytes.
        case headersTooLarge(limit: Int)
        /// More informational responses came than the limit.
        case tooManyInformational(limit: Int)
        /// A redirect is not followed.
        case redirect(RedirectRefusal)
        /// The response came and is not acceptable. It is kept, with its body.
        case rejected(ResponseRejection)
        /// An interceptor threw.
        case interceptor(any Error)
        /// The task was cancelled.
        case cancelled
        /// Something else, by libcurl's number.
        case other(code: Int32, String)
    }
}

extension SessionError {
    /// The code that Apple's systems would report in `NSURLErrorDomain`, for programs that come from there.
    ///
    /// Source: Apple, "URL Loading System Error Codes".
    public var appleCode: Int {
        switch reason {
        case .configuration, .interceptor: -999
        case .badURL: -1000
        case .hostDenied: -1022
        case .cleartext, .transportSecurity: -1022
        case .untrusted(let verdict): verdict.appleCode
        case .unjudged: -1200
        case .challengeCancelled: -999
        case .challengeUnanswered: -1012
        case .tls(let reason): reason.appleCode
        case .notResolved: -1003
        case .notConnected, .proxy: -1004
        case .timedOut: -1001
        case .connectionLost, .truncated: -1005
        // NSURLErrorCannotDecodeContentData.
        case .contentCoding: -1016
        case .malformedResponse, .headersTooLarge, .tooManyInformational: -1011
        case .bodyTooLarge: -1103
        case .redirect: -1007
        case .rejected: -1011
        case .cancelled: -999
        case .other: -1
        }
    }
}

extension Verdict {
    /// The code of `NSURLErrorDomain` for a refusal.
    var appleCode: Int {
        let rules = Set(findings(.error).map(\.rule.identifier))
        if rules.contains(where: { $0.hasPrefix("tls.") || $0.hasPrefix("ats.") }) { return -1200 }
        // The dates have codes of their own, where nothing else is wrong.
        if rules == ["validity.expired"] { return -1201 }
        if rules == ["validity.not-yet-valid"] { return -1204 }
        return -1202
    }
}

extension TLSError.Reason {
    /// The code of `NSURLErrorDomain` for a connection that did not come about.
    var appleCode: Int {
        switch self {
        case .clientCertificateRequired, .clientIdentityWithheld: -1206
        case .clientCertificateRefused: -1205
        case .notResolved: -1003
        case .refused, .unreachable: -1004
        case .timedOut: -1001
        case .reset, .closed: -1005
        case .cancelled: -999
        default: -1200
        }
    }
}
