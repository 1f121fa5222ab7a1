/// Which values never appear in descriptions, by the names they go under.
///
/// Rather one too many: a description is for logs and bug reports, where a token that shows is worse than a value that does not.
enum SensitiveNames {
    /// What stands in place of a secret.
    static let redacted = "<redacted>"

    private static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2",
        "authentication-info", "proxy-authentication-info",
    ]
    private static let parts = [
        "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "credential",
        "signature", "authorization", "sessionid", "sessionkey",
    ]
    private static let words: Set<String> = ["pwd", "pass", "sig", "jwt", "otp", "pin", "sid", "auth", "key"]

    /// Whether a header field authenticates somebody.
    static func coverHeader(_ name: String) -> Bool {
        headers.contains(name.lowercased()) || cover(name)
    }

    /// Whether a parameter, a field of a form or a member of an object sounds like a secret: `access_token`, `apiKey`, `user[password]`.
    static func cover(_ name: String) -> Bool {
        let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return words.contains(plain) || parts.contains { plain.hasPart($0) }
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
