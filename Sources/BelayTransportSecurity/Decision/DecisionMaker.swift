import BelayCertificates
import BelayTrust

/// Makes one decision: the order of Apple's published engine (SecProtocolConfiguration.m), and that of the documentation for systems
/// before it.
struct DecisionMaker {
    let configuration: TransportSecurityConfiguration
    let url: TransportSecurityURL
    let context: TransportSecurityContext
    let rules: SystemRules
    let face: TransportSecurityFace
    /// What was looked at; only where it is wanted.
    var steps: [TransportSecurityExplanation.Step]?
    private var decidedBy: [[String]] = []
    private var caveats: [TransportSecurityDecision.Caveat] = []

    init(
        _ configuration: TransportSecurityConfiguration, _ url: TransportSecurityURL,
        _ context: TransportSecurityContext,
        _ rules: SystemRules, _ face: TransportSecurityFace, explaining: Bool = false
    ) {
        self.configuration = configuration
        self.url = url
        self.context = context
        self.rules = rules
        self.face = face
        steps = explaining ? [] : nil
    }

    mutating func decide() -> TransportSecurityDecision {
        if face == .enforcement, configuration.isMalformed {
            return decision(.malformed, .all, requiresHTTPS: true, isTrustRelaxed: false)
        }
        guard rules.hasTransportSecurity else {
            look([], "the app was linked before App Transport Security: none of its keys is looked at")
            return decision(.absent, .none, requiresHTTPS: false, isTrustRelaxed: true)
        }
        if let (entry, depth) = exception() { return decision(by: entry, depth) }
        let basis = withoutException()
        let isOpen =
            switch basis {
            case .local, .webContent, .media, .arbitraryLoads: true
            default: false
            }
        return decision(basis, isOpen ? .none : .all, requiresHTTPS: !isOpen, isTrustRelaxed: isOpen)
    }

    // MARK: NSExceptionDomains

    /// The entry for the host, and how many labels the host has more than its key.
    private mutating func exception() -> (ExceptionDomain, Int)? {
        let path = [TransportSecurityKey.exceptionDomains]
        if let address = url.address {
            guard rules.judgesAddresses else {
                look(path, "the host is an address, which no entry can be for before iOS 17 and macOS 14")
                return nil
            }
            // Compared as text, and before any block.
            if let entry = configuration.exceptionDomains.entry(url.host) {
                look(path + [entry.key], "an entry for exactly this address")
                return (entry, 0)
            }
            if let entry = configuration.exceptionDomains.entry(around: address) {
                look(path + [entry.key], "the smallest block that the address is in")
                return (entry, 0)
            }
            look(path + [url.host], "no entry, and no block around it")
            return nil
        }
        guard !url.host.isEmpty else { return nil }
        if let entry = configuration.exceptionDomains.entry(url.host) {
            look(path + [entry.key], entry.isBuiltIn ? "an entry that every app has" : "an entry for exactly this host")
            return (entry, 0)
        }
        look(path + [url.host], "no entry")
        var rest = url.host[...]
        var depth = 0
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            depth += 1
            guard !rest.isEmpty else { break }
            guard let entry = configuration.exceptionDomains.entry(rest) else {
                look(path + [String(rest)], "no entry")
                continue
            }
            guard entry.coversSubdomains else {
                // It is passed over, and does not end the search.
                look(path + [entry.key], "an entry without NSIncludesSubdomains: passed over")
                continue
            }
            look(
                path + [entry.key, TransportSecurityKey.includesSubdomains],
                entry.isBuiltIn ? "an entry that every app has, with subdomains" : "an entry with subdomains")
            return (entry, depth)
        }
        return nil
    }

    private mutating func decision(by entry: ExceptionDomain, _ depth: Int) -> TransportSecurityDecision {
        let path = [TransportSecurityKey.exceptionDomains, entry.key]
        if !entry.isBuiltIn {
            decided(path)
            if depth > 0 { decided(path + [TransportSecurityKey.includesSubdomains]) }
        }
        let legacy = !rules.isPublishedEngine
        let allowsHTTP = value(entry.allowsInsecureHTTPLoads.effective(readingLegacy: legacy), path, entry) ?? false
        let version = value(entry.minimumTLSVersion.effective(readingLegacy: legacy), path, entry) ?? .tls12
        let demandsSecrecy = value(entry.requiresForwardSecrecy.effective(readingLegacy: legacy), path, entry) ?? true
        var demandsTransparency = false
        if !rules.isPublishedEngine {
            demandsTransparency = value(entry.requiresCertificateTransparency, path, entry) ?? false
        }
        noteCaveats(of: entry, depth)
        let demands = TransportSecurityDecision.TLSDemands(
            minimumVersion: version, requiresForwardSecrecy: demandsSecrecy,
            suites: demandsSecrecy ? .ats : allowsHTTP ? .any : .atsCompatibility,
            limitsKeySizes: demandsSecrecy && !allowsHTTP, limitsHashes: !allowsHTTP)
        return decision(
            .exception(entry, depth: depth), demands, requiresHTTPS: !allowsHTTP, isTrustRelaxed: allowsHTTP,
            demandsTransparency: demandsTransparency, entry: entry)
    }

    /// The value of a setting of an entry, noted as looked at and, where it counts, as one that decided.
    private mutating func value<Value>(
        _ setting: ExceptionSetting<Value>?, _ path: [String], _ entry: ExceptionDomain
    ) -> Value? {
        guard let setting else { return nil }
        guard let value = setting.value else {
            look(path + [setting.key], "no value that counts: the default holds")
            return nil
        }
        look(path + [setting.key], "\(value)")
        if !entry.isBuiltIn { decided(path + [setting.key]) }
        return value
    }

    private mutating func noteCaveats(of entry: ExceptionDomain, _ depth: Int) {
        if depth > 1, !entry.isBuiltIn { caveats.append(.deepSubdomain(documented: rules.isPublishedEngine)) }
        if entry.isBuiltIn, !rules.isPublishedEngine { caveats.append(.builtInUndocumented) }
        let legacy = [
            entry.allowsInsecureHTTPLoads.legacyAlone, entry.minimumTLSVersion.legacyAlone,
            entry.requiresForwardSecrecy.legacyAlone,
        ].compactMap(\.self)
        guard !legacy.isEmpty else { return }
        caveats.append(rules.isPublishedEngine ? .legacyUnread(legacy) : .legacyRead)
    }

    // MARK: Everything else

    private mutating func withoutException() -> TransportSecurityDecision.Basis {
        guard rules.exemptsLocalDestinations else { return arbitraryLoads(overruledBy: []) }
        if isLocal {
            let allows = look(TransportSecurityKey.localNetworking, configuration.allowsLocalNetworking)
            if allows != false {
                if allows != nil { decided([TransportSecurityKey.localNetworking]) }
                return .local(isAddress: url.address != nil)
            }
            decided([TransportSecurityKey.localNetworking])
            return .localDenied
        }
        if url.address?.isPrivate == true { caveats.append(.privateAddress) }
        if url.address != nil, configuration.allowsLocalNetworking == true {
            caveats.append(.localNetworkingIsNoAddressKey)
        }
        if context == .media,
            look(TransportSecurityKey.arbitraryLoadsForMedia, configuration.allowsArbitraryLoadsForMedia) == true
        {
            decided([TransportSecurityKey.arbitraryLoadsForMedia])
            return .media
        }
        if context == .web,
            look(TransportSecurityKey.arbitraryLoadsInWebContent, configuration.allowsArbitraryLoadsInWebContent)
                == true
        {
            decided([TransportSecurityKey.arbitraryLoadsInWebContent])
            return .webContent
        }
        let newer = [
            (TransportSecurityKey.arbitraryLoadsForMedia, configuration.allowsArbitraryLoadsForMedia),
            (TransportSecurityKey.arbitraryLoadsInWebContent, configuration.allowsArbitraryLoadsInWebContent),
            (TransportSecurityKey.localNetworking, configuration.allowsLocalNetworking),
        ]
        return arbitraryLoads(overruledBy: newer.filter { $0.1 != nil }.map(\.0))
    }

    private mutating func arbitraryLoads(overruledBy newer: [String]) -> TransportSecurityDecision.Basis {
        if !newer.isEmpty {
            for key in newer { look([key], "it is there: NSAllowsArbitraryLoads is ignored") }
            guard configuration.allowsArbitraryLoads == true else { return .required }
            for key in newer { decided([key]) }
            return .arbitraryLoadsIgnored(newer)
        }
        guard look(TransportSecurityKey.arbitraryLoads, configuration.allowsArbitraryLoads) == true else {
            return .required
        }
        decided([TransportSecurityKey.arbitraryLoads])
        return .arbitraryLoads
    }

    private var isLocal: Bool {
        guard let address = url.address else {
            // Who enforces must not let a name through that is an address in disguise.
            return url.isLocalName && !(face == .enforcement && url.isHistoricAddress)
        }
        return !rules.judgesAddresses || address.staysOnLink || context == .localNetworking
    }

    // MARK: Pins, packages, and what they make of it

    private mutating func decision(
        _ basis: TransportSecurityDecision.Basis, _ demands: TransportSecurityDecision.TLSDemands, requiresHTTPS: Bool,
        isTrustRelaxed: Bool, demandsTransparency: Bool = false, entry: ExceptionDomain? = nil
    ) -> TransportSecurityDecision {
        let pins = pins()
        let package = package(entry)
        let isBlocked = url.isCleartext && requiresHTTPS
        let isMalformed = basis == .malformed
        if url.isHistoricAddress, url.isLocalName { caveats.append(.historicAddress) }
        if !url.isSecure, !url.isCleartext { caveats.append(.otherScheme(url.scheme)) }
        if package != nil { caveats.append(.package) }
        return TransportSecurityDecision(
            isAllowed: !isMalformed && !isBlocked && !(url.isSecure && pins?.isUnsatisfiable == true),
            errorCode: isBlocked ? -1_022 : nil, requiresHTTPS: requiresHTTPS, demands: demands,
            requiresCertificateTransparency: demandsTransparency,
            systemRequiresCertificateTransparency: rules.requiresTransparency, isTrustRelaxed: isTrustRelaxed,
            matched: entry?.key, pins: pins, niapPackage: package, decidedBy: decidedBy,
            malformations: isMalformed ? configuration.findings.filter { $0.severity == .error } : [], basis: basis,
            caveats: caveats)
    }

    private mutating func pins() -> PinnedIdentities? {
        guard rules.pinsDomains else { return nil }
        let entries = configuration.pinnedDomains.entries(for: url.host)
        guard let first = entries.first else { return nil }
        var pins = first.identities
        for entry in entries.dropFirst() { pins = pins.united(with: entry.identities) }
        for entry in entries {
            let path = [TransportSecurityKey.pinnedDomains, entry.key]
            look(path, "the host is pinned")
            decided(path)
        }
        return pins
    }

    private mutating func package(_ entry: ExceptionDomain?) -> NIAPPackage? {
        guard rules.readsPackages else { return nil }
        if let entry, let package = entry.niapPackage?.value {
            let path = [TransportSecurityKey.exceptionDomains, entry.key, TransportSecurityKey.exceptionNIAPPackage]
            look(path, package.rawValue)
            decided(path)
            return package == NIAPPackage.none ? nil : package
        }
        guard let package = configuration.niapPackage else { return nil }
        look([TransportSecurityKey.niapPackage], package.rawValue)
        guard package != NIAPPackage.none else { return nil }
        decided([TransportSecurityKey.niapPackage])
        return package
    }

    // MARK: Notes

    private mutating func decided(_ path: [String]) { decidedBy.append(configuration.keyPath + path) }

    /// Notes what was seen; the text is made only where somebody will read it.
    private mutating func look(_ path: [String], _ outcome: @autoclosure () -> String) {
        guard steps != nil else { return }
        steps?.append(TransportSecurityExplanation.Step(keyPath: configuration.keyPath + path, outcome: outcome()))
    }

    private mutating func look(_ key: String, _ value: Bool?) -> Bool? {
        look([key], value.map { $0 ? "true" : "false" } ?? "not there")
        return value
    }
}

extension RenamedSetting {
    /// The old spelling, where it is used alone.
    fileprivate var legacyAlone: String? { current == nil ? legacy?.key : nil }
}
