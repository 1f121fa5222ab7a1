import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// What connections to some hosts must meet, whatever keys say it: a line of the table "effective policy by domain".
public struct EffectivePolicy: Sendable, Hashable {
    /// The hosts, for people: a key, `localhost and .local`, or `every other host`.
    public let hosts: String
    /// What loads, where that matters.
    public let context: TransportSecurityContext
    /// Whether hosts below are meant too.
    public let coversSubdomains: Bool
    /// Whether cleartext HTTP is allowed.
    public let allowsHTTP: Bool
    /// The oldest version of TLS; nil for the default of the system.
    public let minimumTLSVersion: TLSVersion?
    /// Whether the key exchange must be ephemeral.
    public let requiresForwardSecrecy: Bool
    /// Whether the app may accept what server trust refuses.
    public let isTrustRelaxed: Bool
    /// How many pins there are; nil where the hosts are not pinned, 0 where nothing can match.
    public let pins: Int?
    /// Why, in a sentence or two.
    public let why: String

    /// The table of a configuration, on systems of today (*simulation*).
    static func table(_ configuration: TransportSecurityConfiguration) -> [EffectivePolicy] {
        var table: [EffectivePolicy] = []
        var seen: Set<String> = []
        for entry in configuration.exceptionDomains.entries where seen.insert(entry.key).inserted {
            guard let host = host(entry.key) else { continue }
            guard let line = line(configuration, host, hosts: entry.key, covers: entry.coversSubdomains) else {
                continue
            }
            // Keys that match no host have no line.
            if line.matched == entry.key { table.append(line.policy) }
        }
        for entry in configuration.pinnedDomains.entries where seen.insert(entry.key).inserted {
            guard let host = host(entry.key) else { continue }
            let line = line(configuration, host, hosts: entry.key, covers: entry.includesSubdomains)
            if let line { table.append(line.policy) }
        }
        if let line = line(configuration, "printer.local", hosts: "localhost, .local and names without a dot") {
            table.append(line.policy)
        }
        if configuration.allowsArbitraryLoadsInWebContent == true,
            let line = line(configuration, other, hosts: "every other host, in web views", context: .web)
        {
            table.append(line.policy)
        }
        if configuration.allowsArbitraryLoadsForMedia == true,
            let line = line(configuration, other, hosts: "every other host, for media", context: .media)
        {
            table.append(line.policy)
        }
        if let line = line(configuration, other, hosts: "every other host") { table.append(line.policy) }
        return table
    }

    /// A name that nobody has (RFC 6761).
    private static let other = "every.other.host.invalid"

    /// A host that a key is for.
    private static func host(_ key: String) -> String? {
        let base = key.prefix { $0 != "/" }
        if let address = IPAddress(base) { return address.octets.count == 16 ? "[\(base)]" : String(base) }
        return key.utf8.contains(UInt8(ascii: "/")) ? nil : key
    }

    private static func line(
        _ configuration: TransportSecurityConfiguration, _ host: String, hosts: String, covers: Bool = false,
        context: TransportSecurityContext = .default
    ) -> (policy: EffectivePolicy, matched: String?)? {
        guard let url = try? TransportSecurityURL("http://\(host)/") else { return nil }
        let decision = configuration.decision(for: url, in: context, as: .simulation)
        let policy = EffectivePolicy(
            hosts: hosts, context: context, coversSubdomains: covers, allowsHTTP: !decision.requiresHTTPS,
            minimumTLSVersion: decision.demands.minimumVersion,
            requiresForwardSecrecy: decision.demands.requiresForwardSecrecy, isTrustRelaxed: decision.isTrustRelaxed,
            pins: decision.pins.map { $0.isUnsatisfiable ? 0 : ($0.leaf?.count ?? 0) + ($0.authority?.count ?? 0) },
            why: decision.why)
        return (policy, decision.matched)
    }
}
