import BelayCertificates

extension SPKIPin {
    /// Reads a digest in any of the dresses in which programs write it: see ``PinSet``.
    ///
    /// - Throws: ``SPKIPinError`` that says which form is wanted.
    public init(text: String) throws(SPKIPinError) {
        var body = Substring(text)
        let lower = lowercaseASCII(text)
        for prefix in ["sha1/", "sha1//", "pin-sha1=", "sha-1:", "sha1:"] where lower.hasPrefix(prefix) {
            throw SPKIPinError(text, .sha1)
        }
        for prefix in ["pin-sha256=", "sha256//", "sha256/", "sha256:", "sha-256:"] where lower.hasPrefix(prefix) {
            body = body.dropFirst(prefix.count)
            break
        }
        body = Self.unquoted(body)
        // The base64 of 32 octets has 43 characters before its padding. Where one is missing after `sha256//`, the second slash
        // is the digest's first character: one key in 64 has such a pin.
        if lower.hasPrefix("sha256//"), body.prefix(while: { $0 != "=" }).count == 42 { body = "/" + body }
        if let octets = Self.hexadecimalOctets(body) {
            guard octets.count != 20 else { throw SPKIPinError(text, .sha1) }
            guard let digest = SHA256Digest(bytes: octets) else { throw SPKIPinError(text, .length(octets.count)) }
            self.init(digest)
            return
        }
        guard let octets = Self.base64Octets(body) else { throw SPKIPinError(text, .unrecognised) }
        guard octets.count != 20 else { throw SPKIPinError(text, .sha1) }
        guard let digest = SHA256Digest(bytes: octets) else {
            // Text of a few words is often base64 by chance; only what nearly is a pin deserves the count.
            throw SPKIPinError(text, (28...36).contains(octets.count) ? .length(octets.count) : .unrecognised)
        }
        self.init(digest)
    }

    private static func unquoted(_ text: Substring) -> Substring {
        var text = text
        if text.last == ";" || text.last == "," { text.removeLast() }
        for quote in ["\"", "'"] where text.count >= 2 && text.hasPrefix(quote) && text.hasSuffix(quote) {
            return text.dropFirst().dropLast()
        }
        return text
    }

    private static func hexadecimalOctets(_ text: Substring) -> [UInt8]? {
        let digits = text.contains(":") ? text.filter { $0 != ":" }[...] : text
        guard digits.utf8.count == 64 || digits.utf8.count == 40 else { return nil }
        return bytes(hexadecimal: digits)
    }

    private static func base64Octets(_ text: Substring) -> [UInt8]? {
        var standard = String(text).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        // base64url is usually written without padding.
        while standard.count % 4 != 0 && standard.count % 4 != 1 { standard.append("=") }
        guard !standard.isEmpty else { return nil }
        return Base64.decode(String(standard))
    }
}

/// Why a text is no pin.
public struct SPKIPinError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// It is a SHA-1 digest, which nothing compares any more.
        case sha1
        /// It decodes to this many bytes instead of 32.
        case length(Int)
        /// It is nothing that looks like a pin.
        case unrecognised
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

extension SPKIPinError: CustomStringConvertible {
    /// What is wrong and which form is wanted.
    public var description: String {
        let what =
            switch reason {
            case .sha1: "is a SHA-1 pin, which can never match: pins are SHA-256"
            case .length(let count): "decodes to \(count) bytes; a SHA-256 pin has 32"
            case .unrecognised: "is not a pin"
            }
        let shown = text.count > 100 ? "\(text.prefix(100))…" : text
        return "'\(printable(shown))' \(what). Expected the SHA-256 of the public key in base64 (44 characters) or "
            + "hexadecimal (64 digits), with or without 'sha256/' in front"
    }
}
