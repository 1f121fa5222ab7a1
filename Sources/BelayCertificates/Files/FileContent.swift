/// What the bytes of a file are, told by their content and never by the file's name.
enum FileContent {
    /// Nothing, or only white space.
    case empty
    /// Text with at least one block of PEM.
    case text([PEM.Block])
    /// DER, as it is or as bare base64; more or less whole.
    case binary(BinaryKind, [UInt8])
    /// A key store of Java's or Bouncy Castle's, as it is or as bare base64; more or less whole.
    case store(KeyStore.Format, [UInt8])
    /// Something else, in words.
    case other(String)

    /// Looks at the bytes of a file.
    ///
    /// - Throws: ``PEMError`` where they are PEM and damaged.
    init(_ bytes: [UInt8]) throws(PEMError) {
        guard bytes.contains(where: { !Self.isSpace($0) }) else {
            self = .empty
            return
        }
        // DER is looked for first, since a comment in a certificate may hold whatever text; but "0" begins text as well.
        let kind = BinaryKind(bytes)
        if kind.isRecognised {
            self = .binary(kind, bytes)
            return
        }
        if let format = Self.storeFormat(bytes) {
            self = .store(format, bytes)
            return
        }
        if let name = Self.nameOfSignature(bytes) {
            self = .other(name)
            return
        }
        let blocks = try PEM.blocks(in: bytes)
        if !blocks.isEmpty {
            self = .text(blocks)
        } else if let decoded = Self.bareBase64(bytes) {
            self = Self.storeFormat(decoded).map { .store($0, decoded) } ?? .binary(BinaryKind(decoded), decoded)
        } else if kind == .unknownDER, bytes.missingLength != nil || bytes.prefix(64).contains(where: { $0 < 9 }) {
            self = .binary(kind, bytes)
        } else {
            self = .other(Self.isText(bytes) ? "text without a block of PEM" : "binary data of no known kind")
        }
    }

    /// Key stores that are not DER.
    private static func storeFormat(_ bytes: [UInt8]) -> KeyStore.Format? {
        JavaKeyStore.format(of: bytes) ?? (BouncyCastleStore.recognises(bytes) == .bks ? .bks : nil)
    }

    /// Base64 without BEGIN and END lines, of something that begins as DER or a key store does.
    private static func bareBase64(_ bytes: [UInt8]) -> [UInt8]? {
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let digits = (hasMark ? 3 : 0)..<bytes.count
        guard let decoded = Base64.decode(bytes, in: digits, skippingWhitespace: true),
            decoded.first == 0x30 || storeFormat(decoded) != nil
        else { return nil }
        return decoded
    }

    /// Files of other kinds that people mistake for certificates, by the bytes that they begin with.
    private static func nameOfSignature(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return "text in UTF-16 (it begins with a byte order mark); save it again as UTF-8 or ASCII"
        }
        if bytes.starts(with: [0x2D, 0, 0x2D, 0]) || bytes.starts(with: [0, 0x2D, 0, 0x2D]) {
            return "text in UTF-16; save it again as UTF-8 or ASCII"
        }
        if BouncyCastleStore.recognises(bytes) == .uber {
            return
                "a Bouncy Castle key store of the kind UBER, which is not read here; convert it to PKCS#12 with keytool"
        }
        if bytes.starts(with: [0x50, 0x4B, 3, 4]) { return "a ZIP archive" }
        if bytes.starts(with: [0x1F, 0x8B]) { return "data compressed by gzip" }
        let start = bytes.drop(while: isSpace).prefix(15).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        if start.starts(with: "<!doctype html".utf8) || start.starts(with: "<html".utf8) { return "an HTML page" }
        if start.starts(with: "---- begin ssh".utf8) || start.starts(with: "ssh-".utf8) { return "a key for SSH" }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self)?.unicodeScalars.prefix(4_096).allSatisfy {
            $0.value >= 0x20 || $0.value == 9 || $0.value == 10 || $0.value == 13
        } ?? false
    }
}

extension FileContent: CustomStringConvertible {
    /// What was found, to be put after "found", for example `a private key`.
    var description: String {
        switch self {
        case .empty: return "an empty file"
        case .text(let blocks):
            var names: [String] = []
            for block in blocks {
                let name = PEMKind(block.label).description
                if !names.contains(name) { names.append(name) }
            }
            return names.prefix(4).joined(separator: " and ") + (names.count > 4 ? " and more" : "")
        case .binary(let kind, _): return kind.description
        case .store(let format, _): return "a \(format == .bks ? "Bouncy Castle" : "Java") key store (\(format))"
        case .other(let name): return name
        }
    }
}

/// What a block of PEM holds, by its label.
enum PEMKind: Hashable {
    case certificate
    case trustedCertificate
    case request
    case revocationList
    case privateKey
    case opensshKey
    case publicKey
    case pkcs7
    /// Parameters of a curve or a Diffie-Hellman group, which often stand beside keys.
    case parameters
    case other(String)

    init(_ label: String) {
        switch label {
        case "CERTIFICATE", "X509 CERTIFICATE": self = .certificate
        case "TRUSTED CERTIFICATE": self = .trustedCertificate
        case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST": self = .request
        case "X509 CRL": self = .revocationList
        case "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY":
            self = .privateKey
        case "OPENSSH PRIVATE KEY": self = .opensshKey
        case "PUBLIC KEY", "RSA PUBLIC KEY": self = .publicKey
        case "PKCS7", "PKCS #7 SIGNED DATA", "CMS": self = .pkcs7
        case "EC PARAMETERS", "DH PARAMETERS", "X9.42 DH PARAMETERS", "DSA PARAMETERS": self = .parameters
        default: self = .other(label)
        }
    }

    var isPrivateKey: Bool { self == .privateKey || self == .opensshKey }
}

extension PEMKind: CustomStringConvertible {
    /// What it is, to be put after "found".
    var description: String {
        switch self {
        case .certificate: "a certificate"
        case .trustedCertificate: "an OpenSSL trusted certificate"
        case .request: BinaryKind.request.description
        case .revocationList: BinaryKind.revocationList.description
        case .privateKey: BinaryKind.privateKey.description
        case .opensshKey: "a private key in OpenSSH's own form"
        case .publicKey: BinaryKind.publicKey.description
        case .pkcs7: BinaryKind.pkcs7.description
        case .parameters: "key parameters"
        case .other(let label): "a block \"\(printable(label))\""
        }
    }
}
