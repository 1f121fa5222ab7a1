import BelayCertificates

/// Which hosts a rule is for.
///
/// | pattern | matches | does not match |
/// | --- | --- | --- |
/// | `api.example.com` | that host | anything else |
/// | `*.example.com` | `a.example.com` | `example.com`, `a.b.example.com` |
/// | `**.example.com` | `example.com`, `a.example.com`, `a.b.example.com` | `badexample.com` |
/// | `192.0.2.7`, `[2001:db8::7]` | that address in any spelling | names |
/// | `192.0.2.0/24` | the addresses of that block | names |
public struct HostPattern: Sendable, Hashable {
    /// The kinds of pattern.
    public enum Kind: Sendable, Hashable {
        /// One name.
        case exact(String)
        /// Names with exactly one more label than the given one.
        case oneLabel(under: String)
        /// The given name and every name below it.
        case anyDepth(under: String)
        /// One address.
        case address(IPAddress)
        /// A block of addresses (RFC 4632): the prefix's bits count, the others are zero.
        case block(IPAddress, prefixLength: Int)
    }

    /// What kind of pattern it is, with its name or address in normal form.
    public let kind: Kind

    /// Reads a pattern.
    ///
    /// - Throws: ``HostPatternError`` where the text is a URL, has a port, or is no pattern.
    public init(_ text: String) throws(HostPatternError) {
        if text.contains("://") || (text.contains("/") && !Self.looksLikeBlock(text)) {
            throw HostPatternError(text, .url)
        }
        do throws(ServerNameError) {
            if let slash = text.firstIndex(of: "/") {
                kind = try Self.block(text, slash)
            } else if text.hasPrefix("**.") {
                kind = .anyDepth(under: try Self.name(text, text.dropFirst(3)))
            } else if text.hasPrefix("*.") {
                kind = .oneLabel(under: try Self.name(text, text.dropFirst(2)))
            } else if case .ip(let address) = try ServerName(text) {
                kind = .address(address)
            } else {
                kind = .exact(try Self.name(text, text[...]))
            }
        } catch {
            throw HostPatternError(text, .host(error))
        }
    }

    private static func name(_ text: String, _ part: Substring) throws(ServerNameError) -> String {
        guard case .dns(let name) = try ServerName(String(part)) else { throw ServerNameError(text, .notAnAddress) }
        return name
    }

    private static func looksLikeBlock(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && IPAddress(parts[0]) != nil && Int(parts[1]) != nil
    }

    private static func block(_ text: String, _ slash: String.Index) throws(ServerNameError) -> Kind {
        let digits = text[text.index(after: slash)...]
        // Int would also read a sign.
        guard let base = IPAddress(text[..<slash]), digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let length = Int(digits), length <= base.octets.count * 8,
            let start = IPAddress(octets: base.octets.enumerated().map { $1 & mask(length, ofOctet: $0) })
        else { throw ServerNameError(text, .notAnAddress) }
        return .block(start, prefixLength: length)
    }

    /// The bits of an octet that belong to a prefix.
    private static func mask(_ prefixLength: Int, ofOctet index: Int) -> UInt8 {
        let rest = prefixLength - index * 8
        return rest >= 8 ? 0xFF : rest <= 0 ? 0 : ~(0xFF >> UInt8(rest))
    }

    /// Whether a rule with this pattern is for the host.
    public func matches(_ host: ServerName) -> Bool {
        switch (kind, host) {
        case (.exact(let name), .dns(let host)):
            return name == host
        case (.oneLabel(let name), .dns(let host)):
            guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
            return host[host.index(after: dot)...] == name
        case (.anyDepth(let name), .dns(let host)):
            return host == name || host.hasSuffix("." + name)
        case (.address(let address), .ip(let host)):
            return address == host
        case (.block(let base, let length), .ip(let host)):
            return base.octets.count == host.octets.count && Self.sharesPrefix(base.octets, host.octets, length)
        default:
            return false
        }
    }

    private static func sharesPrefix(_ left: [UInt8], _ right: [UInt8], _ bits: Int) -> Bool {
        zip(left, right).enumerated().allSatisfy { index, pair in
            (pair.0 ^ pair.1) & mask(bits, ofOctet: index) == 0
        }
    }

    /// What is dangerous about pinning keys for this pattern: one that covers a public suffix would pin strangers' hosts,
    /// and whoever rents a name there next.
    public func findings(publicSuffixes: PublicSuffixList = PublicSuffixList()) -> [Finding] {
        switch kind {
        case .oneLabel(let name), .anyDepth(let name):
            guard publicSuffixes.isPublicSuffix(name) else { return [] }
            return [
                Finding(
                    .pinOnPublicSuffix, "'\(self)' covers every host under '\(name)', where strangers register names",
                    expected: "the host of your own service", found: description)
            ]
        case .exact, .address, .block:
            return []
        }
    }
}

extension HostPattern: CustomStringConvertible {
    /// The pattern in normal form.
    public var description: String {
        switch kind {
        case .exact(let name): name
        case .oneLabel(let name): "*.\(name)"
        case .anyDepth(let name): "**.\(name)"
        case .address(let address): address.description
        case .block(let base, let length): "\(base)/\(length)"
        }
    }
}

/// Why a text is no host pattern.
public struct HostPatternError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// It is a URL or has a path.
        case url
        /// The host in it is none.
        case host(ServerNameError)
    }

    /// The text.
    public let text: String
    /// What is wrong with it.
    public let reason: Reason

    init(_ text: String, _ reason: Reason) {
        self.text = text
        self.reason = reason
    }
}

extension HostPatternError: CustomStringConvertible {
    /// What is wrong and what a pattern looks like.
    public var description: String {
        switch reason {
        case .url:
            "'\(printable(text))' is a URL, not a host pattern. Write the host alone, for example api.example.com"
        case .host(let error):
            "'\(printable(text))' is not a host pattern: \(error)"
        }
    }
}
