extension DifferenceClass {
    private static let everybody = Peer.allCases

    /// How certificates and extensions are written.
    static let encoding = [
        DifferenceClass(
            "der-strict", everybody, .belay(rule: "der.malformed"),
            "Belay reads certificates as DER and nothing else (RFC 5280, section 4.1). OpenSSL reads BER: lengths in any form, any octet "
                + "for TRUE, defaults written out. Go passes over elements behind those that it knows, and reads times with offsets."
        ),
        DifferenceClass(
            "anchor-malformed", everybody, .belay(rule: "anchor.malformed"),
            "The same for an anchor: whoever gave it meant it to count, so that a malformed one refuses the case."),
        DifferenceClass(
            "anchor-malformed", everybody, .belay(rule: "anchor.unknown"), "It cannot end a path either.",
            where: \.hasMalformedAnchor),
        DifferenceClass(
            "anchor-malformed", everybody, .belay(rule: "path.issuer-not-sent"), "It cannot end a path either.",
            where: \.hasMalformedAnchor),
        DifferenceClass(
            "extension-strict", everybody,
            .belay(
                rule: "extension.malformed",
                words: [
                    "must hold something is empty", "after the last element", "shortest form", "a BOOLEAN holds",
                    "occurs twice", "unused bits", "not ASCII",
                ]),
            "Belay decodes every extension that it knows, of every certificate on the path, as DER and by the form that RFC 5280 gives it "
                + "(SIZE (1..MAX), each policy once, no bytes behind the value). The others pass over some of it."),
        DifferenceClass(
            "any-policy-mapped", everybody, .belay(rule: "extension.malformed", words: ["to or from anyPolicy"]),
            "RFC 5280, section 6.1.4 (a): a path with a mapping of anyPolicy is refused. The others refuse only where a policy is demanded."
        ),
        DifferenceClass(
            "extension-not-decoded", everybody, .belay(rule: "extension.malformed"),
            "The extension is no value of its type, and the peer does not look at it (or, in an anchor, at none)."),
        DifferenceClass(
            "names-not-decoded", everybody, .belay(rule: "name.no-alternative-names"),
            "Follows from alternative names that are malformed.",
            where: {
                $0.standard.findings(.error).contains { $0.message.contains("subject alternative names' is malformed") }
            }),
        DifferenceClass(
            "algorithm-parameters", everybody, .belay(rule: "signature.invalid"),
            "ECDSA's algorithm identifiers have no parameters (RFC 5758, section 3.2). The others pass over them.",
            where: \.hasMalformedAlgorithm),
        DifferenceClass(
            "algorithm-parameters", everybody, .belay(rule: "path.issuer-not-sent"),
            "No key verifies such a signature, so that the chain seems to end there.", where: \.hasMalformedAlgorithm),
        DifferenceClass(
            "algorithm-parameters", everybody, .belay(rule: "anchor.unknown"),
            "No key verifies such a signature, so that the chain seems to end there.", where: \.hasMalformedAlgorithm),
        DifferenceClass(
            "pointers-not-decoded", [.openssl], .peer(words: ["unable to get local issuer"]),
            "OpenSSL takes no issuer with an extension that it cannot decode.",
            where: { $0.path.contains(where: \.hasMalformedExtension) }),
        DifferenceClass(
            "policies-not-decoded", everybody, .belay(rule: "constraints.explicit-policy"),
            "Follows from certificate policies that are malformed.",
            where: {
                $0.standard.findings(.error).contains {
                    $0.rule.identifier == "extension.malformed" && $0.message.contains("polic")
                }
            }),
        DifferenceClass(
            "anchor-signature", [.pyca], .peer(words: ["error parsing asn1 value", "ASN.1 parsing error"]),
            "Nobody relies on an anchor's signature, nor on what a key that signs nothing on the path looks like; names that are no text "
                + "are shown in hexadecimal digits. pyca decodes all of it."),
        DifferenceClass(
            "other-anchor-malformed", [.openssl, .go], .belay(rule: ""),
            "The path that the peer took ends at an anchor with a malformed extension. Belay tells what is wrong with its other path.",
            where: { comparison in
                comparison.extras.contains { $0.hasMalformedExtension && comparison.anchors.contains($0.der) }
            }),
        DifferenceClass(
            "extras-not-decoded", [.go], .peer(words: ["unreadable"]),
            "Go decodes the extensions of every certificate that it is given, Belay of those on the path.",
            where: \.hasMalformedExtra),
        DifferenceClass(
            "pointers-not-decoded", [.go],
            .peer(words: ["invalid CRL distribution point", "invalid authority info access"]),
            "What only says where things are published is decoded where it is needed, unless it is critical. The rule set rfc5280 demands its form."
        ),
    ]
}
