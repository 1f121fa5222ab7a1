import BelayCertificates

/// What a text that should be a pin is.
enum PinText {
    /// The digest that a text is the base64 of, as Apple's decoder takes it: bits of the last character that belong to no byte do not
    /// matter.
    static func digest(_ text: String) -> SHA256Digest? {
        if let bytes = Base64.decode(text) { return SHA256Digest(bytes: bytes) }
        var units = Array(text.utf8)
        guard units.count == 44, units[43] == UInt8(ascii: "="), let value = alphabet.firstIndex(of: units[42]) else {
            return nil
        }
        units[42] = alphabet[value & ~3]
        return Base64.decode(String(decoding: units, as: UTF8.self)).flatMap { SHA256Digest(bytes: $0) }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// What is wrong with a text that is no pin.
    struct Problem {
        /// Whether it is the digest of another function.
        let isOtherHash: Bool
        let text: String
        /// The pin that must have been meant, where that is certain.
        var expected: String?
        let found: String
    }

    /// nil where nothing more is known than that it is no pin.
    static func problem(_ text: String) -> Problem? {
        let bare = String(text.filter { !$0.isWhitespace })
        for prefix in ["sha256/", "sha256//", "sha-256/", "pin-sha256="] where bare.lowercased().hasPrefix(prefix) {
            let rest = bare.dropFirst(prefix.count).drop { $0 == "/" }.filter { $0 != "\"" }
            return Problem(
                isOtherHash: false, text: "has a prefix, which other clients want and Apple's systems do not decode",
                expected: digest(String(rest))?.base64Text, found: "a prefix")
        }
        if bare.lowercased().hasPrefix("sha1/") || bare.lowercased().hasPrefix("sha-1/") {
            return Problem(isOtherHash: true, text: "is a SHA-1 digest", found: "SHA-1")
        }
        if let bytes = hexadecimalBytes(bare) {
            switch bytes.count {
            case 32:
                return Problem(
                    isOtherHash: false, text: "is in hexadecimal", expected: Base64.encode(bytes),
                    found: "hexadecimal")
            case 20: return Problem(isOtherHash: true, text: "is a SHA-1 digest in hexadecimal", found: "SHA-1")
            case 16: return Problem(isOtherHash: true, text: "is an MD5 digest in hexadecimal", found: "MD5")
            case 48, 64:
                return Problem(
                    isOtherHash: true, text: "is a SHA-\(bytes.count * 8) digest in hexadecimal",
                    found: "SHA-\(bytes.count * 8)")
            default: break
            }
        }
        return base64Problem(text, bare)
    }

    private static func base64Problem(_ text: String, _ bare: String) -> Problem? {
        if bare.utf8.count != text.utf8.count, let digest = digest(bare) {
            return Problem(
                isOtherHash: false, text: "has white space in it", expected: digest.base64Text, found: "white space")
        }
        let usual = String(bare.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padded = usual + String(repeating: "=", count: (4 - usual.utf8.count % 4) % 4)
        if let digest = digest(padded) {
            return Problem(
                isOtherHash: false, text: usual == bare ? "lacks its padding" : "is in the alphabet of base64url",
                expected: digest.base64Text, found: usual == bare ? "no padding" : "base64url")
        }
        guard let bytes = Base64.decode(bare) else { return nil }
        switch bytes.count {
        case 20: return Problem(isOtherHash: true, text: "is a SHA-1 digest", found: "20 bytes, SHA-1")
        case 16: return Problem(isOtherHash: true, text: "is an MD5 digest", found: "16 bytes, MD5")
        case 48, 64:
            return Problem(
                isOtherHash: true, text: "is a SHA-\(bytes.count * 8) digest",
                found: "\(bytes.count) bytes, SHA-\(bytes.count * 8)")
        default: return nil
        }
    }

    /// The bytes of hexadecimal digits, with or without colons.
    private static func hexadecimalBytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
        guard !digits.isEmpty, digits.count % 2 == 0, digits.count <= 256 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue.map({ UInt8($0) }) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
