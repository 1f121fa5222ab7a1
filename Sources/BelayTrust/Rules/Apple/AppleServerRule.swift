import BelayCertificates

/// A server's certificate says that it is for servers, and its names are ones that Apple's systems look at
/// (Apple: Requirements for trusted certificates in iOS 13 and macOS 10.15).
struct AppleServerRule: PathRule {
    static let catalogue: [Rule] = [.appleServerPurpose, .appleWildcard]

    /// 2019-07-01T00:00:00Z: certificates issued from then on are held to the requirements.
    static let firstOfJuly2019: Int64 = 1_561_939_200

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard context.purposes.contains(.serverAuthentication) else { return }
        let leaf = path[0]
        if depth == 0 {
            for case .dns(let name) in leaf.alternativeNames.value ?? []
            where name.hasPrefix("*.") && !name.dropFirst(2).contains(".") {
                log.report(
                    .appleWildcard, at: 0, of: path,
                    "its name '\(printable(name))' is a wildcard directly under a top-level domain",
                    expected: "no such wildcard beside the names that are used", found: printable(name))
            }
        }
        let purposes = leaf.extendedKeyUsage
        let isSilent = if case .absent = purposes { true } else { false }
        // "Any purpose" is not what the requirement says either.
        let isVague =
            purposes.value.map {
                $0.purposes.contains(.anyExtendedKeyUsage) && !$0.purposes.contains(.serverAuthentication)
            } ?? false
        guard !(depth == 0 && leaf.isAnchor), isSilent || isVague else { return }
        // Under a root that came with the system the purpose was always demanded; under others since 2019.
        let isUnderShippedAnchor = depth > 0 && path[depth].isShippedAnchor
        let isRecent = leaf.certificate.validity.notBeforeSeconds >= Self.firstOfJuly2019
        if depth == 0 && isRecent || isUnderShippedAnchor && !isRecent {
            log.report(
                .appleServerPurpose, at: 0, of: path, "it does not say that it is for TLS servers",
                expected: "extended key usage serverAuth",
                found: isVague ? "any purpose (anyExtendedKeyUsage)" : "no extended key usage")
        }
    }
}

extension Rule {
    static let appleServerPurpose = Rule(
        "apple.eku", "A server's certificate issued since July 2019 has the extended key usage serverAuth.",
        .recoverable,
        remedy: "Have the certificate issued with the extended key usage serverAuth.",
        source: "Apple: support.apple.com/103769")
    static let appleWildcard = Rule(
        "apple.wildcard", "No name is a wildcard directly under a top-level domain.", severity: .warning, .none,
        remedy: "Have the certificate issued without the wildcard; Apple's systems are reported to refuse it.",
        source: "Apple: support.apple.com/103769; reports of refused certificates")
}
