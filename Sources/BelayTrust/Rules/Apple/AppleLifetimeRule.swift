import BelayCertificates

/// A server's certificate is not valid for longer than Apple's systems accept, which depends on when it was issued and on
/// whether the anchor came with the system (Apple: support.apple.com/103769 and 102028).
///
/// A leaf that is itself the anchor is exempt. Limits that the CA/Browser Forum has announced for public authorities are
/// reported as warnings.
struct AppleLifetimeRule: PathRule {
    static let catalogue: [Rule] = [.appleLifetime, .announcedLifetime]

    private static let day: Int64 = 86_400
    /// 825 days and the hour that Apple's systems allow beside them.
    private static let longest = Limit(since: AppleServerRule.firstOfJuly2019, days: 825, seconds: 825 * day + 3_600)
    /// Under shipped anchors, newest first: since 2020-09-01 and 2018-03-01.
    private static let shipped = [
        Limit(since: 1_598_918_400, days: 398, seconds: 398 * day),
        Limit(since: 1_519_862_400, days: 825, seconds: 825 * day + 3_600),
    ]
    /// Ballot SC-081v3, newest first: since 2029-03-15, 2027-03-15 and 2026-03-15.
    private static let announced = [
        Limit(since: 1_868_227_200, days: 47, seconds: 47 * day),
        Limit(since: 1_805_068_800, days: 100, seconds: 100 * day),
        Limit(since: 1_773_532_800, days: 200, seconds: 200 * day),
    ]

    private struct Limit {
        let since: Int64
        let days: Int
        let seconds: Int64
    }

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard context.purposes.contains(.serverAuthentication), !path[0].isAnchor else { return }
        let validity = path[0].certificate.validity
        if depth == 0, let limit = Self.exceeded([Self.longest], validity) {
            report(.appleLifetime, limit, validity, "", path, &log)
        }
        guard depth > 0, path[depth].isShippedAnchor else { return }
        if let limit = Self.exceeded(Self.shipped, validity) {
            report(.appleLifetime, limit, validity, " under an anchor that comes with the system", path, &log)
        } else if let limit = Self.exceeded(Self.announced, validity) {
            report(.announcedLifetime, limit, validity, " by the rules for public authorities", path, &log)
        }
    }

    /// The limit that was in force when the certificate was issued, if its validity is longer.
    private static func exceeded(_ limits: [Limit], _ validity: Validity) -> Limit? {
        guard let limit = limits.first(where: { validity.notBeforeSeconds >= $0.since }) else { return nil }
        return validity.notAfterSeconds - validity.notBeforeSeconds > limit.seconds ? limit : nil
    }

    private func report(
        _ rule: Rule, _ limit: Limit, _ validity: Validity, _ circumstance: String, _ path: [PathCertificate],
        _ log: inout FindingLog
    ) {
        let seconds = validity.notAfterSeconds - validity.notBeforeSeconds
        let days = (seconds + Self.day - 1) / Self.day
        log.report(
            rule, at: 0, of: path, "it is valid for \(days) days, and \(limit.days) are allowed\(circumstance)",
            expected: "at most \(limit.days) days", found: "\(days) days")
    }
}

extension Rule {
    static let appleLifetime = Rule(
        "apple.lifetime", "A server's certificate is not valid for longer than Apple's systems accept.", .recoverable,
        remedy: "Have the certificate issued for a shorter time: 398 days by a public authority, 825 by your own.",
        source: "Apple: support.apple.com/103769 and support.apple.com/102028")
    static let announcedLifetime = Rule(
        "apple.lifetime-announced", "A public certificate keeps to the lifetimes announced for its date of issue.",
        severity: .warning, .none, remedy: "Renew by machine: lifetimes shrink to 47 days by 2029.",
        source: "CA/Browser Forum ballot SC-081v3")
}
