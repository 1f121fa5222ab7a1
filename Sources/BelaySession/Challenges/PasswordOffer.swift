/// A way to authenticate by user name and password that a server offers and sessions know.
public struct PasswordOffer: Sendable, Hashable {
    /// The ways, the weakest first.
    public enum Scheme: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// The password goes to the server as it is (RFC 7617).
        case basic
        /// A digest with MD5 goes to the server (RFC 7616).
        case digestMD5
        /// A digest with SHA-256.
        case digestSHA256
        /// A digest with SHA-512/256.
        case digestSHA512

        /// The weaker one is the lesser.
        public static func < (left: Scheme, right: Scheme) -> Bool { left.rawValue < right.rawValue }

        /// Whether the password stays here.
        public var isDigest: Bool { self != .basic }
    }

    /// The way.
    public let scheme: Scheme
    /// What the password is for, in the server's words.
    public let realm: String
    /// Whether the server says that the last answer was right but for its nonce, so that the same password is to be used
    /// again (RFC 7616, section 3.3).
    public let isStale: Bool
    /// What the server said.
    let challenge: AuthenticateChallenge

    /// The offers that sessions know, the strongest first; of equal ones the earlier first.
    ///
    /// Basic without a realm and Digest without realm and nonce are no offers (RFC 7617, section 2; RFC 7616, section 3.3), and
    /// neither is Digest for whole bodies alone (`qop="auth-int"`).
    public static func offers(in challenges: [AuthenticateChallenge]) -> [PasswordOffer] {
        challenges.compactMap(PasswordOffer.init).enumerated().sorted { left, right in
            left.element.scheme == right.element.scheme
                ? left.offset < right.offset : left.element.scheme > right.element.scheme
        }.map(\.element)
    }

    private init?(_ challenge: AuthenticateChallenge) {
        guard let realm = challenge["realm"] else { return nil }
        self.realm = realm
        self.challenge = challenge
        isStale = challenge["stale"]?.equalsIgnoringCase("true") ?? false
        switch challenge.scheme {
        case "basic":
            scheme = .basic
        case "digest":
            guard challenge["nonce"] != nil else { return nil }
            if let quality = challenge["qop"] {
                let offered = quality.split(separator: ",").map { String($0).trimmingHeaderSpace() }
                guard offered.contains(where: { $0.equalsIgnoringCase("auth") }) else { return nil }
            }
            switch (challenge["algorithm"] ?? "MD5").lowercased() {
            case "md5", "md5-sess": scheme = .digestMD5
            case "sha-256", "sha-256-sess": scheme = .digestSHA256
            case "sha-512-256", "sha-512-256-sess": scheme = .digestSHA512
            default: return nil
            }
        default:
            return nil
        }
    }
}
