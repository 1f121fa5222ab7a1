/// Every rule that Belay reports findings of.
public enum RuleCatalogue {
    /// The rules of the trust layer: chains, names, policies and connections, sorted by identifier.
    public static let all: [Rule] = {
        var rules = Array(Set(RuleSet.all.flatMap(\.rules).flatMap { type(of: $0).catalogue }))
        rules += searchRules + Rule.policyCatalogue + Rule.connectionCatalogue + Rule.refusalCatalogue
        rules += Rule.anchorCatalogue + Rule.cleartextCatalogue + Rule.identityCatalogue
        return rules.sorted { $0.identifier < $1.identifier }
    }()

    /// The rule with an identifier.
    public static func rule(_ identifier: String) -> Rule? {
        all.first { $0.identifier == identifier }
    }

    private static let searchRules: [Rule] = [
        .noChain, .tooManyCertificates, .certificateTooLarge, .malformedCertificate, .badSignature, .unknownAnchor,
        .issuerNotSent, .budgetExceeded, .disorder, .extraCertificate, .alternativePath,
        .leafNotFirst,
    ]
}
