import BelayCertificates
import BelayTransportSecurity
import BelayTrust

extension LintRun {
    /// The entries of `NSExceptionDomains`.
    mutating func checkExceptions() {
        let entries = configuration.exceptionDomains.entries
        let index = Dictionary(entries.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        for entry in entries {
            let isReachable = !isFaulty(path(entry))
            checkSettings(entry)
            checkLegacy(entry)
            guard isReachable else { continue }
            let isAddress = checkAddress(entry)
            checkStrictness(entry, in: index, isLocal: checkLocal(entry))
            guard !isAddress else { continue }
            checkReach(entry, in: index)
        }
        checkDepth(index)
    }

    /// Pinned hosts are hosts that the app talks to: those that an entry covers deeper than is documented.
    private mutating func checkDepth(_ index: [String: ExceptionDomain]) {
        var noted: Set<String> = []
        for pinned in configuration.pinnedDomains.entries where index[pinned.key] == nil {
            guard let (entry, depth) = cover(of: pinned.key, in: index), depth > 1, let key = entry.includesSubdomains,
                noted.insert(entry.key).inserted
            else { continue }
            note(
                .deepSubdomain, path(entry, key.key), key.position,
                "\(printable(pinned.key)) is \(depth) labels below \(printable(entry.key)); Apple documents one, while the published engine covers any depth",
                meaning: "Systems of today are likely to follow the entry; it is not promised.")
        }
    }

    private func path(_ entry: ExceptionDomain, _ key: String? = nil) -> [String] {
        [TransportSecurityKey.exceptionDomains, entry.key] + (key.map { [$0] } ?? [])
    }

    // MARK: What an entry eases

    private mutating func checkSettings(_ entry: ExceptionDomain) {
        let host = printable(entry.key)
        for setting in entry.allowsInsecureHTTPLoads.all {
            let here = path(entry, setting.key)
            if setting.value == true {
                // What stays on the machine or the link is exposed to nobody; asked about it is all the same.
                guard !entry.isLocalHost else {
                    noteReview(here, setting.position, "although local hosts are exempt without it")
                    continue
                }
                note(
                    .cleartextAllowed, here, setting.position,
                    "cleartext HTTP to \(host) is allowed; App Review wants a justification",
                    meaning: "Everything that is sent to and from \(host) over HTTP can be read and changed on the way."
                )
            } else if setting.value == false, setting.key == entry.allowsInsecureHTTPLoads.current?.key {
                noteDefault(here, setting.key, "false", setting.position)
            }
        }
        for setting in entry.minimumTLSVersion.all {
            let here = path(entry, setting.key)
            guard let version = setting.value else { continue }
            if version < .tls12 {
                note(
                    .oldTLSVersion, here, setting.position,
                    "TLSv\(version == .tls10 ? "1.0" : "1.1") is allowed for \(host); App Review wants a justification",
                    meaning: "Connections to \(host) may use versions of TLS with known attacks (RFC 8996).")
            } else if version == .tls12, setting.key == entry.minimumTLSVersion.current?.key {
                noteDefault(here, setting.key, "TLSv1.2", setting.position)
            }
        }
        for setting in entry.requiresForwardSecrecy.all {
            let here = path(entry, setting.key)
            if setting.value == false {
                note(
                    .noForwardSecrecy, here, setting.position,
                    "forward secrecy is not required of \(host), and neither are the key sizes of App Transport Security",
                    meaning: "Recorded connections to \(host) can be read by whoever gets the server's key later.")
            } else if setting.value == true, setting.key == entry.requiresForwardSecrecy.current?.key {
                noteDefault(here, setting.key, "true", setting.position)
            }
        }
        if let subdomains = entry.includesSubdomains, subdomains.value == false {
            noteDefault(path(entry, subdomains.key), subdomains.key, "false", subdomains.position)
        }
        // Of an entry it is no default where the whole app has a package.
        if let package = entry.niapPackage, package.value == NIAPPackage.none, configuration.niapPackage == nil {
            noteDefault(path(entry, package.key), package.key, "none", package.position)
        }
    }

    /// A key that is asked about whatever it does.
    mutating func noteReview(_ path: [String], _ position: PlistPosition?, _ although: String) {
        note(
            .reviewJustification, path, position,
            "\(path.last ?? "") makes App Review ask for a justification, \(although)",
            meaning: "None; the app may be held up in review.")
    }

    mutating func noteDefault(_ path: [String], _ key: String, _ value: String, _ position: PlistPosition) {
        note(
            .equalsDefault, path, position, "\(key) is \(value), which equals the default",
            meaning: "It changes no connection.")
    }

    private mutating func checkLegacy(_ entry: ExceptionDomain) {
        if entry.hasLegacy, !entry.hasCurrent {
            note(
                .onlyLegacyKeys, path(entry), entry.position,
                "the entry '\(printable(entry.key))' has only keys in the spelling of 2015: from iOS 18.4 and macOS 15.4 on it is a strict entry, and takes the host even out of the exemptions for all and for local hosts",
                meaning:
                    "HTTPS with TLS 1.2 and forward secrecy is required of the host on systems of today (verify on a device)."
            )
        }
        for (current, legacy, position) in entry.contradictions {
            note(
                .overruledLegacy, path(entry, legacy), position,
                "\(legacy) says something else than \(current), which wins", meaning: "It changes no connection.")
        }
    }

    // MARK: What an entry is for

    /// Whether it is an address or a block.
    private mutating func checkAddress(_ entry: ExceptionDomain) -> Bool {
        let isBlock = entry.key.utf8.contains(UInt8(ascii: "/"))
        guard isBlock || IPAddress(entry.key) != nil else { return false }
        let kind = isBlock ? "CIDR blocks" : "IP addresses"
        let when = "\(kind) as keys work only in apps that are linked for and run on iOS 17, macOS 14 or later"
        if let sdk, !sdk.readsAddresses {
            note(
                .addressKey, severity: .warning, path(entry), entry.position,
                "\(when); this one is linked against the SDK of \(sdk.text)", meaning: "Systems pass over the entry.")
        } else if deployment?.readsAddresses != true {
            note(
                .addressKey, severity: deployment == nil ? .note : .warning, path(entry), entry.position,
                when + (deployment.map { "; this one runs on \($0.text) too" } ?? ""),
                meaning: "Older systems pass over the entry.")
        }
        if let subdomains = entry.includesSubdomains, subdomains.value == true {
            note(
                .addressSubdomains, path(entry, subdomains.key), nil,
                "NSIncludesSubdomains has no effect for IP addresses", meaning: "It changes no connection.")
        }
        return true
    }

    /// Whether the entry is for a host that is exempt by itself.
    private mutating func checkLocal(_ entry: ExceptionDomain) -> Bool {
        guard entry.isExempt else { return false }
        // Of the others it is said that they switch the exemption off.
        guard !entry.hasLegacy || entry.allowsHTTP else { return true }
        note(
            .localHost, path(entry), entry.position,
            "\(printable(entry.key)) is a local host, which is exempt by default since iOS 10; an entry is only needed for iOS 9",
            meaning: entry.allowsHTTP
                ? "HTTP to the host is allowed, as it is without the entry."
                : "The entry takes the host out of its exemption.")
        return true
    }

    private mutating func checkStrictness(
        _ entry: ExceptionDomain, in index: [String: ExceptionDomain], isLocal: Bool
    ) {
        guard !entry.hasLegacy else { return }
        let host = printable(entry.key)
        if isLocal {
            guard !entry.allowsHTTP else { return }
            note(
                .localHostStrict, path(entry), entry.position,
                "the entry switches App Transport Security on for \(host), which is exempt without it",
                meaning: "HTTP to \(host) fails with -1022.")
            return
        }
        guard entry.isStrict else { return checkTightening(entry) }
        // Who writes the defaults down knows them.
        guard !entry.hasCurrent else { return }
        if isOpenToAll {
            note(
                .strictEntry, severity: .note, path(entry), entry.position,
                "a strict entry: it keeps App Transport Security in full for \(host) although NSAllowsArbitraryLoads is on",
                meaning: "HTTP to \(host) fails with -1022, while it is allowed elsewhere.",
                remedy: "Keep it if that is meant; to ease the host, delete the entry.")
        } else if parent(of: entry, in: index)?.isStrict == false {
            note(
                .strictEntry, severity: .note, path(entry), entry.position,
                "a strict entry: it takes \(host) out of the entry of its parent domain",
                meaning: "\(host) follows App Transport Security in full; entries are not merged.",
                remedy: "Keep it if that is meant.")
        } else {
            note(
                .strictEntry, path(entry), entry.position,
                "a strict entry: it keeps App Transport Security in full for \(host), which is so anyway: redundant, or a mistaken \"white list\"",
                meaning: "It changes no connection by iOS 18.4 and later: hosts need no entry to be allowed HTTPS.")
        }
    }

    /// An entry that eases TLS alone takes its host out of what is switched off for all.
    private mutating func checkTightening(_ entry: ExceptionDomain) {
        guard !entry.allowsHTTP, entry.easesTLS else { return }
        let open = [
            (isOpenToAll, TransportSecurityKey.arbitraryLoads),
            (configuration.allowsArbitraryLoadsForMedia == true, TransportSecurityKey.arbitraryLoadsForMedia),
            (configuration.allowsArbitraryLoadsInWebContent == true, TransportSecurityKey.arbitraryLoadsInWebContent),
        ].filter(\.0).map(\.1)
        guard !open.isEmpty else { return }
        let host = printable(entry.key)
        note(
            .tightens, path(entry), entry.position,
            "the entry eases TLS for \(host), and takes the host out of \(open.joined(separator: " and ")): HTTP to it is refused",
            meaning:
                "HTTP to \(host) fails with -1022, and HTTPS to it has to meet the entry; without the entry neither would be so."
        )
    }

    // MARK: What an entry reaches

    private mutating func checkReach(_ entry: ExceptionDomain, in index: [String: ExceptionDomain]) {
        let host = printable(entry.key)
        if entry.coversSubdomains, domains.isShared(entry.key), !entry.isLocalHost || entry.key == "local" {
            note(
                .sharedDomain, severity: domains.isTopLevel(entry.key) ? .error : .warning, path(entry), entry.position,
                "\(host) is a public suffix or a shared hosting domain, and the entry has subdomains: it covers hosts that you do not control",
                meaning: "Connections to hosts of strangers under \(host) follow the entry.")
        }
        if Self.builtIn.contains(entry.key) {
            note(
                .builtInEntry, path(entry), entry.position,
                "the entry replaces the one for \(host) that every app has"
                    + (entry.coversSubdomains ? "" : ", and leaves the hosts below it to the rules for all others"),
                meaning: "Connections to Apple's own services may be judged more strictly than the system needs.")
        }
        if Self.isPlaceholder(entry.key) {
            note(
                .placeholder, path(entry), entry.position, "\(host) is a placeholder domain",
                meaning: "No connection of the app is likely to match the entry.")
        }
        guard let parent = parent(of: entry, in: index) else { return }
        if parent.hasSameEffect(as: entry), !entry.isStrict || !parent.isStrict {
            note(
                .coveredByParent, path(entry), entry.position,
                "the entry changes nothing: \(printable(parent.key)) covers \(host) and says the same",
                meaning: "Connections are the same without it.")
        }
    }

    /// The entry that would hold for the name of another if that were not there.
    private func parent(of entry: ExceptionDomain, in index: [String: ExceptionDomain]) -> ExceptionDomain? {
        cover(of: entry.key, in: index)?.0
    }

    /// The entry above a name that covers it, and how many labels it is above.
    private func cover(of name: String, in index: [String: ExceptionDomain]) -> (ExceptionDomain, depth: Int)? {
        var rest = name[...]
        var depth = 0
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            depth += 1
            if let found = index[String(rest)], found.coversSubdomains { return (found, depth) }
        }
        return nil
    }

    private static let builtIn = Set(ExceptionDomain.builtIn.map(\.key))

    private static func isPlaceholder(_ key: String) -> Bool {
        let names = [
            "example.com", "example.net", "example.org", "yourdomain.com", "your-domain.com", "mydomain.com",
            "my-domain.com", "yourserver.com", "your-server.com", "myserver.com", "yoursite.com", "mysite.com",
            "yourwebsite.com", "yourapp.com", "domain.com", "somedomain.com", "website.com", "foo.com", "test.com",
            "example", "your.domain.com", "insecure-domain.com", "testdomain.com",
        ]
        return names.contains { key == $0 || key.hasSuffix("." + $0) }
    }
}

extension RenamedSetting {
    /// Both spellings, those that are there.
    fileprivate var all: [ExceptionSetting<Value>] { [current, legacy].compactMap(\.self) }
}

extension ExceptionDomain {
    /// What counts where old spellings are not read.
    var allowsHTTP: Bool { allowsInsecureHTTPLoads.current?.value ?? false }

    fileprivate var hasLegacy: Bool {
        allowsInsecureHTTPLoads.legacy != nil || minimumTLSVersion.legacy != nil || requiresForwardSecrecy.legacy != nil
    }

    fileprivate var hasCurrent: Bool {
        allowsInsecureHTTPLoads.current != nil || minimumTLSVersion.current != nil
            || requiresForwardSecrecy.current != nil
    }

    /// Whether it demands, of systems of today, exactly what holds without exceptions.
    fileprivate var isStrict: Bool {
        !allowsHTTP && (minimumTLSVersion.current?.value ?? .tls12) == .tls12
            && requiresForwardSecrecy.current?.value ?? true && (niapPackage?.value ?? NIAPPackage.none) == .none
    }

    /// Whether it demands less of TLS than holds without exceptions.
    fileprivate var easesTLS: Bool {
        (minimumTLSVersion.current?.value ?? .tls12) < .tls12 || requiresForwardSecrecy.current?.value == false
    }

    fileprivate func hasSameEffect(as other: ExceptionDomain) -> Bool {
        allowsHTTP == other.allowsHTTP
            && (minimumTLSVersion.current?.value ?? .tls12) == (other.minimumTLSVersion.current?.value ?? .tls12)
            && (requiresForwardSecrecy.current?.value ?? true) == (other.requiresForwardSecrecy.current?.value ?? true)
            && niapPackage?.value == other.niapPackage?.value && !hasLegacy && !other.hasLegacy
            && coversSubdomains == other.coversSubdomains
    }

    /// The keys that are there in two spellings with two values: that of today first.
    fileprivate var contradictions: [(String, String, PlistPosition)] {
        var found: [(String, String, PlistPosition)] = []
        func compare<Value>(_ setting: RenamedSetting<Value>) {
            guard let current = setting.current, let legacy = setting.legacy, current.value != legacy.value else {
                return
            }
            found.append((current.key, legacy.key, legacy.position))
        }
        compare(allowsInsecureHTTPLoads)
        compare(minimumTLSVersion)
        compare(requiresForwardSecrecy)
        return found
    }

    /// Names without a dot, `.local`, and addresses that never leave the machine or the link.
    fileprivate var isLocalHost: Bool {
        if let address = IPAddress(key) {
            return address.octets.first == 127 && address.octets.count == 4 || address.description == "::1"
                || address.octets.starts(with: [0xFE, 0x80]) && address.octets.count == 16
                || address.octets.starts(with: [169, 254]) && address.octets.count == 4
        }
        return key == "localhost" || key == "local" || key.hasSuffix(".local") || key.hasSuffix(".localhost")
    }

    /// Whether its host is exempt without it: names without a dot are as well, wherever they lead to. With subdomains such a name is
    /// meant as the domain of others.
    fileprivate var isExempt: Bool {
        isLocalHost || !key.contains(".") && !key.contains("/") && !key.contains(":") && !coversSubdomains
    }
}
