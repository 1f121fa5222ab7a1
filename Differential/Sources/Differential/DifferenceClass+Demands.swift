import BelayTrust

extension DifferenceClass {
    /// What Belay demands of every chain, and a peer does not, or the other way round.
    static let demands = [
        DifferenceClass(
            "root-without-constraints", [.openssl, .go],
            .belay(rule: "ca.not-an-authority", words: ["has no basic constraints"]),
            "An anchor of version 3 that issues says that it is an authority. OpenSSL and Go trust an anchor without basic constraints."
        ),
        DifferenceClass(
            "key-size", [.go, .pyca], .belay(rule: "key.too-small"),
            "RSA has 2048 bits or more. Go accepts 1024; pyca looks at no anchor's key."),
        DifferenceClass(
            "key-kind", [.go, .pyca], .belay(rule: "key.unsupported"),
            "Keys are of a kind that TLS uses. Go reads others and leaves it to TLS to fail."),
        DifferenceClass(
            "leaf-key-usage", [.go, .pyca], .belay(rule: "key.usage"),
            "A server's key may sign or exchange keys where its usage is stated (RFC 5280, section 4.2.1.3). Go leaves it to TLS."
        ),
        DifferenceClass(
            "server-gated", [.openssl], .belay(rule: "eku.purpose"),
            "OpenSSL takes the server-gated-crypto purposes of the nineties for serverAuth.",
            where: { $0.hasPurpose("1.3.6.1.4.1.311.10.3.3") }),
        DifferenceClass(
            "server-gated", [.openssl], .belay(rule: "eku.issuer-purpose"),
            "OpenSSL takes the server-gated-crypto purposes of the nineties for serverAuth.",
            where: { $0.hasPurpose("1.3.6.1.4.1.311.10.3.3") }),
        DifferenceClass(
            "any-purpose", [.openssl], .peer(words: ["unsuitable certificate purpose"]),
            "anyExtendedKeyUsage is any (RFC 5280, section 4.2.1.12). OpenSSL demands serverAuth by name.",
            where: { $0.hasPurpose("2.5.29.37.0") }),
        DifferenceClass(
            "last-second", [.openssl], .peer(words: ["certificate has expired"]),
            "The last second belongs to the validity (RFC 5280, section 4.1.2.5: inclusive). OpenSSL's comparison knows no equal.",
            where: \.isTheLastSecond),
        DifferenceClass(
            "critical-key-identifier", [.openssl, .go],
            .peer(words: ["unhandled critical extension", "authority key identifier incorrectly marked critical"]),
            "A critical authority key identifier breaks the profile (the rule set rfc5280 says so) and misleads nobody.",
            where: { $0.hasCritical("2.5.29.35") }),
        DifferenceClass(
            "leaf-key-form", [.openssl, .go],
            .peer(words: [
                "EE certificate key too weak", "point not on curve", "invalid P256 point",
                "invalid uncompressed public key",
                "invalid ECDSA parameters",
            ]),
            "A key that signs nothing on the path is not used in judging it, and no handshake succeeds with a point off the curve."
        ),
        DifferenceClass(
            "empty-key-usage", [.go], .belay(rule: "ca.key-usage"),
            "A key usage without any of the nine uses allows nothing. Go takes it for none at all.",
            where: { $0.any { certificate in (try? certificate.keyUsage).map { $0.rawValue >> 7 == 0 } ?? false } }),
        DifferenceClass(
            "self-issued", [.go, .pyca],
            .peer(words: ["too many intermediates for path length constraint", "candidates exhausted"]),
            "Self-issued certificates do not count for path lengths (RFC 5280, section 4.2.1.9). Go and pyca count them.",
            where: { $0.path.dropFirst().dropLast().contains(where: \.isSelfIssued) }),
    ]
}
