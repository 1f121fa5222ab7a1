import BelayCertificates

/// No certificate of the path is on a revocation list that the caller gave (RFC 5280, section 6.3).
///
/// It acts only where lists were given or are required. A certificate that no list covers is reported as a warning: the
/// caller chose which lists to give; where lists are required for every certificate, it refuses. A list that covers a
/// certificate but cannot be relied on refuses in any case, since it might say "revoked".
struct RevocationRule: PathRule {
    static let catalogue: [Rule] = [.revoked, .listUnusable, .listStale, .listUnsupported, .noList, .listMissing]

    /// Lists have signatures of their own, and may be long.
    var isCostly: Bool { true }

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard depth > 0, !context.revocationLists.isEmpty || context.requiresRevocationLists else { return }
        let child = path[depth - 1]
        let issuer = path[depth]
        let lists = context.revocationLists.enumerated().filter { _, list in
            list.issuer == child.issuer && Self.isInScope(list, child)
        }
        guard !lists.isEmpty else {
            let count = context.revocationLists.count
            log.report(
                context.requiresRevocationLists ? .listMissing : .noList, at: depth - 1, of: path,
                count == 0 ? "no revocation list was given for it" : "none of the given revocation lists covers it",
                expected: "a list of \(child.issuer)",
                found: count == 0 ? "no list" : "\(count) list\(count == 1 ? "" : "s") of others")
            return
        }
        var coveredReasons: UInt16 = 0
        var faults: [(Rule, String, String)] = []
        for (number, list) in lists {
            let fault = Self.fault(of: list, number, issuer: issuer, context)
            // A genuine list that is out of date no longer says who is good; whom it revokes stays revoked, but for a hold,
            // which may have been lifted since.
            let isOnlyStale = fault?.0 == .listStale
            if fault == nil || isOnlyStale,
                let entry = context.revocationListTable.entry(number, list, for: child),
                entry.reason != .removeFromList,
                fault == nil || entry.reason != .certificateHold
            {
                let reason = entry.reason.map { ": \($0)" } ?? ""
                log.report(
                    .revoked, at: depth - 1, of: path,
                    "its authority revoked it on \(CivilTime.text(entry.seconds))\(reason)",
                    expected: "not on the authority's revocation list",
                    found: "serial number \(hexadecimal(child.certificate.serialNumber)) is listed")
                return
            }
            if let fault {
                faults.append(fault)
            } else {
                coveredReasons |= list.scope?.reasons ?? Self.allReasons
            }
        }
        guard coveredReasons & Self.allReasons != Self.allReasons else { return }
        for (rule, message, found) in faults {
            log.report(rule, at: depth - 1, of: path, message, expected: "a list that can be relied on", found: found)
        }
        if faults.isEmpty {
            log.report(
                .listUnsupported, at: depth - 1, of: path,
                "the given lists cover only some reasons of revocation",
                expected: "lists for all reasons", found: "lists for some reasons")
        }
    }

    /// The named bits 1 to 8 of ReasonFlags (RFC 5280, section 4.2.1.13): lists for some reasons each are as good as one for
    /// all when together they have them all (section 6.3.3, d and l).
    private static let allReasons: UInt16 = 0x7F80

    /// Why a list cannot be relied on; nil where it can.
    private static func fault(
        of list: RevocationList, _ number: Int, issuer: PathCertificate, _ context: EvaluationContext
    ) -> (Rule, String, String)? {
        if list.isDelta {
            return (.listUnsupported, "its revocation list only lists changes (a delta list)", "a delta list")
        }
        if list.scope?.isIndirect == true || list.hasForeignEntries {
            return (.listUnsupported, "its revocation list also speaks for other issuers", "an indirect list")
        }
        if let identifier = list.unhandledCriticalExtensions.first {
            return (
                .listUnsupported, "its revocation list has a critical extension that is not understood",
                identifier.description
            )
        }
        if let usage = issuer.keyUsage.value, !usage.contains(.cRLSign) {
            return (
                .listUnusable, "the key of its issuer may not sign revocation lists", "key usage \(usage)"
            )
        }
        if let hash = list.signatureAlgorithm.hash, !hash.isCollisionResistant {
            return (.listUnusable, "its revocation list is signed with \(hash.rawValue)", hash.rawValue)
        }
        switch context.revocationListTable.isSigned(number, list, by: issuer, in: context) {
        case true?: break
        case false?: return (.listUnusable, "the signature of its revocation list is not good", "a bad signature")
        case nil:
            return (
                .listUnusable, "the signature of its revocation list was not checked: too many others were",
                "a spent budget"
            )
        }
        if context.time < list.thisUpdateSeconds {
            let start = CivilTime.text(list.thisUpdateSeconds)
            return (.listStale, "its revocation list is from the future", "issued \(start)")
        }
        guard let next = list.nextUpdateSeconds else {
            return (.listStale, "its revocation list does not say until when it is current", "no next update")
        }
        if context.time > next {
            return (.listStale, "its revocation list is out of date", "next update was due \(CivilTime.text(next))")
        }
        return nil
    }

    /// Whether a list is about a certificate at all (RFC 5280, section 6.3.3, b.2).
    private static func isInScope(_ list: RevocationList, _ child: PathCertificate) -> Bool {
        guard let scope = list.scope else { return true }
        if scope.coversOnlyAttributeCertificates { return false }
        let isAuthority = child.basicConstraints.value?.isAuthority ?? false
        if scope.coversOnlyLeaves && isAuthority || scope.coversOnlyAuthorities && !isAuthority { return false }
        guard !scope.names.isEmpty else { return true }
        // A list of one of several distribution points is about those certificates that name this point.
        guard let points = try? child.certificate.revocationListDistributionPoints else { return true }
        return points.contains { point in point.names.contains { scope.names.contains($0) } }
    }
}

extension Rule {
    static let revoked = Rule(
        "revocation.revoked", "No certificate of a path is revoked.", .fatal,
        remedy: "Replace the certificate. If its key was compromised, do not reuse the key.",
        source: "RFC 5280, section 6.3")
    static let listUnusable = Rule(
        "revocation.list-invalid", "A revocation list is signed by the issuer whose certificates it lists.", .fatal,
        remedy: "Fetch the list again from the authority.", source: "RFC 5280, section 6.3.3")
    static let listStale = Rule(
        "revocation.list-stale", "A revocation list is current at the moment judged.", .recoverable,
        remedy: "Fetch the current list from the authority.", source: "RFC 5280, sections 5.1.2.4 and 5.1.2.5")
    static let listUnsupported = Rule(
        "revocation.list-unsupported", "Revocation lists are complete lists of one issuer.", .recoverable,
        remedy: "Give the authority's full list; delta and indirect lists are not supported.",
        source: "RFC 5280, sections 5.2.4 and 5.2.5")
    static let listMissing = Rule(
        "revocation.list-missing", "Where lists are required, each certificate is covered by one.", .recoverable,
        remedy: "Give the list of this issuer too, or do not require lists.", source: "RFC 5280, section 6.3")
    static let noList = Rule(
        "revocation.no-list", "Each certificate is covered by one of the lists that were given.", severity: .warning,
        .none, remedy: "Give the list of this issuer too.", source: "RFC 5280, section 6.3")
}
