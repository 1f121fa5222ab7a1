import BelayTrust

/// What can be wrong with the App Transport Security dictionary of an app.
public enum TransportSecurityRules {
    /// The rules, sorted by identifier: this module's part of the catalogue.
    public static let all: [Rule] = [
        .configurationNotDictionary, .configurationMisplaced, .platformKey, .duplicateKey, .wrongType, .unknownKey,
        .misplacedKey,
        .legacyKey, .obsoleteKey, .domainKey, .addressBlock, .minimumTLSVersion, .niapPackage, .pinsToNothing,
        .pinMalformed, .pinsMissing, .malformedConfiguration, .pinnedToNothing,
    ].sorted { $0.identifier < $1.identifier }
}

extension Rule {
    private static let documentation = "Apple: NSAppTransportSecurity"
    private static let engine = "Apple: NSAppTransportSecurity; SecProtocolConfiguration.m"

    static let configurationNotDictionary = Rule(
        "ats.not-a-dictionary", "NSAppTransportSecurity is a dictionary.", .deny,
        remedy: "Make NSAppTransportSecurity a dictionary (<dict>).", source: documentation)
    static let configurationMisplaced = Rule(
        "ats.not-at-top-level",
        "NSAppTransportSecurity stands at the top level of Info.plist, and so does none of its keys.",
        .deny, remedy: "Move NSAppTransportSecurity to the top level of the Info.plist of the app or extension.",
        source: engine)
    static let platformKey = Rule(
        "ats.platform-key", "NSAppTransportSecurity has no variant for a platform or device, which replaces it there.",
        .deny,
        remedy: "Write one NSAppTransportSecurity that holds everywhere, or build an Info.plist for each platform.",
        source: "Apple: Information Property List Key Reference, platform-specific keys; CFBundle_InfoPlist.c")
    static let duplicateKey = Rule(
        "ats.duplicate-key", "A key stands once in its dictionary.", .deny,
        remedy: "Keep one of the two, and delete the other.",
        source: "Apple: CFPropertyList.c, CFBinaryPList.c")
    static let wrongType = Rule(
        "ats.wrong-type", "A value has the type that its key is documented with.", .deny,
        remedy: "Write Booleans as <true/> or <false/>, versions and packages as <string>.", source: engine)
    static let unknownKey = Rule(
        "ats.unknown-key", "A key is one that App Transport Security knows, in its exact spelling.", .deny,
        remedy: "Correct the spelling, or delete the key: it is ignored.", source: engine)
    static let misplacedKey = Rule(
        "ats.misplaced-key", "A key stands in the dictionary that it belongs to.", .deny,
        remedy: "Move the key; where it stands it is ignored.", source: engine)
    static let legacyKey = Rule(
        "ats.legacy-key", "A key has the spelling of today, not that of 2015 and 2016.", severity: .warning, .none,
        remedy: "Use the spelling NSException…; iOS 18.4 and macOS 15.4 no longer read the old one.",
        source: "Apple: Cocoa Keys, 2015; SecProtocolConfiguration.m")
    static let obsoleteKey = Rule(
        "ats.obsolete-key", "A key still has a meaning.", severity: .note, .none,
        remedy: "Delete the key.", source: "Apple: NSRequiresCertificateTransparency")
    static let domainKey = Rule(
        "ats.domain-key", "A key of NSExceptionDomains or NSPinnedDomains is one that a host can match.", .deny,
        remedy:
            "Write the host alone, in lower case: a DNS name, an IP address, or a block of addresses such as 192.0.2.0/24.",
        source: "Apple: NSExceptionDomains")
    static let addressBlock = Rule(
        "ats.address-block", "A block of addresses has no bits behind its prefix.", severity: .warning, .none,
        remedy: "Write the first address of the block.", source: "Apple: SecProtocolConfiguration.m; RFC 4632")
    static let minimumTLSVersion = Rule(
        "ats.minimum-tls-version", "A minimum version is TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3.", .deny,
        remedy: "Write the version exactly so; anything else is not applied.",
        source: "Apple: NSExceptionMinimumTLSVersion; SecProtocolConfiguration.m")
    static let niapPackage = Rule(
        "ats.niap-package", "A NIAP package is none, FCP_v2.1 or recommended.", .deny,
        remedy: "Write the package exactly so.", source: "Apple: NSRequiresNIAPTLSPackageVersion")
    static let pinsToNothing = Rule(
        "ats.pins-nothing", "A list of pinned identities has an identity that a certificate can have.", .deny,
        remedy: "Add the pins, or delete the list: an empty one refuses every TLS connection to the host.",
        source: "Apple: NSPinnedDomains; SecProtocolConfiguration.m")
    static let pinMalformed = Rule(
        "ats.pin-malformed", "A pinned identity is a dictionary with the base64 of a SHA-256 digest.", .deny,
        remedy: "Write <key>SPKI-SHA256-BASE64</key> and 44 characters of base64; 'belay cert show' prints them.",
        source: "Apple: SPKI-SHA256-BASE64")
    static let pinsMissing = Rule(
        "ats.pins-missing", "An entry of NSPinnedDomains has a list of identities.", .deny,
        remedy: "Add NSPinnedCAIdentities or NSPinnedLeafIdentities; without either the host is not pinned.",
        source: "Apple: NSPinnedDomains")
    static let malformedConfiguration = Rule(
        "ats.malformed", "An Info.plist that is enforced is free of errors.", .deny,
        remedy: "Correct the errors that are listed; until then no connection is made.",
        source: "Belay: what cannot be understood must not allow anything")
    static let pinnedToNothing = Rule(
        "ats.pinned-to-nothing", "A host that is pinned has pins that a certificate can match.", .deny,
        remedy: "Correct the entry of NSPinnedDomains.", source: "Apple: NSPinnedDomains")
}
