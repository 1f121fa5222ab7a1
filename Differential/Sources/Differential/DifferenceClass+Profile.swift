extension DifferenceClass {
    /// What the rule set webpki demands and pyca does not look at.
    static let profile: [DifferenceClass] = [
        pyca(
            "webpki.common-name",
            "CA/Browser Forum: the common name, where there is one, is among the alternative names. pyca does not look at it."
        ),
        pyca(
            "rfc5280.policy-constraints",
            "Policy constraints and inhibit any-policy are critical (RFC 5280, sections 4.2.1.11 and 4.2.1.14). pyca does not ask."
        ),
        pyca("constraints.explicit-policy", "pyca evaluates no certificate policies."),
        pyca(
            "rfc5280.subject-key-identifier",
            "Authorities name their key (RFC 5280, section 4.2.1.2). pyca does not ask it of anchors."),
        pyca(
            "rfc5280.authority-key-identifier",
            "Certificates name their issuer's key (RFC 5280, section 4.2.1.1). pyca does not ask it of anchors, or asks less."
        ),
        pyca(
            "webpki.authority-key-identifier",
            "A root's authority key identifier, where there is one, is its own, and a key identifier alone (CA/Browser Forum 7.1.2.1). pyca does not compare it."
        ),
        pyca(
            "rfc5280.alternative-names",
            "Every alternative name has its kind's form. pyca looks at those that it compares."),
        pyca(
            "rfc5280.serial-number",
            "Serial numbers are positive, of at most 20 octets (RFC 5280, section 4.1.2.2). pyca tolerates zero and 21 octets."
        ),
        pyca(
            "rfc5280.basic-constraints",
            "A path length is for authorities that sign certificates (RFC 5280, section 4.2.1.9). pyca does not ask."),
        pyca(
            "rfc5280.name-constraints",
            "Name constraints are critical and of the form of RFC 5280, section 4.2.1.10. pyca takes others."),
        pyca(
            "rfc5280.key-usage",
            "Authorities state their key usage (RFC 5280, section 4.2.1.3). pyca does not ask it of anchors."),
        pyca(
            "webpki.name-kind",
            "Servers' names are DNS names and addresses (CA/Browser Forum 7.1.2.7.12). pyca passes over others."),
        pyca(
            "webpki.key",
            "Keys are RSA of 2048 bits, P-256, P-384 or P-521 (CA/Browser Forum 6.1.5), of the leaf and of anchors as well. pyca looks at those that sign."
        ),
        pyca("key.malformed", "A point has the curve's length. pyca does not look at the leaf's key."),
        pyca(
            "webpki.eku",
            "Servers state serverAuth (CA/Browser Forum 7.1.2.7.10). pyca takes certificates without purposes."),
        pyca(
            "webpki.key-usage",
            "A server's key signs no certificates and lists (CA/Browser Forum 7.1.2.7.11). pyca looks at the CA flag."),
        pyca("webpki.root-eku", "Roots state no purposes (CA/Browser Forum 7.1.2.1). pyca does not ask it of anchors."),
        pyca(
            "rfc5280.access",
            "What only points somewhere can be read (RFC 5280, section 4.2.1.13). pyca does not look at it."),
        pyca(
            "webpki.name-form",
            "Names have no underscores (CA/Browser Forum 7.1.2.7.12). pyca passes over those that it does not compare."),
        pyca(
            "webpki.public-suffix-wildcard",
            "No wildcard covers a public suffix (CA/Browser Forum 3.2.2.6). pyca has no list of them."),
    ]

    private static func pyca(_ rule: String, _ reason: String) -> DifferenceClass {
        DifferenceClass("profile: \(rule)", [.pyca], .belay(rule: rule), reason)
    }
}
