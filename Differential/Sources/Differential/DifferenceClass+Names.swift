extension DifferenceClass {
    /// Names, and constraints on them.
    static let names = [
        DifferenceClass(
            "constraint-form", [.openssl, .go, .pyca], .belay(rule: "constraints.malformed"),
            "A constraint that makes no sense (a mask with holes, a URL instead of a host) refuses what is below it. The others pass over "
                + "constraints that meet no name of their kind, or read something into them."),
        DifferenceClass(
            "underscore", [.openssl, .pyca],
            .peer(words: ["hostname mismatch", "invalid domain name", "malformed SAN"]),
            "Hosts of real services have underscores; a wildcard stands for such a label too. OpenSSL and pyca disagree.",
            where: {
                $0.host.contains("_")
                    || $0.hasName { if case .dns(let name) = $0 { name.contains("_") } else { false } }
            }),
        DifferenceClass(
            "names-that-are-no-text", [.openssl, .go],
            .peer(words: ["cannot be read", "unable to get local issuer", "hostname mismatch", "invalid RDNSequence"]),
            "A name whose octets are not what its kind of string demands is compared octet by octet and shown in hexadecimal digits: it "
                + "misleads nobody.",
            where: \.hasNameThatIsNoText),
        DifferenceClass(
            "address-form", [.go], .peer(words: ["cannot parse IP address of length"]),
            "An alternative name that is an address of 3 or 8 octets equals no host. The rule set rfc5280 refuses it.",
            where: {
                $0.hasName { if case .ipAddress(let octets) = $0 { ![4, 16].contains(octets.count) } else { false } }
            }),
        DifferenceClass(
            "wildcard-overlap", [.openssl], .belay(rule: "constraints.excluded", words: ["'DNS:*."]),
            "A wildcard stands for every name under its parent, excluded ones included. OpenSSL compares it as if `*` were a label."
        ),
        DifferenceClass(
            "unreadable-name", [.openssl, .go], .belay(rule: "constraints.excluded", words: ["'email:", "'DNS:"]),
            "A name that cannot be read might lie in an excluded subtree. OpenSSL and Go compare what there is."),
        DifferenceClass(
            "unreadable-name", [.openssl, .go],
            .belay(rule: "constraints.not-permitted", words: ["'DNS:", "'email:", "'URI:"]),
            "A name that cannot be read, a partial wildcard included, does not lie in a permitted subtree. OpenSSL and Go compare ends of "
                + "texts."),
        DifferenceClass(
            "trailing-dot", [.go], .belay(rule: "name.mismatch"),
            "A name in a certificate has no dot at the end (RFC 5280, section 4.2.1.6). Go takes it for the host written with a dot.",
            where: { $0.host.hasSuffix(".") }),
        DifferenceClass(
            "directory-constraints-ignored", [.go, .pyca],
            .belay(rule: "constraints.excluded", words: ["name 'directory:"]),
            "Go and pyca compare no directory names with constraints; those that are not critical they pass over."),
        DifferenceClass(
            "directory-constraints-ignored", [.go, .pyca],
            .belay(rule: "constraints.not-permitted", words: ["name 'directory:"]),
            "Go and pyca compare no directory names with constraints; those that are not critical they pass over."),
        DifferenceClass(
            "uri-constraint-host", [.go, .pyca], .belay(rule: "constraints.not-permitted", words: ["name 'URI:"]),
            "A URI constraint without a dot in front is one host (RFC 5280, section 4.2.1.10). Go takes hosts below it too; pyca compares "
                + "no URIs."),
        DifferenceClass(
            "uri-constraint-host", [.go], .peer(words: ["is excluded by constraint"]),
            "The same where the host is excluded.",
            where: { $0.hasConstraintAbove { if case .uri = $0 { true } else { false } } }),
        DifferenceClass(
            "uri-form", [.go], .peer(words: ["cannot be matched against constraints", "cannot parse URI"]),
            "Where no constraint is about URIs, their form decides nothing. Go reads them always, and wants a host as soon as there is any "
                + "constraint.",
            where: { !$0.hasConstraintAbove { if case .uri = $0 { true } else { false } } }),
        DifferenceClass(
            "dns-form", [.go], .peer(words: ["cannot parse dnsName"]),
            "Where no constraint is about DNS names, the form of those that are not compared with the host decides nothing.",
            where: { !$0.hasConstraintAbove { if case .dns = $0 { true } else { false } } }),
        DifferenceClass(
            "mailbox-form", [.go], .peer(words: ["cannot parse rfc822Name"]),
            "Where no constraint is about mailboxes, their form decides nothing. Go reads them as soon as there is any constraint.",
            where: { !$0.hasConstraintAbove { if case .email = $0 { true } else { false } } }),
        DifferenceClass(
            "names-of-other-kinds", [.go],
            .peer(words: ["unhandled critical extension", "signed by unknown authority"]),
            "Critical alternative names of kinds that name no host. Belay reads every kind.",
            where: { $0.hasCritical("2.5.29.17") }),
        DifferenceClass(
            "own-constraints", [.pyca],
            .peer(words: ["constraints matched SAN", "constraint matched SAN", "unsatisfiable"]),
            "Constraints hold for certificates below the authority (RFC 5280, section 6.1.3, b and c). pyca holds the authority's own names "
                + "against them.",
            where: { $0.any { (try? $0.nameConstraints) != nil && (try? $0.subjectAlternativeNames) != nil } }),
        DifferenceClass(
            "empty-constraint", [.pyca], .peer(words: ["malformed DNS name constraint", "candidates exhausted"]),
            "An empty constraint on DNS names holds for all of them.",
            where: { $0.hasConstraint { $0 == .dns("") } }),
        DifferenceClass(
            "idle-constraint", [.go],
            .peer(words: [
                "failed to parse dnsName constraint", "failed to parse URI constraint",
                "failed to parse rfc822Name constraint", "IP constraint contained", "invalid NameConstraints",
            ]),
            "A constraint in a certificate that issues nothing on the path has no effect.",
            where: {
                $0.extras.contains { (try? $0.nameConstraints) != nil } || (try? $0.path.first?.nameConstraints) != nil
            }),
    ]
}
