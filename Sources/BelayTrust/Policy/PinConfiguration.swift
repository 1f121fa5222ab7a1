import BelayCertificates

/// Pins for hosts, to be written as the configuration of other programs.
///
/// ```swift
/// let pins = try PinConfiguration(
///     leaves: [certificate.pin], authorities: [], hosts: ["api.example.com"], includesSubdomains: true)
/// let plist = try pins.text(as: .nspinneddomains)
/// ```
public struct PinConfiguration: Sendable, Hashable {
    /// Pins of the hosts' own keys, each once.
    public let leaves: [SPKIPin]
    /// Pins of the keys of authorities, each once.
    public let authorities: [SPKIPin]
    /// The hosts, in normal form: lower case, A-labels.
    public let hosts: [String]
    /// Whether the pins hold for every host below these as well.
    public let includesSubdomains: Bool

    /// Puts a configuration together.
    ///
    /// - Throws: ``PinConfigurationError`` where there is no pin, a host is none, is an address, or covers a public suffix.
    public init(
        leaves: [SPKIPin], authorities: [SPKIPin], hosts: [String] = [], includesSubdomains: Bool = false
    ) throws(PinConfigurationError) {
        var seen: Set<SPKIPin> = []
        self.leaves = leaves.filter { seen.insert($0).inserted }
        self.authorities = authorities.filter { seen.insert($0).inserted }
        guard !seen.isEmpty else { throw .noPins }
        var names: [String] = []
        for host in hosts {
            let name: ServerName
            do throws(ServerNameError) { name = try ServerName(host) } catch { throw .host(error) }
            guard case .dns(let text) = name else { throw .address(host) }
            if includesSubdomains, PublicSuffixList().isPublicSuffix(text) { throw .publicSuffix(text) }
            if !names.contains(text) { names.append(text) }
        }
        self.hosts = names
        self.includesSubdomains = includesSubdomains
    }

    /// All pins, those of leaves first.
    public var pins: [SPKIPin] { leaves + authorities }

    /// The configuration as a program wants it, without a line end after the last line.
    ///
    /// - Throws: ``PinConfigurationError`` where the form needs hosts and there are none, or cannot say what is meant.
    public func text(as format: PinFormat) throws(PinConfigurationError) -> String {
        guard !format.needsHosts || !hosts.isEmpty else { throw .hostNeeded(format) }
        switch format {
        case .base64: return pins.map(\.description).joined(separator: "\n")
        case .hex: return pins.map(\.digest.hexadecimalText).joined(separator: "\n")
        case .sha256: return pins.map { "sha256/\($0)" }.joined(separator: "\n")
        case .curl: return try curl()
        case .okhttp: return okhttp
        case .android: return android
        case .trustkit: return PropertyListText.text(trustkit)
        case .nspinneddomains: return PropertyListText.text(pinnedDomains)
        }
    }

    /// What people have to know who put the text into their program.
    public func remarks(on format: PinFormat) -> [String] {
        var remarks: [String] = []
        switch format {
        case .curl where !authorities.isEmpty && !leaves.isEmpty:
            remarks.append("curl compares the server's own key alone; the pins of authorities are left out")
        case .nspinneddomains where !authorities.isEmpty && !leaves.isEmpty:
            remarks.append(
                "with NSPinnedLeafIdentities and NSPinnedCAIdentities both must match; leave one of them out to let one suffice"
            )
        case .trustkit where pins.count == 1:
            remarks.append("TrustKit refuses to start with fewer than two pins: add that of a spare key")
        default: break
        }
        if pins.count == 1, format.needsHosts, format != .trustkit {
            remarks.append(
                "there is one pin: when its key is lost or replaced the app is cut off; add that of a spare key")
        }
        return remarks
    }

    // MARK: -

    /// curl(1), --pinnedpubkey: `sha256//` and base64, several with semicolons, which a shell must not see.
    private func curl() throws(PinConfigurationError) -> String {
        guard !leaves.isEmpty else { throw .onlyAuthorities }
        let value = leaves.map { "sha256//\($0)" }.joined(separator: ";")
        return "--pinnedpubkey " + (leaves.count == 1 ? value : "'\(value)'")
    }

    /// `CertificatePinner`: `**.` is any number of labels, also none.
    private var okhttp: String {
        let prefix = includesSubdomains ? "**." : ""
        return hosts.flatMap { host in pins.map { ".add(\"\(prefix)\(host)\", \"sha256/\($0)\")" } }
            .joined(separator: "\n")
    }

    /// Android's "Network security configuration", `pin-set`.
    private var android: String {
        var lines = [
            #"<?xml version="1.0" encoding="utf-8"?>"#, "<network-security-config>", "    <domain-config>",
        ]
        lines += hosts.map { #"        <domain includeSubdomains="\#(includesSubdomains)">\#($0)</domain>"# }
        lines.append("        <pin-set>")
        lines += pins.map { #"            <pin digest="SHA-256">\#($0)</pin>"# }
        lines += ["        </pin-set>", "    </domain-config>", "</network-security-config>"]
        return lines.joined(separator: "\n")
    }

    private var trustkit: PropertyListText.Value {
        let domain = PropertyListText.Value.dictionary([
            ("TSKEnforcePinning", .boolean(true)), ("TSKIncludeSubdomains", .boolean(includesSubdomains)),
            ("TSKPublicKeyHashes", .array(pins.map { .string($0.description) })),
        ])
        return .dictionary([
            (
                "TSKConfiguration",
                .dictionary([
                    ("TSKSwizzleNetworkDelegates", .boolean(false)),
                    ("TSKPinnedDomains", .dictionary(hosts.map { ($0, domain) })),
                ])
            )
        ])
    }

    private var pinnedDomains: PropertyListText.Value {
        func identities(_ pins: [SPKIPin]) -> PropertyListText.Value {
            .array(pins.map { .dictionary([("SPKI-SHA256-BASE64", .string($0.description))]) })
        }
        var domain: [(String, PropertyListText.Value)] = [("NSIncludesSubdomains", .boolean(includesSubdomains))]
        if !authorities.isEmpty { domain.append(("NSPinnedCAIdentities", identities(authorities))) }
        if !leaves.isEmpty { domain.append(("NSPinnedLeafIdentities", identities(leaves))) }
        let domains = PropertyListText.Value.dictionary(hosts.map { ($0, .dictionary(domain)) })
        return .dictionary([("NSAppTransportSecurity", .dictionary([("NSPinnedDomains", domains)]))])
    }
}

/// Why pins cannot be written.
public enum PinConfigurationError: Error, Sendable, Hashable {
    /// There is none.
    case noPins
    /// A host is none.
    case host(ServerNameError)
    /// A host is an address, for which these programs do not pin.
    case address(String)
    /// With its subdomains the host covers those of strangers.
    case publicSuffix(String)
    /// The form is about hosts, and there is none.
    case hostNeeded(PinFormat)
    /// All pins are those of authorities, which the form can never match.
    case onlyAuthorities
}

extension PinConfigurationError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .noPins: "there is no pin. Give a certificate, a key, a certificate request or a server"
        case .host(let error): "\(error)"
        case .address(let host):
            "'\(printable(host))' is an address, and pins are configured for names. Give the host's name"
        case .publicSuffix(let name):
            "'\(printable(name))' with its subdomains covers hosts of strangers, who register names there. Give the host of your "
                + "own service"
        case .hostNeeded(let format): "pins for \(format.rawValue) belong to a host. Say which"
        case .onlyAuthorities:
            "curl compares the server's own key alone, so that the pin of an authority would refuse every server. Give the "
                + "server's certificate or key"
        }
    }
}

/// Property lists in XML, as far as pins need them.
private enum PropertyListText {
    indirect enum Value {
        case string(String)
        case boolean(Bool)
        case array([Value])
        case dictionary([(String, Value)])
    }

    static func text(_ value: Value) -> String {
        let head = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#,
            #"<plist version="1.0">"#,
        ]
        return (head + lines(value, "") + ["</plist>"]).joined(separator: "\n")
    }

    /// Keys and strings are host names and base64: nothing in them has a meaning in XML.
    private static func lines(_ value: Value, _ indent: String) -> [String] {
        switch value {
        case .string(let text): return ["\(indent)<string>\(text)</string>"]
        case .boolean(let isTrue): return [indent + (isTrue ? "<true/>" : "<false/>")]
        case .array(let values):
            return ["\(indent)<array>"] + values.flatMap { lines($0, indent + "    ") } + ["\(indent)</array>"]
        case .dictionary(let members):
            let inner = members.flatMap { key, value in
                ["\(indent)    <key>\(key)</key>"] + lines(value, indent + "    ")
            }
            return ["\(indent)<dict>"] + inner + ["\(indent)</dict>"]
        }
    }
}
