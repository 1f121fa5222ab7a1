import BelayTransportSecurity
import BelayTrust

extension LintRun {
    /// The keys for the whole app.
    mutating func checkGlobalKeys() {
        checkArbitraryLoads()
        checkContexts()
        checkLocalNetworking()
        if configuration.niapPackage == NIAPPackage.none {
            note(
                .equalsDefault, [TransportSecurityKey.niapPackage],
                "NSRequiresNIAPTLSPackageVersion is none, which is the default", meaning: "It changes no connection.")
        }
        for key in [TransportSecurityKey.exceptionDomains, TransportSecurityKey.pinnedDomains] {
            guard let member = members([]).last(where: { $0.key == key }), member.node.members?.isEmpty == true else {
                continue
            }
            note(
                .emptyDictionary, [key], member.keyPosition, "\(key) is empty",
                meaning: "It changes no connection.")
        }
    }

    private mutating func checkArbitraryLoads() {
        let key = TransportSecurityKey.arbitraryLoads
        guard let allows = configuration.allowsArbitraryLoads else { return }
        guard allows else {
            let isAlone = members([]).count == 1
            note(
                .equalsDefault, [key],
                "NSAllowsArbitraryLoads is false, which is the default"
                    + (isAlone ? "; the whole dictionary can be removed" : ""),
                meaning: "It changes no connection.")
            return
        }
        guard !newerKeys.isEmpty else {
            note(
                .arbitraryLoads, [key],
                "NSAllowsArbitraryLoads switches App Transport Security off for every host without an entry of its own; App Review wants a justification",
                meaning:
                    "Cleartext HTTP, old versions of TLS and suites without forward secrecy are allowed everywhere; "
                    + "certificates are still checked.")
            return
        }
        let names = newerKeys.joined(separator: " and ")
        let isFirstSystems = deployment?.includesFirstSystems ?? false
        note(
            .arbitraryLoadsIgnored, [key],
            "NSAllowsArbitraryLoads is ignored since iOS 10 and macOS 10.12, because \(names) \(newerKeys.count > 1 ? "are" : "is") present, whatever the value; only iOS 9 and macOS 10.11 see it",
            meaning: isFirstSystems
                ? "On iOS 9 and macOS 10.11 everything is allowed; on all later systems HTTPS is required as if the key were not there."
                : "HTTPS is required of every host without an exception, as if the key were not there.")
        noteReview([key], nil, "although systems of today ignore it")
    }

    private mutating func checkContexts() {
        let contexts: [(String, Bool?, Rule, String, String)] = [
            (
                TransportSecurityKey.arbitraryLoadsForMedia, configuration.allowsArbitraryLoadsForMedia, .mediaLoads,
                "media that AV Foundation loads", "Media may come over cleartext HTTP from any host without an entry."
            ),
            (
                TransportSecurityKey.arbitraryLoadsInWebContent, configuration.allowsArbitraryLoadsInWebContent,
                .webContent, "web content", "Web views may load cleartext HTTP from any host without an entry."
            ),
        ]
        for (key, value, rule, what, meaning) in contexts {
            guard let value else { continue }
            if value {
                note(
                    rule, [key],
                    "\(key) switches App Transport Security off for \(what); App Review wants a justification",
                    meaning: meaning)
            } else {
                note(
                    .equalsDefault, [key], "\(key) is false, which is the default",
                    meaning: "It changes no connection by its value; its presence makes NSAllowsArbitraryLoads ignored."
                )
            }
        }
    }

    private mutating func checkLocalNetworking() {
        let key = TransportSecurityKey.localNetworking
        switch configuration.allowsLocalNetworking {
        case true?:
            note(
                .localNetworking, [key],
                "local hosts are exempt by default since iOS 10 and macOS 10.12; App Review wants no justification",
                meaning:
                    "localhost, names without a dot, .local and addresses on the link may be reached over HTTP, as without it."
            )
        case false?:
            note(
                .localDenied, [key],
                "NSAllowsLocalNetworking is false, which removes the exemption of local destinations",
                meaning: "Even localhost and .local hosts need HTTPS on systems of today.")
        case nil: break
        }
    }
}
