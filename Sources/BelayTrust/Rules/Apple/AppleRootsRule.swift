import BelayCertificates

/// Says what this set cannot: whether Apple's systems know the anchor.
struct AppleRootsRule: PathRule {
    static let catalogue: [Rule] = [.otherRoots]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard depth == 0 else { return }
        log.report(
            .otherRoots, at: 0, of: path,
            "judged by Apple's published rules, against anchors of this machine: Apple's systems have a root store and "
                + "Certificate Transparency checks of their own")
    }
}

extension Rule {
    static let otherRoots = Rule(
        "apple.other-roots", "A verdict by Apple's rules says that the anchors are not Apple's.", severity: .note,
        .none,
        remedy: "Compare the anchor with Apple's list of trusted roots, or try it on a device.",
        source: "Apple: support.apple.com/103272")
}
