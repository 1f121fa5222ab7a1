/// How App Transport Security works in one version of a system.
struct SystemRules: Sendable, Hashable {
    /// It is there: iOS 9, macOS 10.11.
    let hasTransportSecurity: Bool
    /// The keys for media, web content and local networking are read, and local destinations are exempt: iOS 10, macOS 10.12.
    let exemptsLocalDestinations: Bool
    /// The system demands Certificate Transparency of public authorities whatever an app says: iOS 12.1, macOS 10.14.1.
    let requiresTransparency: Bool
    /// `NSPinnedDomains` is read: iOS 14, macOS 11.
    let pinsDomains: Bool
    /// HTTPS is required for external addresses, and exceptions can be addresses and blocks: iOS 17, macOS 14.
    let judgesAddresses: Bool
    /// The engine that Apple has published is the one in use: iOS 18.4, macOS 15.4.
    let isPublishedEngine: Bool
    /// The keys of NIAP packages are read: iOS 26.4, macOS 26.4.
    let readsPackages: Bool

    init(_ version: SystemVersion, isLinkedBefore: Bool = false) {
        func has(_ change: Change) -> Bool { !version.isBefore(change.numbers(on: version.platform)) }
        hasTransportSecurity = has(.transportSecurity) && !isLinkedBefore
        exemptsLocalDestinations = has(.localDestinations)
        requiresTransparency = has(.transparency)
        pinsDomains = has(.pinnedDomains)
        judgesAddresses = has(.addresses)
        isPublishedEngine = has(.publishedEngine)
        readsPackages = has(.packages) && hasTransportSecurity
    }

    /// When something changed.
    private enum Change: CaseIterable {
        case transportSecurity, localDestinations, transparency, pinnedDomains, addresses, publishedEngine, packages

        func numbers(on platform: SystemVersion.Platform) -> [Int] {
            switch (self, platform) {
            case (.transportSecurity, .iOS): [9]
            case (.transportSecurity, .macOS): [10, 11]
            case (.localDestinations, .iOS): [10]
            case (.localDestinations, .macOS): [10, 12]
            case (.transparency, .iOS): [12, 1]
            case (.transparency, .macOS): [10, 14, 1]
            case (.pinnedDomains, .iOS): [14]
            case (.pinnedDomains, .macOS): [11]
            case (.addresses, .iOS): [17]
            case (.addresses, .macOS): [14]
            case (.publishedEngine, .iOS): [18, 4]
            case (.publishedEngine, .macOS): [15, 4]
            case (.packages, _): [26, 4]
            }
        }
    }

    /// The versions of a range at which rules change, the first one of the range included.
    static func versions(in range: SystemRange) -> [SystemVersion] {
        let platform = range.oldest.platform
        let changes = Change.allCases.map { $0.numbers(on: platform) }.filter { range.isDivided(at: $0) }
        return [range.oldest] + changes.map { SystemVersion(platform, numbers: $0) }
    }
}

extension SystemRange {
    /// The versions of the range at which something changes, the first one of the range included; the oldest first.
    package var milestones: [SystemVersion] { SystemRules.versions(in: self).sorted { $0.isBefore($1.numbers) } }
}

extension SystemVersion {
    /// The versions of iOS at which something changes, the oldest first.
    package static let milestones = SystemRange(oldest: SystemVersion(.iOS, 9)).milestones
}
