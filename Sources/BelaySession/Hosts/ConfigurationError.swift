import BelayCertificates
import BelayTrust
import Glibc

/// Settings that cannot be used. It is found before a connection is made, so that nothing was sent; put right, the session can
/// be made.
public enum ConfigurationError: Error, Sendable, Hashable {
    /// Two rules for hosts have equal patterns, so that one of them would never hold.
    case duplicateHostPattern(HostPattern)
    /// A text in the settings is no host pattern.
    case hostPattern(HostPatternError)
    /// The base URL is none.
    case baseURL(SessionURLError)
    /// Settings that contradict each other or a rule; every error, each with what to do.
    case refused([Finding])
    /// The proxy is itself spoken to by TLS, which is not supported: nothing would judge its certificate. `source` says who named
    /// it.
    case encryptedProxy(source: String)
    /// The proxy is of a kind that is not known. `source` says who named it.
    case unknownProxy(scheme: String, source: String)
    /// The key log cannot be written.
    case keyLog(KeyLogFileError)
    /// The machine could not give the session a thread or a descriptor.
    case resources(call: String, code: Int32)

    /// The findings that refuse, if that is the reason.
    public var findings: [Finding] {
        if case .refused(let findings) = self { findings } else { [] }
    }

    /// Throws the errors among findings, if there are any.
    static func check(_ findings: [Finding]) throws(ConfigurationError) {
        let errors = findings.filter { $0.severity == .error }
        guard errors.isEmpty else { throw .refused(errors) }
    }
}

extension ConfigurationError {
    /// The rule of AFNetworking-shaped initializers: what a session with a base URL demands of its security policy.
    ///
    /// A policy that contradicts itself is refused, and one that pins without a base URL that is `https` (`policy.base-url`).
    /// AFNetworking raises an exception there, which ends the program; this can be caught and put right. Sessions with
    /// `HostPolicies` need no base URL: there the scheme is checked for each request.
    ///
    /// - Throws: ``ConfigurationError/refused(_:)`` with every rule that is broken.
    public static func validate(
        securityPolicy: SecurityPolicy, baseURL: SessionURL?
    ) throws(ConfigurationError) {
        try check(securityPolicy.contradictions() + securityPolicy.findings(forBaseURL: baseURL?.description))
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// What is wrong, which rules say so, and what to do.
    public var description: String {
        switch self {
        case .duplicateHostPattern(let pattern):
            return "there are two rules for the hosts '\(pattern)'. Keep one of them"
        case .hostPattern(let error): return error.description
        case .encryptedProxy(let source):
            return "\(source) names a proxy that is spoken to by TLS (https://), which is not supported. "
                + "Use one that is http:// or socks5h://, or none: what goes through it to https servers is encrypted all the same"
        case .unknownProxy(let scheme, let source):
            return "\(source) names a proxy of the kind '\(printable(scheme))', which is not known. "
                + "Use one that is http://, socks4://, socks4a://, socks5:// or socks5h://"
        case .keyLog(let error): return error.description
        case .resources(let call, let code):
            let text = strerror(code).map { String(cString: $0) } ?? "error \(code)"
            return
                "the session cannot start: \(call): \(text). Raise the limit on open files or threads (ulimit -n, ulimit -u)"
        case .baseURL(let error): return "the base URL cannot be used: \(error)"
        case .refused(let findings):
            return findings.map { finding in
                let compared = [("expected", finding.expected), ("found", finding.found)].compactMap { label, text in
                    text.map { "\(label): \($0)" }
                }
                return "\(finding.message) (\(([finding.rule.identifier] + compared).joined(separator: "; "))). "
                    + finding.remedy
            }.joined(separator: "\n")
        }
    }
}
