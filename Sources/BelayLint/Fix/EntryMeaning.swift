import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// What an entry of NSExceptionDomains or NSPinnedDomains says, wherever it stands in the file.
enum EntryMeaning: Hashable {
    case exception(key: String, [Setting])
    case pinned(key: String, includesSubdomains: Bool, PinnedIdentities)

    /// A key of an entry, and its value in words; nil where none counts.
    struct Setting: Hashable {
        let key: String
        let value: String?

        init?<Value>(_ setting: ExceptionSetting<Value>?) {
            guard let setting else { return nil }
            key = setting.key
            value = setting.value.map { "\($0)" }
        }
    }

    /// The key of the entry: the hosts that it is for.
    var key: String {
        switch self {
        case .exception(let key, _), .pinned(let key, _, _): key
        }
    }

    /// The keys of entries that one configuration has and another has not, or not so.
    static func changed(
        from old: TransportSecurityConfiguration, to new: TransportSecurityConfiguration
    ) -> Set<String> {
        Set(all(of: old).symmetricDifference(all(of: new)).map(\.key))
    }

    private static func all(of configuration: TransportSecurityConfiguration) -> Set<EntryMeaning> {
        let exceptions = configuration.exceptionDomains.entries.map { entry in
            EntryMeaning.exception(key: entry.key, settings(of: entry))
        }
        let pinned = configuration.pinnedDomains.entries.map { entry in
            EntryMeaning.pinned(
                key: entry.key, includesSubdomains: entry.includesSubdomains, entry.identities)
        }
        return Set(exceptions + pinned)
    }

    private static func settings(of entry: ExceptionDomain) -> [Setting] {
        [
            Setting(entry.includesSubdomains), Setting(entry.allowsInsecureHTTPLoads.current),
            Setting(entry.allowsInsecureHTTPLoads.legacy), Setting(entry.minimumTLSVersion.current),
            Setting(entry.minimumTLSVersion.legacy), Setting(entry.requiresForwardSecrecy.current),
            Setting(entry.requiresForwardSecrecy.legacy), Setting(entry.requiresCertificateTransparency),
            Setting(entry.niapPackage),
        ].compactMap(\.self)
    }
}
