import BelayCertificates

/// A server's challenge to authenticate by Digest (RFC 7616), and how often it was answered: what the next answer is made with.
///
/// libcurl could do it, but its handles know nothing of earlier challenges. It would begin each request with a body anew by one without, and
/// a server that has no objection to that would do what it asks for.
struct DigestChallenge: Sendable {
    /// The server's value that answers are for.
    let nonce: String
    private let realm: String
    private let opaque: String?
    /// As the server has it; nil where it says nothing, which means MD5.
    private let algorithm: String?
    private let digest: MessageDigest
    private let isSession: Bool
    /// Whether the server knows `qop`; RFC 2069's do not.
    private let hasQuality: Bool
    private let hashesUser: Bool
    /// The client's own value. One is enough for a challenge: the count tells answers apart.
    private let clientNonce: String
    private var count: UInt32 = 0

    /// Reads a challenge; nil where it is none of Digest, or one that ``PasswordOffer`` does not offer.
    init?(_ challenge: AuthenticateChallenge, clientNonce: String = DigestChallenge.random()) {
        guard let offer = PasswordOffer.offers(in: [challenge]).first, let nonce = challenge["nonce"] else {
            return nil
        }
        switch offer.scheme {
        case .basic: return nil
        case .digestMD5: digest = .md5
        case .digestSHA256: digest = .sha256
        case .digestSHA512: digest = .sha512Truncated
        }
        self.nonce = nonce
        self.clientNonce = clientNonce
        realm = offer.realm
        opaque = challenge["opaque"]
        algorithm = challenge["algorithm"]
        isSession = algorithm?.lowercased().hasSuffix("-sess") ?? false
        hasQuality = challenge["qop"] != nil
        hashesUser = challenge["userhash"]?.equalsIgnoringCase("true") ?? false
    }

    /// The value of the `Authorization` field for a request (RFC 7616, section 3.4).
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - target: its target: path and query, as they are sent.
    ///   - password: who the client is.
    /// - Returns: nil where OpenSSL does not have the digest.
    mutating func answer(_ method: String, _ target: String, _ password: UserPassword) -> String? {
        count &+= 1
        let digits = String(count, radix: 16)
        let number = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        let account = Secret(
            joining: Secret(text: "\(password.user):\(realm):"), password.password)
        guard var first = digest.hexadecimal(of: account), let second = digest.hexadecimal(of: "\(method):\(target)")
        else { return nil }
        if isSession {
            guard let derived = digest.hexadecimal(of: "\(first):\(nonce):\(clientNonce)") else { return nil }
            first = derived
        }
        let middle = hasQuality ? "\(nonce):\(number):\(clientNonce):auth" : nonce
        var user = password.user
        if hashesUser {
            guard let hash = digest.hexadecimal(of: "\(user):\(realm)") else { return nil }
            user = hash
        }
        guard let response = digest.hexadecimal(of: "\(first):\(middle):\(second)") else { return nil }
        // Which values have quotes is section 3.4's.
        var parts = [
            "username=\(Self.quoted(user))", "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))",
            "uri=\(Self.quoted(target))", "response=\"\(response)\"",
        ]
        if let algorithm { parts.append("algorithm=\(algorithm)") }
        if hasQuality {
            parts += ["cnonce=\"\(clientNonce)\"", "nc=\(number)", "qop=auth"]
        } else if isSession {
            parts.append("cnonce=\"\(clientNonce)\"")
        }
        if let opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        if hashesUser { parts.append("userhash=true") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// A quoted string (RFC 9110, section 5.6.4).
    private static func quoted(_ text: String) -> String {
        var output = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { output += "\\" }
            output.unicodeScalars.append(scalar)
        }
        return output + "\""
    }

    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(UInt64.random(in: 0...UInt64.max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
