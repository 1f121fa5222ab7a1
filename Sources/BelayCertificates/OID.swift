/// An object identifier: a name from the tree that X.509 uses for algorithms, extensions and purposes.
public struct OID: Sendable, Hashable {
    /// The contents octets of the DER encoding (X.690, 8.19), without tag and length.
    public let octets: [UInt8]

    /// Takes contents octets that a ``DERReader`` has checked.
    init(octets: some Sequence<UInt8>) {
        self.octets = Array(octets)
    }

    /// Makes an object identifier from its dotted form, for example `"1.3.6.1.5.5.7.3.1"`.
    ///
    /// Nil where the text is not an object identifier: at least two arcs, the first 0 to 2, the second below 40 under
    /// 0 and 1, each fitting in 64 bits.
    public init?(dotted: String) {
        var arcs: [UInt64] = []
        for part in dotted.split(separator: ".", omittingEmptySubsequences: false) {
            guard part.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let arc = UInt64(part) else { return nil }
            arcs.append(arc)
        }
        guard arcs.count >= 2, arcs[0] <= 2, arcs[0] == 2 || arcs[1] < 40 else { return nil }
        let (first, overflow) = arcs[1].addingReportingOverflow(arcs[0] * 40)
        guard !overflow else { return nil }
        octets = ([first] + arcs.dropFirst(2)).flatMap(OID.base128)
    }

    private static func base128(_ arc: UInt64) -> [UInt8] {
        var digits = [UInt8(arc & 0x7F)]
        var rest = arc >> 7
        while rest > 0 {
            digits.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return digits.reversed()
    }
}

extension OID: CustomStringConvertible {
    /// The dotted form. An arc that does not fit in 64 bits is printed as `?`.
    public var description: String {
        var arcs: [String] = []
        var value: UInt64 = 0
        var overflows = false
        for octet in octets {
            overflows = overflows || value >> 57 != 0
            value = value << 7 | UInt64(octet & 0x7F)
            guard octet & 0x80 == 0 else { continue }
            if arcs.isEmpty && !overflows {
                let root = min(value / 40, 2)
                arcs.append(String(root))
                value -= root * 40
            }
            arcs.append(overflows ? "?" : String(value))
            value = 0
            overflows = false
        }
        return arcs.joined(separator: ".")
    }
}

extension OID {
    /// The extended key usage for TLS servers, `id-kp-serverAuth` (RFC 5280, section 4.2.1.12).
    public static let serverAuthentication = OID(octets: [0x2B, 6, 1, 5, 5, 7, 3, 1])
    /// The extended key usage for TLS clients, `id-kp-clientAuth` (RFC 5280, section 4.2.1.12).
    public static let clientAuthentication = OID(octets: [0x2B, 6, 1, 5, 5, 7, 3, 2])
    /// `id-kp-emailProtection` (RFC 5280, section 4.2.1.12).
    public static let emailProtection = OID(octets: [0x2B, 6, 1, 5, 5, 7, 3, 4])
    /// `anyExtendedKeyUsage` (RFC 5280, section 4.2.1.12).
    public static let anyExtendedKeyUsage = OID(octets: [0x55, 0x1D, 0x25, 0])
    /// `id-ad-caIssuers`: where the issuer's certificate is published (RFC 5280, section 4.2.2.1).
    public static let certificateAuthorityIssuers = OID(octets: [0x2B, 6, 1, 5, 5, 7, 0x30, 2])
    /// `id-ad-ocsp`: where the OCSP responder is (RFC 5280, section 4.2.2.1).
    public static let onlineStatus = OID(octets: [0x2B, 6, 1, 5, 5, 7, 0x30, 1])
}
