/// A bag of a PKCS#12 file (RFC 7292, section 4.2), with its attributes. Bags in bags are taken out.
struct PKCS12Bag {
    /// What is in it.
    let content: Content
    /// The name that programs show to people (RFC 2985, section 5.5.1).
    let friendlyName: String?
    /// What a key and its certificate have in common (RFC 2985, section 5.5.2).
    let localKeyID: [UInt8]?
    /// Whether Java's mark for trusted certificates is on it.
    let isTrusted: Bool

    /// What is in a bag.
    enum Content {
        /// A private key: PrivateKeyInfo (RFC 5958).
        case key(Secret)
        /// An encrypted private key: its AlgorithmIdentifier, and what comes out of it.
        case shroudedKey(algorithm: [UInt8], data: [UInt8])
        /// An X.509 certificate.
        case certificate([UInt8])
        /// Something else, in words.
        case other(String)
    }

    /// Reads all bags of SafeContents.
    ///
    /// - Throws: ``KeyStoreError/malformed(_:_:at:)``.
    static func read(_ contents: [UInt8], safe: Int) throws(KeyStoreError) -> [PKCS12Bag] {
        try readingPKCS12("in safe \(safe + 1)") {
            var reader = DERReader(try BER.normalized(contents))
            var bags: [PKCS12Bag] = []
            try readContents(&reader, depth: 0, into: &bags)
            return bags
        }
    }

    /// Bags that are read at most: files of trust stores hold some hundred.
    static let most = 4_096

    private static func readContents(
        _ reader: inout DERReader, depth: Int, into bags: inout [PKCS12Bag]
    ) throws {
        guard depth < 16 else { throw DERError(.other("bags lie too deep in each other"), at: reader.position) }
        let outer = try reader.enter(.sequence)
        while !reader.isAtEnd {
            guard bags.count < most else {
                throw DERError(.other("there are more than \(most) bags"), at: reader.position)
            }
            let bag = try reader.enter(.sequence)
            let type = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
            let explicit = try reader.enter(.contextConstructed(0))
            if type == PKCS12OID.safeContentsBag {
                try readContents(&reader, depth: depth + 1, into: &bags)
                try reader.leave(explicit)
                if !reader.isAtEnd { _ = try reader.read(.set) }
            } else {
                let content = try readContent(type, &reader)
                try reader.leave(explicit)
                bags.append(PKCS12Bag(content, attributes: &reader))
            }
            try reader.leave(bag)
        }
        try reader.leave(outer)
    }

    private static func readContent(_ type: OID, _ reader: inout DERReader) throws -> Content {
        switch type {
        case PKCS12OID.keyBag:
            return .key(Secret(reader.bytes[try reader.readAny().element]))
        case PKCS12OID.shroudedKeyBag:
            let outer = try reader.enter(.sequence)
            let algorithm = Array(reader.bytes[try reader.readAny().element])
            let data = try BER.octets(&reader, .octetString)
            try reader.leave(outer)
            return .shroudedKey(algorithm: algorithm, data: data)
        case PKCS12OID.certificateBag:
            let outer = try reader.enter(.sequence)
            let kind = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
            let explicit = try reader.enter(.contextConstructed(0))
            let element = try reader.readAny()
            try reader.leave(explicit)
            try reader.leave(outer)
            guard kind == PKCS12OID.x509Certificate, element.tag == .octetString else {
                return .other("a certificate that is not X.509 (\(AlgorithmNames.name(kind)))")
            }
            return .certificate(Array(reader.bytes[element.contents]))
        case PKCS12OID.revocationListBag:
            _ = try reader.readAny()
            return .other("a revocation list")
        case PKCS12OID.secretBag:
            _ = try reader.readAny()
            return .other("a secret")
        default:
            while !reader.isAtEnd { _ = try reader.readAny() }
            return .other("a bag of unknown type \(type)")
        }
    }

    /// Reads the attributes. One that is not well formed is left out: nothing depends on them but names.
    private init(_ content: Content, attributes reader: inout DERReader) {
        self.content = content
        var values: [OID: DERReader] = [:]
        if let set = try? reader.enter(.set) {
            while !reader.isAtEnd, let range = try? reader.readAny().element {
                var attribute = DERReader(reader.bytes, in: range)
                guard (try? attribute.enter(.sequence)) != nil,
                    let identifier = try? attribute.readObjectIdentifier(), (try? attribute.enter(.set)) != nil
                else { continue }
                values[OID(octets: reader.bytes[identifier])] = attribute
            }
            try? reader.leave(set)
        }
        friendlyName = values[PKCS12OID.friendlyName].flatMap(Self.text)
        localKeyID = values[PKCS12OID.localKeyID].flatMap { reader in
            var reader = reader
            return try? BER.octets(&reader, .octetString)
        }
        isTrusted = values[PKCS12OID.javaTrustedKeyUsage] != nil
    }

    private static func text(_ reader: DERReader) -> String? {
        var reader = reader
        guard let value = try? reader.readAny() else { return nil }
        let octets = reader.bytes[value.contents]
        guard value.tag == .bmpString else { return String(validating: octets, as: UTF8.self) }
        var units: [UInt16] = []
        var index = octets.startIndex
        while index + 1 < octets.endIndex {
            units.append(UInt16(octets[index]) << 8 | UInt16(octets[index + 1]))
            index += 2
        }
        // Some programs write the zero at the end of a C string too.
        if units.last == 0 { units.removeLast() }
        return String(decoding: units, as: UTF16.self)
    }
}
