/// Which values never appear in descriptions, by the names they go under.
///
/// Rather one too many: a description is for logs and bug reports, where a token that shows is worse than a value that does not.
package enum SensitiveNames {
    /// What stands in place of a secret.
    package static let redacted = "<redacted>"

    /// Names of header fields that hold no word of the lists below.
    private static let headers: Set<String> = ["cookie", "cookie2", "set-cookie", "set-cookie2"]
    /// Anywhere in a name whose separators are taken out.
    private static let parts = [
        "password", "passwd", "passphrase", "passcode", "pswd", "secret", "token", "apikey", "accesskey", "privatekey",
        "customerkey", "credential", "signature", "authorization", "sessionid", "sessionkey", "sessid",
        // Also Authentication-Info and its kin (RFC 9110, section 11.6.3).
        "authentication",
        // Signed statements about somebody: JWT bearer (RFC 7523), SAML, DPoP (RFC 9449).
        "assertion", "saml", "dpop",
        // What tells a form of one's own from another's.
        "csrf", "xsrf",
        // A client's certificate, handed on by a proxy (RFC 9440 and what was before it): not secret, but taken for proof.
        "clientcert", "clientprincipal",
    ]
    /// A word of a name.
    private static let words: Set<String> = [
        "pwd", "pass", "pw", "sig", "sas", "hmac", "jwt", "jws", "jwe", "tkn", "otp", "totp", "sid", "session", "auth",
        "bearer", "cvv", "cvc", "mnemonic",
        // Akamai's tokens.
        "hdnts", "hdnea", "hdntl",
    ]
    /// The last word of a name. OAuth's `code` and `code_verifier` (RFC 6749, RFC 7636) and CAS's `ticket` are among them.
    private static let lastWords: Set<String> = ["key", "pin", "code", "verifier", "ticket"]

    /// Whether a header field authenticates somebody.
    package static func coverHeader(_ name: String) -> Bool {
        headers.contains(name.lowercased()) || cover(name)
    }

    /// Whether a parameter, a field of a form or a member of an object sounds like a secret: `access_token`, `apiKey`,
    /// `user[password]`. Names may be percent-encoded.
    static func cover(_ name: String) -> Bool {
        let words = words(in: name)
        if words.contains(where: Self.words.contains) { return true }
        if let last = words.last, lastWords.contains(last) { return true }
        let whole = words.joined()
        return parts.contains { whole.hasPart($0) }
    }

    /// The words of a name in lower case, divided by punctuation and by capitals that follow small letters.
    private static func words(in name: String) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        var wasSmall = false
        for byte in percentDecoded(name) {
            let isLetterOrDigit = byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80
            let isCapital = byte.isASCIILetter && byte & 0x20 == 0
            if !isLetterOrDigit || (isCapital && wasSmall), !word.isEmpty {
                words.append(String(decoding: word, as: UTF8.self))
                word = []
            }
            if isLetterOrDigit { word.append(byte.asciiLowercased) }
            wasSmall = byte.isASCIILetter && !isCapital
        }
        if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
        return words
    }

    private static func percentDecoded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.contains(0x25) else { return bytes }
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x25, index + 2 < bytes.count,
                let value = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                output.append(value)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }
}

extension String {
    fileprivate func hasPart(_ part: String) -> Bool {
        var rest = utf8[...]
        while rest.count >= part.utf8.count {
            if rest.starts(with: part.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
