/// The keys that Apple has documented for `NSAppTransportSecurity`, by the dictionary that they belong to.
package enum TransportSecurityKey {
    package static let root = "NSAppTransportSecurity"

    package static let arbitraryLoads = "NSAllowsArbitraryLoads"
    package static let arbitraryLoadsForMedia = "NSAllowsArbitraryLoadsForMedia"
    package static let arbitraryLoadsInWebContent = "NSAllowsArbitraryLoadsInWebContent"
    package static let localNetworking = "NSAllowsLocalNetworking"
    package static let exceptionDomains = "NSExceptionDomains"
    package static let pinnedDomains = "NSPinnedDomains"
    package static let niapPackage = "NSRequiresNIAPTLSPackageVersion"

    package static let includesSubdomains = "NSIncludesSubdomains"
    package static let transparency = "NSRequiresCertificateTransparency"
    package static let exceptionNIAPPackage = "NSExceptionRequiresNIAPTLSPackageVersion"

    package static let leafIdentities = "NSPinnedLeafIdentities"
    package static let authorityIdentities = "NSPinnedCAIdentities"
    package static let digest = "SPKI-SHA256-BASE64"

    /// The three keys of an exception that had other spellings: without what stands in front of them.
    enum Exception: String, CaseIterable {
        case allowsInsecureHTTPLoads = "ExceptionAllowsInsecureHTTPLoads"
        case minimumTLSVersion = "ExceptionMinimumTLSVersion"
        case requiresForwardSecrecy = "ExceptionRequiresForwardSecrecy"

        /// The spelling of today.
        var current: String { "NS" + rawValue }
        /// The spellings of 2015 and 2016, the documented one first.
        var legacy: [String] { ["NSThirdParty" + rawValue, "NSTemporary" + rawValue] }
    }

    /// Where a key may stand.
    package enum Level: CaseIterable {
        case configuration, exception, pinnedDomain, pinnedIdentity

        package var keys: [String] {
            switch self {
            case .configuration:
                [
                    arbitraryLoads, arbitraryLoadsForMedia, arbitraryLoadsInWebContent, localNetworking,
                    exceptionDomains, pinnedDomains, niapPackage,
                ]
            case .exception:
                [includesSubdomains, transparency, exceptionNIAPPackage] + Exception.allCases.map(\.current)
                    + Exception.allCases.flatMap(\.legacy)
            case .pinnedDomain: [includesSubdomains, leafIdentities, authorityIdentities]
            case .pinnedIdentity: [digest]
            }
        }

        /// The dictionary in words.
        var text: String {
            switch self {
            case .configuration: "directly in NSAppTransportSecurity"
            case .exception: "in an entry of NSExceptionDomains"
            case .pinnedDomain: "in an entry of NSPinnedDomains"
            case .pinnedIdentity: "in an element of NSPinnedLeafIdentities or NSPinnedCAIdentities"
            }
        }
    }

    /// The dictionaries that a key belongs to.
    static func levels(of key: LiteralKey) -> [Level] { table[key] ?? [] }

    /// The dictionaries that a key belongs to.
    package static func levels(of key: String) -> [Level] { levels(of: LiteralKey(key)) }

    private static let table: [LiteralKey: [Level]] = {
        var table: [LiteralKey: [Level]] = [:]
        for level in Level.allCases { for key in level.keys { table[LiteralKey(key), default: []].append(level) } }
        return table
    }()
}
