import BelayCertificates
import BelaySession
import BelayTrust
import Testing

@Suite("Settings that are refused")
struct ConfigurationErrorTests {
    private static let pinned = SecurityPolicy.pinned(to: PinnedKeys(SPKIPin(SHA256Digest(of: [1]))))

    @Test(
        "A7: a policy that pins needs a base URL that is https; the error can be caught and names the rule",
        arguments: [nil, "http://h.test/", "http://h.test:443/"])
    func baseURL(text: String?) throws {
        let base = try text.map { try SessionURL($0) }
        let error = try #require(throws: ConfigurationError.self) {
            try ConfigurationError.validate(securityPolicy: Self.pinned, baseURL: base)
        }
        #expect(error.findings.map(\.rule.identifier) == ["policy.base-url"])
        for word in ["policy.base-url", "https://", text ?? "no base URL"] { #expect("\(error)".contains(word)) }
    }

    @Test("A7: with an https base URL, or without pins, there is nothing to refuse")
    func soundBaseURL() throws {
        try ConfigurationError.validate(securityPolicy: Self.pinned, baseURL: SessionURL("HTTPS://h.test/v1"))
        try ConfigurationError.validate(securityPolicy: .default, baseURL: nil)
        try ConfigurationError.validate(securityPolicy: .default, baseURL: SessionURL("http://h.test/"))
    }

    @Test(
        "A3: settings that contradict each other are refused before any bytes are sent",
        arguments: [
            (SecurityPolicy(allowInvalidCertificates: true), "policy.contradiction"),
            (SecurityPolicy(pinningMode: .certificate, allowInvalidCertificates: true), "policy.contradiction"),
            (SecurityPolicy(pinningMode: .certificate), "policy.empty-pin-set"),
            (SecurityPolicy(pinningMode: .publicKey, validatesDomainName: false), "policy.empty-pin-set"),
        ])
    func contradictions(policy: SecurityPolicy, rule: String) throws {
        let base = try SessionURL("https://h.test/")
        let error = try #require(throws: ConfigurationError.self) {
            try ConfigurationError.validate(securityPolicy: policy, baseURL: base)
        }
        #expect(error.findings.map(\.rule.identifier) == [rule])
        #expect("\(error)".contains(rule))
        #expect(throws: error) { try ConnectionPolicy(securityPolicy: policy).validate() }
    }

    @Test("every rule that is broken is told")
    func several() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try ConfigurationError.validate(securityPolicy: SecurityPolicy(pinningMode: .publicKey), baseURL: nil)
        }
        #expect(error.findings.map(\.rule.identifier) == ["policy.empty-pin-set", "policy.base-url"])
    }

    @Test("a base URL's query is not shown")
    func secrets() throws {
        let base = try SessionURL("http://h.test/?token=sesame")
        let error = try #require(throws: ConfigurationError.self) {
            try ConfigurationError.validate(securityPolicy: Self.pinned, baseURL: base)
        }
        #expect(!"\(error)".contains("sesame"))
    }
}
