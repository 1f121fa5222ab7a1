import BelayArguments
import BelayCertificates
import BelayTrust

/// A new key by the name that people give it.
enum NewKey: String, CaseIterable, ExpressibleByArgument, Sendable {
    case p256, p384, p521, rsa2048, rsa3072, rsa4096

    var specification: PrivateKey.Specification {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .rsa2048: .rsa(bits: 2_048)
        case .rsa3072: .rsa(bits: 3_072)
        case .rsa4096: .rsa(bits: 4_096)
        }
    }
}

/// Names for certificates as people type them.
enum TypedName {
    /// A DNS name or an IP address in the form in which certificates have it: A-labels, lower case; a wildcard stays one.
    static func host(_ text: String) throws -> String {
        // ServerName takes the zone off, which leads to this machine's interface alone: no certificate can mean that.
        guard !text.contains("%") else {
            throw ValidationError(
                "'\(printable(text))' has a zone, which certificates do not have; leave out what follows '%'")
        }
        let isWildcard = text.hasPrefix("*.")
        do throws(ServerNameError) {
            let name = try ServerName(isWildcard ? String(text.dropFirst(2)) : text)
            guard isWildcard else { return name.description }
            if case .dns(let rest) = name, rest.contains(".") { return "*." + rest }
        } catch {
            throw ValidationError("\(error)")
        }
        // All of `com` would be refused everywhere.
        throw ValidationError(
            "'\(printable(text))' is no name: a wildcard stands for the first label of a DNS name, with two others at least "
                + "behind it, as in *.example.com")
    }

    /// An alternative name: a host, or with its kind before it: `email:`, `URI:`, `DNS:`, `IP:`.
    static func alternative(_ text: String) throws -> GeneralName {
        guard let colon = text.firstIndex(of: ":") else { return GeneralName(host: try host(text)) }
        let value = String(text[text.index(after: colon)...])
        switch text[..<colon].lowercased() {
        case "email" where value.contains("@") && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }: return .email(value)
        case "uri" where value.contains(":") && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }: return .uri(value)
        case "dns", "ip": return GeneralName(host: try host(value))
        case "email", "uri": throw ValidationError("'\(printable(value))' is no \(text[..<colon])")
        default: return GeneralName(host: try host(text))
        }
    }

    /// A subtree of names that an authority may issue for: a domain, or addresses as `192.0.2.0/24`.
    static func subtree(_ text: String) throws -> GeneralName {
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        if let address = IPAddress(parts.first ?? "") {
            let width = address.octets.count * 8
            let length = parts.count == 2 ? Int(parts[1]) : width
            guard let length, (0...width).contains(length) else {
                throw ValidationError("'\(printable(text))' is no range of addresses; write 192.0.2.0/24")
            }
            let mask = (0..<address.octets.count).map { index in
                UInt8(truncatingIfNeeded: 0xFF00 >> min(max(length - index * 8, 0), 8))
            }
            return .ipAddress(zip(address.octets, mask).map { $0 & $1 } + mask)
        }
        let name = try host(text.hasPrefix(".") ? String(text.dropFirst()) : text)
        guard !name.hasPrefix("*") else {
            throw ValidationError("'\(printable(text))': a domain permits everything below it; leave out the '*.'")
        }
        return .dns(name)
    }

    /// The name of a file for a name of any kind.
    static func file(_ name: String) -> String {
        let plain = name.hasPrefix("*.") ? "wildcard." + name.dropFirst(2) : name
        let kept = plain.unicodeScalars.map { scalar in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isPlain || "._-@".unicodeScalars.contains(scalar) ? Character(scalar) : "-"
        }
        let text = String(kept.prefix(100))
        return text.hasPrefix(".") || text.hasPrefix("-") ? "_" + text.dropFirst() : text
    }
}
