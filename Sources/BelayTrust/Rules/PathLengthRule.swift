import BelayCertificates

/// No more intermediates follow an issuer than its path length allows (RFC 5280, section 6.1.4, l–m), and no more stand
/// in the whole path than the caller allows.
struct PathLengthRule: PathRule {
    static let catalogue: [Rule] = [.pathLengthExceeded, .pathTooDeep]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard depth > 0 else { return }
        // Intermediates between this certificate and the leaf; self-issued ones (a key being replaced) do not count.
        var below = 0
        for index in 1..<depth where !path[index].isSelfIssued { below += 1 }
        if let limit = path[depth].basicConstraints.value?.pathLength, below > limit {
            let count = below
            log.report(
                .pathLengthExceeded, at: depth, of: path,
                "it allows \(limit) intermediate\(limit == 1 ? "" : "s") below it, and \(count) follow",
                expected: "at most \(limit)", found: "\(count)")
        }
        guard let maximum = context.maximumIntermediates else { return }
        let isIntermediate = !path[depth].isAnchor && !path[depth].isSelfIssued
        let count = below + (isIntermediate ? 1 : 0)
        if count > maximum {
            log.report(
                .pathTooDeep, at: depth, of: path,
                "\(count) intermediates stand between the leaf and the anchor, and the caller allows \(maximum)",
                expected: "at most \(maximum)", found: "\(count)")
        }
    }
}

extension Rule {
    static let pathLengthExceeded = Rule(
        "ca.path-length", "No more intermediates follow an authority than its path length constraint allows.", .fatal,
        remedy: "Have the intermediate issued by an authority that may have authorities below it.",
        source: "RFC 5280, sections 4.2.1.9 and 6.1.4 (l, m)")
    static let pathTooDeep = Rule(
        "path.too-deep", "A path has no more intermediates than the caller allows.", .fatal,
        remedy: "Allow a greater depth, or use a shorter chain.", source: "Belay: maxChainDepth")
}
