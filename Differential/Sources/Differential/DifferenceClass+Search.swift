extension DifferenceClass {
    /// Which path is found.
    static let search = [
        DifferenceClass(
            "single-path", [.openssl],
            .peer(words: [""]),
            "OpenSSL judges one path, the longest that it builds, and looks for no other when that one is refused. Alone, the path "
                + "that Belay found is accepted by OpenSSL too.",
            where: { $0.opensslAcceptsThePath }),
        DifferenceClass(
            "key-identifiers", [.openssl],
            .peer(words: [
                "unable to get local issuer", "self-signed certificate", "unable to get issuer",
                "certificate signature failure",
            ]),
            "OpenSSL takes no issuer whose key identifier is not the one named. In path validation (RFC 5280, section 6) the signature "
                + "decides; key identifiers help to find issuers.",
            where: \.namesAnotherKey),
        DifferenceClass(
            "self-issued-is-no-root", [.openssl],
            .peer(words: [
                "unable to get local issuer", "self-signed certificate", "certificate signature failure",
                "unable to get issuer",
            ]),
            "OpenSSL takes a certificate whose names agree, and whose key identifiers do not say otherwise, for a root, and builds no "
                + "further. Belay goes by the signature: a replaced key is certified by the old one under the same name.",
            where: { $0.path.dropLast().contains(where: \.isSelfIssued) }),
        DifferenceClass(
            "namesakes", [.openssl], .peer(words: ["certificate signature failure", "unable to get"]),
            "OpenSSL chooses an issuer by name and key identifiers before it looks at the signature; two authorities of one name on a path "
                + "mislead it.",
            where: { $0.path.count > Set($0.path.map(\.subject)).count }),
        DifferenceClass(
            "name-spelling", [.go, .pyca], .peer(words: [""]),
            "Names are compared as RFC 5280, section 7.1, demands: letters without case, spaces folded, kinds of strings alike. Go and pyca "
                + "compare octets.",
            where: \.spellsANameInTwoWays),
    ]
}
