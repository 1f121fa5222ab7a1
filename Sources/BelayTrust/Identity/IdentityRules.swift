extension Rule {
    /// The rules that ``BelayCertificates/Identity/preflight(at:acceptableIssuers:)`` reports findings of.
    static let identityCatalogue: [Rule] = [
        .identityExpired, .identityNotYetValid, .identityPurpose, .identityKeyUsage, .identityKeyMismatch,
        .identityKeyTooSmall, .identityWeakSignature, .identityIssuerMissing, .identityIssuerUnacceptable,
    ]

    static let identityExpired = Rule(
        "identity.expired", "A client's certificates are not past the end of their validity.", severity: .warning,
        .none,
        remedy: "Have the client's certificate renewed by whoever issued it.", source: "RFC 5280, section 4.1.2.5")
    static let identityNotYetValid = Rule(
        "identity.not-yet-valid", "A client's certificates are not before the start of their validity.",
        severity: .warning, .none,
        remedy: "Check the clock of this machine; if it is right, wait, or have the certificate issued anew.",
        source: "RFC 5280, section 4.1.2.5")
    static let identityPurpose = Rule(
        "identity.purpose", "A client's certificate that states purposes states clientAuth.", severity: .warning, .none,
        remedy: "Have the certificate issued with the extended key usage clientAuth.",
        source: "RFC 5280, section 4.2.1.12")
    static let identityKeyUsage = Rule(
        "identity.key-usage", "A client's key may sign, where its usage is stated.", severity: .warning, .none,
        remedy: "Have the certificate issued with the key usage digitalSignature.",
        source: "RFC 5246, section 7.4.8; RFC 8446, section 4.4.2.3")
    static let identityKeyMismatch = Rule(
        "identity.key-mismatch", "A client's private key is that of its certificate.", severity: .warning, .none,
        remedy: "Give the key that the certificate was issued for, or the certificate that was issued for this key.",
        source: "RFC 8446, section 4.4.3")
    static let identityKeyTooSmall = Rule(
        "identity.key-too-small",
        "A client's certificates have RSA keys of 2048 bits or more, or keys on curves of 224.",
        severity: .warning, .none,
        remedy: "Make a new key (P-256, or RSA 2048 or more) and have the certificate issued for it.",
        source: "NIST SP 800-131A; OpenSSL's security level 2")
    static let identityWeakSignature = Rule(
        "identity.weak-signature", "A client's certificates are not signed with MD5 or SHA-1.", severity: .warning,
        .none,
        remedy: "Have the certificate issued again with SHA-256.", source: "RFC 9155; OpenSSL's security level 1")
    static let identityIssuerMissing = Rule(
        "identity.issuer-missing", "A client sends the certificate of its issuer along.", severity: .note, .none,
        remedy:
            "Export the identity with its chain, or add the issuer's certificate to the file; where the server knows the "
            + "issuer itself, nothing is missing.",
        source: "RFC 8446, section 4.4.2")
    static let identityIssuerUnacceptable = Rule(
        "identity.issuer-unacceptable", "A client's certificate comes from an issuer that the server accepts.",
        severity: .warning, .none,
        remedy: "Use an identity of an issuer that the server names, or have the server accept this one.",
        source: "RFC 8446, section 4.2.4; RFC 5246, section 7.4.4")
}
