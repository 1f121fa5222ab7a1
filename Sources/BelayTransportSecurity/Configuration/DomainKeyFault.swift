import BelayCertificates
import BelayTrust

/// What is wrong with a key of NSExceptionDomains or NSPinnedDomains. Keys are compared as they stand, so that most of these
/// never match any host.
enum DomainKeyFault: Equatable {
    case empty
    case url
    case block
    case unusualBlock(String)
    case hostBits(String)
    case port
    case brackets
    case wildcard
    case variable
    case space
    case upperCase
    case notASCII(String?)
    case trailingDot
    case unusualAddress(String)
    case character

    /// nil where a host can match the key and nothing else is meant.
    init?(_ key: String) {
        guard let fault = Self.fault(key) else { return nil }
        self = fault
    }

    private static func fault(_ key: String) -> DomainKeyFault? {
        let units = key.utf8
        if units.isEmpty { return .empty }
        if key.contains("$(") || key.contains("${") { return .variable }
        if units.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { return .space }
        if key.contains("://") { return .url }
        if units.contains(0x2F) { return block(key) }
        if units.first == 0x5B { return .brackets }
        if let address = IPAddress(key) {
            return address.description.utf8.elementsEqual(units) ? nil : .unusualAddress(address.description)
        }
        if units.contains(0x3A) { return .port }
        if units.contains(0x2A) { return .wildcard }
        return name(key)
    }

    private static func block(_ key: String) -> DomainKeyFault? {
        guard let read = AddressBlockKey(key) else {
            let base = key.prefix { $0 != "/" }
            return IPAddress(base) != nil ? .block : .url
        }
        if !read.isUsual { return .unusualBlock(read.block.text) }
        return read.hasHostBits ? .hostBits(read.block.text) : nil
    }

    private static func name(_ key: String) -> DomainKeyFault? {
        guard key.utf8.allSatisfy({ $0 < 0x80 }) else { return .notASCII((try? ServerName(key))?.description) }
        if key.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) { return .upperCase }
        let hasDot = key.utf8.last == 0x2E
        guard (try? ServerName(key)) != nil else { return .character }
        return hasDot ? .trailingDot : nil
    }

    /// Whether somebody may have meant exactly this.
    var isPossible: Bool {
        switch self {
        case .hostBits, .trailingDot: true
        default: false
        }
    }

    var rule: Rule {
        if case .hostBits = self { .addressBlock } else { .domainKey }
    }

    /// What is wrong, behind "the key 'x' ".
    var text: String {
        switch self {
        case .empty: "is empty"
        case .url: "has a scheme or a path, so that no host matches it"
        case .block: "is no block of addresses that Apple's systems read, so that no host matches it"
        case .unusualBlock(let block): "is a block of addresses in an unusual form; Apple's systems read it as \(block)"
        case .hostBits(let block): "has bits behind its prefix, which are masked: it is \(block)"
        case .port: "has a port, so that no host matches it: ports never count"
        case .brackets: "has brackets, so that no host matches it"
        case .wildcard: "has a wildcard, which is not supported: no host matches it"
        case .variable:
            "has a build setting in it; Xcode replaces them in values, not in keys, so that no host matches it"
        case .space: "has a space or control character, so that no host matches it"
        case .upperCase: "has upper-case letters; keys are compared as they stand, and hosts are in lower case"
        case .notASCII: "has letters beyond ASCII; URLs carry such names as A-labels"
        case .trailingDot: "ends in a dot, so that only a host that is written with one matches it"
        case .unusualAddress: "is an address in an unusual spelling; addresses are compared as text"
        case .character: "is no host name"
        }
    }

    /// What would match.
    func expected(_ key: String) -> String {
        switch self {
        case .unusualBlock(let block), .hostBits(let block): block
        case .unusualAddress(let address): address
        case .notASCII(let name?): name
        case .upperCase: lowercasedASCII(key)
        case .trailingDot: String(key.dropLast())
        case .wildcard: "the domain alone, with NSIncludesSubdomains"
        case .block: "a block such as 192.0.2.0/24"
        default: "a host in lower case, without scheme, port, path and space"
        }
    }
}
