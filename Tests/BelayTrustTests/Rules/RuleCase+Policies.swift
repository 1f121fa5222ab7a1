import BelayCertificates
import BelayTrust
import Foundation

extension RuleCase {
    static let policyCases: [RuleCase] = [
        .policy(
            "pin.mismatch", .deny, good: { SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [$0.leaf]) },
            bad: { _ in SecurityPolicy(pinningMode: .publicKey, pinnedKeys: [try strangersPin()]) }),
        .policy(
            "policy.empty-pin-set", .deny,
            good: { SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [$0.leaf]) },
            bad: { _ in SecurityPolicy(pinningMode: .certificate) }),
        .policy(
            "policy.keys-without-meaning", .deny,
            good: { SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [$0.leaf]) },
            bad: {
                SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [$0.leaf], pinnedKeys: [$0.leaf.pin])
            }),
        .policy(
            "policy.contradiction", .deny, good: { _ in .default },
            bad: { _ in SecurityPolicy(allowInvalidCertificates: true) }),
        .policy(
            "policy.unused-pins", severity: .warning, .unspecified, good: { _ in .default },
            bad: { SecurityPolicy(pinnedCertificates: [$0.leaf]) }),
        .policy(
            "policy.name-not-checked", severity: .warning, .proceed,
            good: {
                SecurityPolicy(
                    pinningMode: .publicKey, pinnedCertificates: [$0.leaf], allowInvalidCertificates: true)
            },
            bad: {
                SecurityPolicy(
                    pinningMode: .publicKey, pinnedCertificates: [$0.leaf], allowInvalidCertificates: true)
            }, { $0.policies = [.tlsServer(name: .dns("other.test"))] }),
        .policy(
            "policy.invalid-accepted", severity: .warning, .proceed,
            good: { _ in .acceptingAnyCertificate }, bad: { _ in .acceptingAnyCertificate },
            { $0.anchors = .empty }),
        .policy(
            "policy.pinned-but-untrusted", severity: .note, .recoverableTrustFailure,
            good: { SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [$0.root.certificate]) },
            bad: { SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [$0.root.certificate]) },
            { $0.anchors = .empty }),
        .weakness(
            "policy.weak.any-certificate", .warning, good: .default, bad: { _ in .acceptingAnyCertificate }),
        .weakness(
            "policy.weak.no-name", .warning, good: .default, bad: { _ in SecurityPolicy(validatesDomainName: false) }),
        .weakness(
            "policy.weak.invalid-allowed", .warning, good: .default,
            bad: {
                SecurityPolicy(
                    pinningMode: .publicKey, pinnedCertificates: [$0.leaf], allowInvalidCertificates: true)
            }),
        .weakness(
            "policy.weak.single-pin", .note, good: .default,
            bad: { SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [$0.leaf]) }),
    ]

    static let otherCases: [RuleCase] = [
        RuleCase(
            rule: "policy.pinned-cleartext", severity: .warning, result: nil, goodResult: nil,
            accepting: { Outcome(SecurityPolicy.default.findings(allowingCleartext: true)) },
            refusing: {
                Outcome(SecurityPolicy(pinningMode: .publicKey).findings(allowingCleartext: true))
            }),
        RuleCase(
            rule: "policy.base-url", result: nil, goodResult: nil,
            accepting: { Outcome(SecurityPolicy(pinningMode: .certificate).findings(forBaseURL: "https://h.test/")) },
            refusing: { Outcome(SecurityPolicy(pinningMode: .certificate).findings(forBaseURL: "http://h.test/")) }),
        RuleCase(
            rule: "pin.public-suffix", result: nil, goodResult: nil,
            accepting: { Outcome(try HostPattern("*.example.com").findings()) },
            refusing: { Outcome(try HostPattern("*.co.uk").findings()) }),
        RuleCase(
            rule: "tls.version", result: nil, goodResult: nil,
            accepting: { Outcome(ConnectionRequirements.transportSecurity.findings(for: evidence(.tls12, 0xC02B))) },
            refusing: { Outcome(ConnectionRequirements.transportSecurity.findings(for: evidence(.tls11, 0xC009))) }),
        RuleCase(
            rule: "tls.forward-secrecy", result: nil, goodResult: nil,
            accepting: { Outcome(ConnectionRequirements.transportSecurity.findings(for: evidence(.tls12, 0xC02B))) },
            // TLS_RSA_WITH_AES_128_GCM_SHA256
            refusing: { Outcome(ConnectionRequirements.transportSecurity.findings(for: evidence(.tls12, 0x009C))) }),
        RuleCase(
            rule: "tls.anonymous", result: nil, goodResult: nil,
            accepting: { Outcome(ConnectionRequirements.transportSecurity.findings(for: evidence(.tls12, 0xC02B))) },
            refusing: { Outcome(ConnectionRequirements.transportSecurity.findings(for: evidence(.tls12, 0xC018))) }),
        RuleCase(
            rule: "tls.unencrypted", result: nil, goodResult: nil,
            accepting: { Outcome(ConnectionRequirements.transportSecurity.findings(for: evidence(.tls12, 0xC02B))) },
            refusing: { Outcome(ConnectionRequirements.transportSecurity.findings(for: evidence(.tls12, 0xC010))) }),
        RuleCase(
            rule: "tls.no-agreement", result: nil, goodResult: nil,
            accepting: {
                Outcome(
                    ConnectionRequirements.transportSecurity.findings(explaining: "-", by: evidence(.tls11, 0xC009)))
            },
            refusing: {
                Outcome(
                    ConnectionRequirements.transportSecurity.findings(explaining: "-", by: evidence(.tls12, 0xC02B)))
            }),
        RuleCase(
            rule: "tls.key-not-proven", result: .fatalTrustFailure,
            accepting: { Outcome(try TestPKI.good.get().trust.evaluate()) },
            refusing: { Outcome(Verdict(refusing: [ConnectionRequirements.keyNotProven()])) }),
        RuleCase(
            rule: "ats.cleartext", result: .deny,
            accepting: { Outcome(try TestPKI.good.get().trust.evaluate()) },
            refusing: { Outcome(Verdict(refusing: [ConnectionRequirements.cleartext(host: "host.test")])) }),
        RuleCase(
            rule: "anchor.malformed-in-store", severity: .note, result: nil, goodResult: nil,
            accepting: { Outcome(try storeFindings(damage: false)) },
            refusing: { Outcome(try storeFindings(damage: true)) }),
        RuleCase(
            rule: "anchor.malformed", result: .fatalTrustFailure,
            accepting: { try caseWithAnchor(extra: []) }, refusing: { try caseWithAnchor(extra: ["MAA="]) }),
    ]

    private static func evidence(_ version: TLSVersion, _ suite: UInt16) -> PeerEvidence {
        let names: [UInt16: String] = [
            0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", 0xC009: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
            0x009C: "TLS_RSA_WITH_AES_128_GCM_SHA256", 0xC018: "TLS_ECDH_anon_WITH_AES_128_CBC_SHA",
            0xC010: "TLS_ECDHE_RSA_WITH_NULL_SHA",
        ]
        return PeerEvidence(
            chain: [], version: version, cipherSuite: CipherSuite(code: suite, name: names[suite] ?? ""),
            moment: moment,
            hostLiteral: TestPKI.host, host: TestPKI.host, peerAddress: "192.0.2.1:443")
    }

    static func strangersPin() throws -> SPKIPin { try PrivateKey.generate(.p256).publicKey.pin }

    private static func storeFindings(damage: Bool) throws -> [Finding] {
        let pem = try TestPKI.good.get().root.certificate.pem
        let folder = try TemporaryFolder()
        let empty = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
        let file = try folder.write("bundle.pem", pem + (damage ? empty : ""))
        return try SystemAnchors.load(environment: ["SSL_CERT_FILE": file]).findings
    }

    private static func caseWithAnchor(extra: [String]) throws -> Outcome {
        let world = try TestPKI.good.get()
        let fields: [String: Any] = [
            "id": "x", "host": TestPKI.host, "chain": [world.leaf.pem, world.intermediate.certificate.pem],
            "anchors": [world.root.certificate.pem] + extra, "time": "2026-06-01T00:00:00Z",
        ]
        let line = Array(try JSONSerialization.data(withJSONObject: fields))
        return Outcome(
            try TrustCase(json: line, systemAnchors: { () throws(SystemAnchorsError) in .empty }).evaluate().verdict)
    }
}
