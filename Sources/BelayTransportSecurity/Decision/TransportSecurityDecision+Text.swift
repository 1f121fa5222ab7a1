import BelayCertificates
import BelayTrust

extension TransportSecurityDecision {
    /// Why, in a sentence or a few.
    public var why: String { ([reason] + pinText + caveats.map(\.text)).joined(separator: " ") }

    private var reason: String {
        switch basis {
        case .malformed:
            "The configuration is malformed, and nothing is allowed until its errors are corrected."
        case .absent:
            "The app was linked before there was App Transport Security, which is off for it."
        case .exception(let entry, let depth): text(of: entry, depth)
        case .local(let isAddress):
            isAddress
                ? "The address is exempt as a local destination." : "The host is exempt as a local destination."
        case .webContent: "NSAllowsArbitraryLoadsInWebContent opens the content of web views."
        case .media: "NSAllowsArbitraryLoadsForMedia opens media."
        case .arbitraryLoads: "NSAllowsArbitraryLoads switches App Transport Security off for hosts without an entry."
        case .arbitraryLoadsIgnored(let keys):
            "NSAllowsArbitraryLoads is ignored because \(keys.joined(separator: " and ")) \(keys.count == 1 ? "is" : "are") there; "
                + "App Transport Security holds."
        case .required: "No key makes an exception; App Transport Security holds."
        case .localDenied: "NSAllowsLocalNetworking is NO, which removes the exemption of local destinations."
        }
    }

    private func text(of entry: ExceptionDomain, _ depth: Int) -> String {
        let whose =
            entry.isBuiltIn ? "the entry '\(entry.key)' that every app has" : "the entry '\(printable(entry.key))'"
        let relation =
            depth == 0 ? "" : depth == 1 ? ", which includes subdomains," : ", which includes subdomains of any depth,"
        var effects = [requiresHTTPS ? "requires HTTPS" : "allows HTTP"]
        if let version = demands.minimumVersion, version != .tls12 {
            effects.append("sets \(version) as the oldest version")
        }
        if !demands.requiresForwardSecrecy { effects.append("does without forward secrecy") }
        if requiresCertificateTransparency { effects.append("demands Certificate Transparency") }
        let last = effects.removeLast()
        let list = effects.isEmpty ? last : effects.joined(separator: ", ") + " and " + last
        return "For this host \(whose)\(relation) \(list); keys outside the entry do not count."
    }

    private var pinText: [String] {
        guard let pins else { return [] }
        if pins.isUnsatisfiable {
            return ["NSPinnedDomains pins the host to nothing: every TLS connection to it fails."]
        }
        let lists = [pins.leaf.map { _ in "leaf" }, pins.authority.map { _ in "authority" }].compactMap(\.self)
        return ["NSPinnedDomains pins the host (\(lists.joined(separator: " and "))); no delegate can overrule that."]
    }
}

extension TransportSecurityDecision.Caveat {
    fileprivate var text: String {
        switch self {
        case .deepSubdomain(true): "The documentation guarantees one level of subdomains only."
        case .deepSubdomain(false): "Deeper levels of subdomains are undocumented before iOS 18.4."
        case .legacyUnread(let keys):
            "Old spellings in the entry (\(keys.joined(separator: ", "))) are no longer read; verify on a device."
        case .legacyRead: "Old spellings in the entry count up to iOS 18.3 and macOS 15.3 only."
        case .privateAddress:
            "Whether a private address is local depends on the route: here it is taken to be behind a router; on the device's own "
                + "network it is exempt."
        case .historicAddress:
            "Resolvers read such a name as an address, so that it leads elsewhere than its form says."
        case .otherScheme(let scheme): "The rules are about http and ws; they say nothing about \(printable(scheme))."
        case .localNetworkingIsNoAddressKey:
            "NSAllowsLocalNetworking does not open external addresses, although its documentation can be read so."
        case .builtInUndocumented: "The built-in entries are not documented before iOS 18.4."
        case .package: "A NIAP package tightens TLS further."
        }
    }
}
