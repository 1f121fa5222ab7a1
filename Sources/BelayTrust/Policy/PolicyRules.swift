extension Rule {
    static let pinMismatch = Rule(
        "pin.mismatch", "The verified path holds a pinned certificate or key.", .deny,
        remedy: "If the server's key was changed on purpose, pin its new key beside the old one; "
            + "if nobody knows of a change, refuse: somebody else may be answering.",
        source: "AFNetworking: AFSecurityPolicy; RFC 7469, section 2.6")
    static let emptyPinSet = Rule(
        "policy.empty-pin-set", "A policy that pins has at least one pin.", .deny,
        remedy: "Give a pin, or use the mode none.", source: "AFNetworking: AFSecurityPolicy")
    static let unusableKeys = Rule(
        "policy.keys-without-meaning", "A policy that pins certificates has no pins of keys.", .deny,
        remedy: "Use the mode publicKey, or give the certificates themselves.", source: "Belay: fail closed")
    static let contradiction = Rule(
        "policy.contradiction", "A policy that validates names and allows invalid certificates has pins.", .deny,
        remedy: "Pin the server's certificate or key, or switch off one of the two settings.",
        source: "AFNetworking: AFSecurityPolicy, evaluateServerTrust:forDomain:")
    static let unusedPins = Rule(
        "policy.unused-pins", "Pins are looked at.", severity: .warning, .none,
        remedy: "Set the pinning mode to publicKey or certificate, or remove the pins.",
        source: "AFNetworking: AFSecurityPolicy")
    static let nameNotChecked = Rule(
        "policy.name-not-checked", "Where a wrong name is let through, the verdict says so.", severity: .warning, .none,
        remedy: "Have the certificate issued for this name, and do not allow invalid certificates.",
        source: "AFNetworking: AFSecurityPolicy")
    static let anythingAccepted = Rule(
        "policy.invalid-accepted", "Where an invalid chain is let through, the verdict says so.", severity: .warning,
        .none, remedy: "Pin the server's certificate, or have it issued by a trusted authority.",
        source: "AFNetworking: AFSecurityPolicy")
    static let pinnedButUntrusted = Rule(
        "policy.pinned-but-untrusted", "A pinned private authority is also an anchor.", severity: .note, .none,
        remedy: "Add the private authority as an anchor, or let the pins alone decide "
            + "(allowInvalidCertificates: the pins still hold).",
        source: "AFNetworking: AFSecurityPolicy, evaluateServerTrust:forDomain:")

    static let weakAnyCertificate = Rule(
        "policy.weak.any-certificate", "A policy does not accept any certificate of anybody.", severity: .warning,
        .none,
        remedy: "Pin the server's certificate or key; that works for self-signed certificates too.",
        source: "Belay: policy weaknesses")
    static let weakNoName = Rule(
        "policy.weak.no-name", "A policy compares the name.", severity: .warning, .none,
        remedy: "Switch validatesDomainName on; to connect by address, expect the name that the certificate has.",
        source: "Belay: policy weaknesses; RFC 9525, section 6")
    static let weakNoDates = Rule(
        "policy.weak.invalid-allowed", "A policy demands a valid chain.", severity: .warning, .none,
        remedy: "Trust the private authority as an anchor instead of allowing invalid certificates.",
        source: "Belay: policy weaknesses")
    static let weakSinglePin = Rule(
        "policy.weak.single-pin", "A policy that pins has a pin in reserve.", severity: .note, .none,
        remedy: "Pin a second key that is kept offline, so that a lost or stolen key does not lock the app out.",
        source: "RFC 7469, section 4.3")
    static let pinOnPublicSuffix = Rule(
        "pin.public-suffix", "Pins do not cover a public suffix.", .deny,
        remedy: "Name your own host exactly, for example myapp.azurewebsites.net.",
        source: "publicsuffix.org; Belay: host patterns")

    static let policyCatalogue: [Rule] = [
        .pinMismatch, .pinOnPublicSuffix, .emptyPinSet, .unusableKeys, .contradiction, .unusedPins, .nameNotChecked,
        .anythingAccepted, .pinnedButUntrusted, .weakAnyCertificate, .weakNoName, .weakNoDates, .weakSinglePin,
    ]
}
