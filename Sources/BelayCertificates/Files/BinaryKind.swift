/// What a DER file holds, guessed from the shape of its outer elements.
///
/// The guess only chooses a reader or the words of an error. It takes BER and truncated input too, since those are what
/// the words are needed for.
enum BinaryKind: Hashable {
    case certificate
    case request
    case revocationList
    case privateKey
    case encryptedPrivateKey
    case rsaPrivateKey
    case ellipticCurvePrivateKey
    case dsaPrivateKey
    case publicKey
    case rsaPublicKey
    case pkcs7
    case pkcs12
    /// A key store of Bouncy Castle's that is DER and encrypted as a whole.
    case bcfks
    case onlineStatusResponse
    /// A SEQUENCE of no known shape.
    case unknownDER
    /// Not a SEQUENCE at all.
    case notDER

    init(_ bytes: [UInt8]) {
        guard let outer = BERElement(bytes, at: 0), outer.tag == .sequence else {
            self = .notDER
            return
        }
        self = Self.recognise(outer.children(in: bytes, upTo: 10), bytes) ?? .unknownDER
    }

    private static func recognise(_ parts: [BERElement], _ bytes: [UInt8]) -> BinaryKind? {
        guard let first = parts.first else { return nil }
        let second = parts.dropFirst().first
        switch (first.tag, second?.tag) {
        case (.objectIdentifier, _):
            return first.contents(in: bytes).starts(with: pkcs7Prefix) ? .pkcs7 : nil
        case (.enumerated, _):
            return second == nil || second?.tag == .contextConstructed(0) ? .onlineStatusResponse : nil
        case (.integer, .sequence):
            guard let inner = second?.children(in: bytes, upTo: 1).first, inner.tag == .objectIdentifier else {
                return nil
            }
            return inner.contents(in: bytes).starts(with: pkcs7Prefix) ? .pkcs12 : .privateKey
        case (.integer, .octetString):
            return .ellipticCurvePrivateKey
        case (.integer, .integer):
            let count = parts.prefix { $0.tag == .integer }.count
            if count == 2 { return .rsaPublicKey }
            return count == 6 ? .dsaPrivateKey : .rsaPrivateKey
        case (.sequence, _):
            let inner = first.children(in: bytes, upTo: 5)
            if inner.first?.tag == .objectIdentifier {
                switch second?.tag {
                case .bitString: return .publicKey
                case .octetString: return .encryptedPrivateKey
                default: return nil
                }
            }
            if inner.count == 2, inner[1].tag == .octetString, second?.tag == .sequence {
                return inner[0].children(in: bytes, upTo: 1).first?.tag == .objectIdentifier ? .bcfks : nil
            }
            return recogniseSigned(inner, bytes)
        default:
            return nil
        }
    }

    /// Certificates, requests and revocation lists by the fields of their signed part.
    private static func recogniseSigned(_ fields: [BERElement], _ bytes: [UInt8]) -> BinaryKind? {
        func isAlgorithm(_ index: Int) -> Bool {
            guard index < fields.count, fields[index].tag == .sequence else { return false }
            return fields[index].children(in: bytes, upTo: 1).first?.tag == .objectIdentifier
        }
        func isTime(_ index: Int) -> Bool {
            index < fields.count && (fields[index].tag == .utcTime || fields[index].tag == .generalizedTime)
        }
        switch fields.first?.tag {
        case .contextConstructed(0): return .certificate
        case .integer where isAlgorithm(1): return isTime(3) ? .revocationList : .certificate
        case .integer where fields.count > 1 && fields[1].tag == .sequence: return .request
        case .sequence where isAlgorithm(0) && isTime(2): return .revocationList
        default: return nil
        }
    }

    /// The object identifiers of PKCS#7 begin with this.
    private static let pkcs7Prefix: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7]

    var isRecognised: Bool { self != .unknownDER && self != .notDER }

    /// Whether it is a private key that needs no passphrase.
    var isPlainPrivateKey: Bool {
        switch self {
        case .privateKey, .rsaPrivateKey, .ellipticCurvePrivateKey, .dsaPrivateKey: true
        default: false
        }
    }

    /// Whether it is a private key, encrypted or not.
    var isPrivateKey: Bool { isPlainPrivateKey || self == .encryptedPrivateKey }
}

extension BinaryKind: CustomStringConvertible {
    /// What it is, to be put after "found".
    var description: String {
        switch self {
        case .certificate: "a certificate"
        case .request: "a certificate signing request"
        case .revocationList: "a revocation list (CRL)"
        case .privateKey, .rsaPrivateKey, .ellipticCurvePrivateKey, .dsaPrivateKey: "a private key"
        case .encryptedPrivateKey: "an encrypted private key"
        case .publicKey, .rsaPublicKey: "a public key"
        case .pkcs7: "a PKCS#7 bundle"
        case .pkcs12: "a PKCS#12 identity file"
        case .bcfks:
            "a Bouncy Castle key store of the kind BCFKS, which is not read here; convert it to PKCS#12 with keytool"
        case .onlineStatusResponse: "an OCSP response"
        case .unknownDER: "DER of no known kind"
        case .notDER: "binary data of no known kind"
        }
    }
}

/// An element by its tag and where its contents are; they are cut where the input ends.
private struct BERElement {
    let tag: DERTag
    let range: Range<Int>

    init?(_ bytes: [UInt8], at start: Int, before end: Int? = nil) {
        let end = end ?? bytes.count
        guard let header = bytes.lenientHeader(at: start), header.contents <= end else { return nil }
        tag = DERTag(rawValue: bytes[start])
        // The contents of an indefinite length last, for a guess, as long as there is input.
        range = header.contents..<(header.length.map { min(end, header.contents + $0) } ?? end)
    }

    func contents(in bytes: [UInt8]) -> ArraySlice<UInt8> { bytes[range] }

    func children(in bytes: [UInt8], upTo limit: Int) -> [BERElement] {
        var result: [BERElement] = []
        var cursor = range.lowerBound
        while result.count < limit, cursor < range.upperBound,
            let child = BERElement(bytes, at: cursor, before: range.upperBound)
        {
            result.append(child)
            cursor = child.range.upperBound
        }
        return result
    }
}

extension [UInt8] {
    /// The header of an element: where its contents begin, and their length; nil for an indefinite one.
    fileprivate func lenientHeader(at start: Int) -> (contents: Int, length: Int?)? {
        guard start >= 0, start + 1 < count else { return nil }
        let first = Int(self[start + 1])
        if first < 0x80 { return (start + 2, first) }
        if first == 0x80 { return (start + 2, nil) }
        let octets = first & 0x7F
        guard octets <= 4, start + 2 + octets <= count else { return nil }
        let length = self[(start + 2)..<(start + 2 + octets)].reduce(0) { $0 << 8 | Int($1) }
        return (start + 2 + octets, length)
    }

    /// How long the outermost element says it is, in bytes with its header, where that is more than there are.
    var missingLength: Int? {
        guard let header = lenientHeader(at: 0), let length = header.length else { return nil }
        return header.contents + length > count ? header.contents + length : nil
    }
}
