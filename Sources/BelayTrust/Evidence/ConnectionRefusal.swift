import BelayCertificates

// Refusals in which no certificate is at fault: they are known before a handshake, or because one failed.

extension Verdict {
    /// A refusal for findings that were made before anything was shown. Without any, there was nothing to judge.
    public init(refusing findings: [Finding]) {
        if findings.isEmpty {
            self.init(result: .invalid, findings: [], path: [], isPathComplete: false, checkedNames: [])
        } else {
            self.init(refusedFor: findings, path: [], isPathComplete: false, checkedNames: [])
        }
    }
}

extension ConnectionRequirements {
    /// The refusal of a URL that is not encrypted at all.
    public static func cleartext(host: String) -> Finding {
        Finding(
            .cleartext, "http sends everything in the clear, which App Transport Security refuses",
            expected: "https://\(printable(host))", found: "http://\(printable(host))")
    }

    /// The refusal of a peer that showed certificates and could not prove that it has the key of the first.
    public static func keyNotProven() -> Finding {
        Finding(
            .keyNotProven,
            "the server does not have the key of the certificate it presents: its signature does not match",
            expected: "a handshake signed with the certificate's key", found: "another signature")
    }

    /// The refusal of a server that agrees to nothing, neither to what is allowed nor to anything else that can be offered.
    ///
    /// - Parameter failure: how the handshake that offered only what is allowed has failed.
    public func disagreement(_ failure: String) -> Finding {
        Finding(
            .noAgreement, "the server agrees to nothing that is allowed: \(failure)", expected: description,
            found: "nothing in common, whatever was offered")
    }

    /// Why a handshake that offered only what is allowed has failed, told by the evidence of another one that offered
    /// everything.
    ///
    /// - Parameters:
    ///   - evidence: what the server agreed to when everything was offered.
    ///   - failure: how the first handshake failed.
    /// - Returns: at least one error.
    public func findings(explaining failure: String, by evidence: PeerEvidence) -> [Finding] {
        let known = findings(for: evidence)
        guard known.isEmpty else { return known }
        return [
            Finding(
                .noAgreement, "the server agrees to nothing that is allowed: \(failure)", expected: description,
                found: "\(evidence.version), \(evidence.cipherSuite)"
                    + (evidence.keyExchangeGroup.map { ", \($0)" } ?? ""))
        ]
    }
}

extension Rule {
    package static let cleartext = Rule(
        "ats.cleartext", "A connection is encrypted.", .deny,
        remedy: "Use https; where the server has none, give it a certificate.",
        source: "Apple: NSAppTransportSecurity; NSExceptionAllowsInsecureHTTPLoads")
    static let keyNotProven = Rule(
        "tls.key-not-proven", "A server proves that it has the key of its certificate.", .fatal,
        remedy:
            "Somebody may be posing as the server with its public certificate. If the server is yours, give it the key "
            + "that belongs to the certificate.",
        source: "RFC 8446, section 4.4.3")
    static let noAgreement = Rule(
        "tls.no-agreement", "A server can speak what the requirements allow.", .deny,
        remedy: "Switch on TLS 1.3, or TLS 1.2 with ECDHE and AES-GCM, and use a certificate of today's strength.",
        source: "Apple: Preventing Insecure Network Connections")

    static let refusalCatalogue: [Rule] = [.cleartext, .keyNotProven, .noAgreement]
}
