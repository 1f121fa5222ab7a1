import BelayCertificates

extension DifferenceClass {
    /// What a peer does not support.
    static let features = [
        DifferenceClass(
            "curve", [.go], .peer(words: ["unsupported elliptic curve"]), "Go knows the curves of NIST only.",
            where: { $0.any { if case .ellipticCurve = $0.publicKey.kind { true } else { false } } }),
        DifferenceClass(
            "sha-224", [.go], .peer(words: [""]),
            "Go verifies no signatures with SHA-224 (it reports the last candidate that it tried).",
            where: { $0.path.dropLast().contains { $0.signatureAlgorithm.hash == .sha224 } }),
        DifferenceClass(
            "directory-constraints", [.go, .pyca],
            .peer(words: [
                "unhandled critical extension", "unsupported directoryName", "signed by unknown authority",
                "expired or is not yet valid",
            ]),
            "Go and pyca compare no directory names (nor registered identifiers) with constraints, and refuse critical ones.",
            where: {
                $0.hasConstraint { name in
                    switch name {
                    case .directory, .registeredID, .other, .unsupported: true
                    case .dns, .ipAddress, .email, .uri: false
                    }
                }
            }),
        DifferenceClass(
            "critical-policies", [.pyca],
            .peer(words: ["unaccounted-for critical extensions", "candidates exhausted"]),
            "pyca evaluates no certificate policies and refuses critical extensions about them (it reports the last candidate that it tried).",
            where: { comparison in
                ["2.5.29.32", "2.5.29.33", "2.5.29.36", "2.5.29.54"].contains { comparison.hasCritical($0) }
            }),
        DifferenceClass(
            "critical-purpose", [.pyca], .peer(words: ["incorrect criticality", "candidates exhausted"]),
            "An authority's extended key usage may be critical or not (RFC 5280, section 4.2.1.12). pyca refuses critical ones.",
            where: { $0.hasCritical("2.5.29.37") }),
        DifferenceClass(
            "key-identifier-of-extra", [.pyca], .peer(words: ["authorityKeyIdentifier must contain keyIdentifier"]),
            "The last candidate that pyca tried, which is not on the path that Belay found.",
            where: { !$0.extras.isEmpty }),
    ]
}
