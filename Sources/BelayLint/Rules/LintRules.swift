import BelayTrust

/// What the linter finds fault with beyond what makes a configuration malformed.
public enum LintRules {
    /// The rules, sorted by identifier: this module's part of the catalogue.
    public static let all: [Rule] = [
        .unreadable, .moreFindings, .oldSDK, .arbitraryLoads, .arbitraryLoadsIgnored, .mediaLoads, .webContent,
        .localNetworking,
        .localDenied,
        .reviewJustification, .cleartextAllowed, .oldTLSVersion, .noForwardSecrecy, .onlyLegacyKeys, .strictEntry,
        .localHost, .localHostStrict, .sharedDomain, .builtInEntry, .addressKey, .addressSubdomains, .deepSubdomain,
        .placeholder, .tightens, .equalsDefault, .emptyDictionary, .coveredByParent, .overruledLegacy, .pinnedOneLabel,
        .singlePin,
        .duplicatePin, .pinOfNothing, .placeholderPin, .pinNotSHA256, .pinEncoding, .certificateHash, .leafAsAuthority,
        .shortLivedLeafPin, .pinnedSharedDomain, .pinnedAddress, .pinFileUnreadable, .noPins, .pinFileIgnored,
    ].sorted { $0.identifier < $1.identifier }
}

extension Rule {
    private static let keys = "Apple: NSAppTransportSecurity"
    private static let entries = "Apple: NSExceptionDomains"
    private static let engine = "Apple: SecProtocolConfiguration.m"
    private static let review = "Apple: Preventing Insecure Network Connections, Provide Justification for Exceptions"
    private static let pins = "Apple: NSPinnedDomains"

    static let unreadable = Rule(
        "lint.unreadable", "A file is a property list.", .none,
        remedy:
            "Correct the file at the place that is named; lint the Info.plist of the built app, not a template of it.",
        source: "Apple: Property List Programming Guide")

    static let moreFindings = Rule(
        "lint.more-findings", "All faults of a file are listed.", severity: .warning, .none,
        remedy: "Correct what is listed, and lint again.", source: "Belay: nothing is left out silently")

    // MARK: The whole app

    static let oldSDK = Rule(
        "lint.old-sdk", "An app is linked against an SDK that knows App Transport Security.", severity: .warning, .none,
        remedy: "Build the app with the SDK of iOS 9, OS X 10.11 or later; then its keys count.", source: keys)
    static let arbitraryLoads = Rule(
        "lint.arbitrary-loads", "App Transport Security is not switched off for every host.", severity: .warning, .none,
        remedy: "Delete NSAllowsArbitraryLoads, and ease single hosts in NSExceptionDomains.", source: keys)
    static let arbitraryLoadsIgnored = Rule(
        "lint.arbitrary-loads-ignored", "NSAllowsArbitraryLoads stands without keys that switch it off.",
        severity: .warning, .none,
        remedy: "Delete NSAllowsArbitraryLoads unless the app still runs on iOS 9; else delete the newer keys.",
        source: "Apple: NSAppTransportSecurity, Versioning")
    static let mediaLoads = Rule(
        "lint.media-loads", "Media are loaded under App Transport Security.", severity: .warning, .none,
        remedy: "Delete NSAllowsArbitraryLoadsForMedia once all media come over HTTPS.", source: keys)
    static let webContent = Rule(
        "lint.web-content", "Web views load under App Transport Security.", severity: .warning, .none,
        remedy: "Delete NSAllowsArbitraryLoadsInWebContent unless the app is a browser for pages of others.",
        source: keys)
    static let localNetworking = Rule(
        "lint.local-networking", "NSAllowsLocalNetworking says what is so anyway.", severity: .note, .none,
        remedy: "Keep it for readers, or delete it; beside NSAllowsArbitraryLoads it switches that key off.",
        source: keys)
    static let localDenied = Rule(
        "lint.local-denied", "Local destinations keep their exemption.", severity: .warning, .none,
        remedy: "Delete NSAllowsLocalNetworking unless localhost and the local network are to need HTTPS.",
        source: engine)
    static let reviewJustification = Rule(
        "lint.review-justification", "App Review asks for no justification.", severity: .note, .none,
        remedy: "Keep a justification ready for App Review, or delete the key.", source: review)

    // MARK: Exceptions

    static let cleartextAllowed = Rule(
        "lint.cleartext-allowed", "No host is allowed cleartext HTTP.", severity: .warning, .none,
        remedy: "Serve HTTPS at the host, and delete NSExceptionAllowsInsecureHTTPLoads.", source: entries)
    static let oldTLSVersion = Rule(
        "lint.old-tls-version", "No host is allowed TLS below 1.2.", severity: .warning, .none,
        remedy: "Upgrade the server to TLS 1.2, and delete NSExceptionMinimumTLSVersion.",
        source: "Apple: NSExceptionMinimumTLSVersion; RFC 8996")
    static let noForwardSecrecy = Rule(
        "lint.no-forward-secrecy", "No host is spared forward secrecy.", severity: .warning, .none,
        remedy: "Switch ECDHE suites on at the server, and delete NSExceptionRequiresForwardSecrecy.",
        source: "Apple: NSExceptionRequiresForwardSecrecy")
    static let onlyLegacyKeys = Rule(
        "lint.only-legacy-keys", "An entry has a key that systems of today read.", severity: .warning, .none,
        remedy: "Write the keys as NSException…, or delete the entry.", source: engine)
    static let overruledLegacy = Rule(
        "lint.legacy-overruled", "An old spelling does not contradict the one of today.", severity: .warning, .none,
        remedy: "Delete the old spelling.", source: engine)
    static let strictEntry = Rule(
        "lint.strict-entry", "An entry eases something.", severity: .warning, .none,
        remedy: "Delete the entry: hosts need none to be allowed HTTPS. Keep it only to hold one host strict under "
            + "NSAllowsArbitraryLoads.", source: entries)
    static let localHost = Rule(
        "lint.local-host", "A local host needs no entry.", severity: .note, .none,
        remedy: "Delete the entry unless the app still runs on iOS 9.", source: "Apple: NSAllowsLocalNetworking")
    static let localHostStrict = Rule(
        "lint.local-host-strict", "An entry does not take a local host out of its exemption.", severity: .warning,
        .none,
        remedy: "Delete the entry, or give it NSExceptionAllowsInsecureHTTPLoads.", source: engine)
    static let tightens = Rule(
        "lint.tightens", "An entry does not forbid what is allowed without it, while it eases something else.",
        severity: .warning, .none,
        remedy: "Delete the entry, or the key for the whole app; to have both, add NSExceptionAllowsInsecureHTTPLoads.",
        source: entries)
    static let sharedDomain = Rule(
        "lint.shared-domain", "An entry with subdomains is for a domain whose hosts belong to one owner.",
        severity: .warning, .none, remedy: "Name the host that the app talks to, without NSIncludesSubdomains.",
        source: "Public Suffix List; Apple: NSExceptionDomains")
    static let builtInEntry = Rule(
        "lint.built-in-entry", "No entry replaces one that every app has.", severity: .warning, .none,
        remedy: "Delete the entry: systems know what Apple's own hosts need.", source: engine)
    static let addressKey = Rule(
        "lint.address-key", "An entry for addresses is read by all systems that the app runs on.", severity: .note,
        .none,
        remedy: "Raise the deployment target to iOS 17 or macOS 14, or give the server a name.", source: entries)
    static let addressSubdomains = Rule(
        "lint.address-subdomains", "NSIncludesSubdomains stands beside names only.", severity: .note, .none,
        remedy: "Delete NSIncludesSubdomains: addresses have no subdomains.", source: entries)
    static let deepSubdomain = Rule(
        "lint.deep-subdomain", "An entry is relied on for one label below its own name at most.", severity: .note,
        .none,
        remedy: "Give the deeper domain an entry of its own.", source: "Apple: NSIncludesSubdomains")
    static let placeholder = Rule(
        "lint.placeholder-domain", "No domain of a tutorial is left.", severity: .note, .none,
        remedy: "Replace the domain by the app's own, or delete the entry.", source: "RFC 2606")
    static let equalsDefault = Rule(
        "lint.equals-default", "A key says something that is not so anyway.", severity: .note, .none,
        remedy: "Delete the key.", source: keys)
    static let emptyDictionary = Rule(
        "lint.empty", "A dictionary holds something.", severity: .note, .none, remedy: "Delete the key.", source: keys)
    static let coveredByParent = Rule(
        "lint.changes-nothing", "An entry differs from the one of its parent domain.", severity: .note, .none,
        remedy: "Delete the entry: the one of its parent domain says the same.", source: entries)

    // MARK: Pins

    static let pinnedOneLabel = Rule(
        "lint.pinned-one-label", "Pins are wanted for one label below their domain at most.", severity: .note, .none,
        remedy: "Give deeper hosts entries of their own.", source: pins)
    static let singlePin = Rule(
        "lint.single-pin", "A list of pins has a backup.", severity: .note, .none,
        remedy: "Add the pin of a key that is kept offline, or of a second authority.", source: "RFC 7469, 4.3")
    static let duplicatePin = Rule(
        "lint.duplicate-pin", "A pin stands once in its list.", severity: .warning, .none,
        remedy: "Replace the repetition by the pin of a backup key, or delete it.", source: pins)
    static let pinOfNothing = Rule(
        "lint.pin-of-nothing", "A pin is not the digest of empty input.", .none,
        remedy: "Compute the pin again: the command that made it read nothing.", source: "FIPS 180-4")
    static let placeholderPin = Rule(
        "lint.placeholder-pin", "A pin is not one byte 32 times.", .none,
        remedy: "Put the pin of a real key there; 'belay cert show' prints it.", source: pins)
    static let pinNotSHA256 = Rule(
        "lint.pin-not-sha256", "A pin is a SHA-256 digest.", .none,
        remedy: "Compute the SHA-256 digest of the key; 'belay cert show' prints it.",
        source: "Apple: SPKI-SHA256-BASE64")
    static let pinEncoding = Rule(
        "lint.pin-encoding", "A pin is in base64, and nothing else.", .none,
        remedy: "Write the base64 alone: 44 characters that end in '='.",
        source: "Apple: SPKI-SHA256-BASE64; RFC 4648, 4")
    static let certificateHash = Rule(
        "lint.certificate-hash", "A pin is the digest of a key, not of a certificate.", .none,
        remedy: "Pin the digest of the SubjectPublicKeyInfo.", source: "Apple: SPKI-SHA256-BASE64")
    static let leafAsAuthority = Rule(
        "lint.leaf-as-authority", "NSPinnedCAIdentities has keys of authorities.", .none,
        remedy: "Move the pin to NSPinnedLeafIdentities.", source: "Apple: NSPinnedCAIdentities")
    static let shortLivedLeafPin = Rule(
        "lint.short-lived-leaf-pin", "Leaves that are replaced often are not pinned alone.", severity: .warning, .none,
        remedy: "Pin the authority, or a key that is kept when the certificate is renewed, and a backup.",
        source: "CA/Browser Forum: SC-081v3; RFC 7469, 4.3")
    static let pinnedSharedDomain = Rule(
        "lint.pinned-shared-domain", "Pins are not for a domain whose hosts belong to others.", severity: .warning,
        .none,
        remedy: "Pin the host that the app talks to.", source: "Public Suffix List")
    static let pinFileUnreadable = Rule(
        "lint.pin-file", "A file of pins has lines of digests, certificates, or a public key.", .none,
        remedy: "Give certificates or public keys in PEM or DER, or SHA-256 digests of public keys, one a line.",
        source: "Belay: nothing is passed over")
    static let noPins = Rule(
        "lint.no-pins", "A file of pins has a pin.", .none,
        remedy: "Add the pins, or do not give the file to '--pins'.", source: "Belay: an empty set of pins refuses")
    static let pinFileIgnored = Rule(
        "lint.pin-file-ignored", "The pins of a folder stand in files that count there.", severity: .warning, .none,
        remedy: "Give the file itself to '--pins': of a folder only certificates (.cer .crt .der .pem) count.",
        source: "Belay: '--pins'")
    static let pinnedAddress = Rule(
        "lint.pinned-address", "Pins are for names.", severity: .note, .none,
        remedy: "Pin a name: Apple documents NSPinnedDomains for names only.", source: pins)
}
