import BelayCertificates

/// A situation of the policy table: what a server presents, for which host it is asked, and what the app has pinned.
public struct Situation: Sendable {
    /// Its letter in the table.
    public let letter: Letter
    /// The host that is asked for.
    public let host: String
    /// What the server presents: the certificates in the order in which they are sent, and the key.
    public let identity: Identity
    /// The certificate that the app has pinned.
    public let pinned: Certificate

    /// The certificates as the server sends them, DER.
    public var chain: [[UInt8]] { identity.certificates.map(\.der) }

    /// The letters of the table.
    public enum Letter: String, Sendable, Hashable, CaseIterable, Codable, CodingKeyRepresentable {
        case a = "A"
        case b = "B"
        case c = "C"
        case d = "D"
        case e = "E"
        case f = "F"
        case g = "G"
        case h = "H"
        case i = "I"
        case j = "J"
        case k = "K"
        case l = "L"
        case m = "M"
        case n = "N"

        /// Its place in the alphabet, 0 for A.
        var position: Int { Letter.allCases.firstIndex(of: self) ?? 0 }
    }
}

extension Situation.Letter: Comparable {
    /// By the alphabet.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Situation.Letter {
    /// The situation in a line, as the policy table has it.
    public var summary: String {
        switch self {
        case .a: "public-CA chain, name matches, in date; the leaf is pinned"
        case .b: "public-CA chain, name does not match, in date; the leaf is pinned"
        case .c: "public-CA chain, name matches, leaf expired; the leaf is pinned"
        case .d: "self-signed server certificate, name matches, in date; it is pinned"
        case .e: "self-signed server certificate, name does not match, in date; it is pinned"
        case .f: "self-signed server certificate, name matches, expired; it is pinned"
        case .g: "attacker: self-signed certificate for the right name; another certificate is pinned"
        case .h: "attacker: public-CA certificate for another name; another certificate is pinned"
        case .i: "attacker: public-CA certificate mis-issued for the right name; another certificate is pinned"
        case .j:
            "private-CA chain, name matches, in date; the private root is pinned (not a system anchor, not sent by the server)"
        case .k: "public-CA chain, renewed leaf with the same key; the old leaf is pinned"
        case .l: "private-CA chain, name does not match, in date; the private root is pinned (not sent by the server)"
        case .m:
            "attacker: leaf for the right name, signed with an ordinary site certificate (not a CA) of the private CA; "
                + "the private root is pinned"
        case .n: "attacker: public-CA certificate for the attacker's own name, under the public root that is pinned"
        }
    }

    /// The situation and what makes it interesting, for people who do not know the field.
    public var explanation: String {
        switch self {
        case .a:
            "Everything is right: a public authority vouches for the server, the name is the one asked for, and the app "
                + "has pinned exactly this certificate."
        case .b:
            "The certificate is genuine but was issued for another host. Whoever accepts it has been talking to the wrong "
                + "server, or to the right one by the wrong name."
        case .c:
            "The certificate was right until three days ago. Nobody renewed it. The key and the name are still the "
                + "genuine ones."
        case .d:
            "No authority vouches for the server: it made its certificate itself, as devices and test servers do. The "
                + "app knows the certificate, because it has pinned it."
        case .e: "As D, but the certificate is for another host than the one asked for."
        case .f: "As D, but the certificate expired three days ago."
        case .g:
            "An attacker between app and server has made a certificate for the server's name. It took a minute and cost "
                + "nothing. No authority vouches for it, and it is not the pinned one."
        case .h:
            "An attacker answers with a genuine certificate of a public authority, issued for a host of the attacker's own."
        case .i:
            "A public authority was tricked, or forced, into issuing a certificate for the server's name to an attacker. "
                + "The system trusts it. This is the case that pinning was invented for."
        case .j:
            "A company vouches for its own servers. Its root is not among the system's anchors and the server does not "
                + "send it; the app has pinned it."
        case .k:
            "The server's certificate was renewed, with the key it had before. The app has pinned the old certificate: "
                + "the key is still the pinned one, the certificate is not."
        case .l: "As J, but the certificate is for another host of the same company."
        case .m:
            "The owner of an ordinary site certificate of the company uses its key to sign a certificate for the "
                + "server's name. Site certificates must not issue others, so this chain proves nothing, although every "
                + "signature in it is genuine and it leads to the pinned root."
        case .n:
            "The app has pinned the public authority's root instead of the server's own key. An attacker has a genuine "
                + "certificate of the same authority, for a host of the attacker's own."
        }
    }
}
