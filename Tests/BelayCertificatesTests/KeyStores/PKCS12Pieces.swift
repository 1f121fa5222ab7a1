import BelayCertificates

/// PKCS#12 files put together by hand, for what no program writes (RFC 7292, section 4).
enum PKCS12Pieces {
    /// A bag of a type below `1.2.840.113549.1.12.10.1`.
    static func bag(_ type: UInt8, _ content: [UInt8], _ attributes: [UInt8]...) throws -> [UInt8] {
        DERWriter.sequence(
            DERWriter.objectIdentifier(try oid("1.2.840.113549.1.12.10.1.\(type)")),
            DERWriter.element(.contextConstructed(0), content),
            attributes.isEmpty ? [] : DERWriter.set(of: attributes))
    }

    static func key(_ key: PrivateKey, _ attributes: [UInt8]...) throws -> [UInt8] {
        DERWriter.sequence(
            DERWriter.objectIdentifier(try oid("1.2.840.113549.1.12.10.1.1")),
            DERWriter.element(.contextConstructed(0), try key.pkcs8DER().withUnsafeBytes { Array($0) }),
            DERWriter.set(of: attributes))
    }

    static func certificate(_ der: [UInt8], _ attributes: [UInt8]...) throws -> [UInt8] {
        DERWriter.sequence(
            DERWriter.objectIdentifier(try oid("1.2.840.113549.1.12.10.1.3")),
            DERWriter.element(
                .contextConstructed(0),
                DERWriter.sequence(
                    DERWriter.objectIdentifier(try oid("1.2.840.113549.1.9.22.1")),
                    DERWriter.element(.contextConstructed(0), DERWriter.element(.octetString, der)))),
            DERWriter.set(of: attributes))
    }

    /// Bags in a bag.
    static func nested(_ bags: [[UInt8]]) throws -> [UInt8] { try bag(6, contents(bags)) }

    static func name(_ text: String) throws -> [UInt8] {
        try attribute(
            "1.2.840.113549.1.9.20",
            DERWriter.element(.bmpString, text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }))
    }

    static func localKeyID(_ octets: [UInt8]) throws -> [UInt8] {
        try attribute("1.2.840.113549.1.9.21", DERWriter.element(.octetString, octets))
    }

    private static func attribute(_ type: String, _ value: [UInt8]) throws -> [UInt8] {
        DERWriter.sequence(DERWriter.objectIdentifier(try oid(type)), DERWriter.set(of: [value]))
    }

    static func contents(_ bags: [[UInt8]]) -> [UInt8] { DERWriter.element(.sequence, bags.flatMap { $0 }) }

    /// A file of safes that are not encrypted, without MAC or with one.
    static func file(_ safes: [[UInt8]]..., code: [UInt8] = []) throws -> [UInt8] {
        let data = try safes.map { bags in try content(7, 1, DERWriter.element(.octetString, contents(bags))) }
        return try file(content: contents(data), code: code)
    }

    /// A file around an AuthenticatedSafe.
    static func file(content: [UInt8], version: Int = 3, code: [UInt8] = []) throws -> [UInt8] {
        DERWriter.sequence(
            DERWriter.integer(version), try Self.content(7, 1, DERWriter.element(.octetString, content)), code)
    }

    /// A ContentInfo of a type below `1.2.840.113549.1`.
    static func content(_ standard: Int, _ type: Int, _ content: [UInt8]) throws -> [UInt8] {
        DERWriter.sequence(
            DERWriter.objectIdentifier(try oid("1.2.840.113549.1.\(standard).\(type)")),
            DERWriter.element(.contextConstructed(0), content))
    }

    /// A safe that is encrypted with a scheme.
    static func encrypted(_ scheme: String, _ parameters: [UInt8]) throws -> [UInt8] {
        try content(
            7, 6,
            DERWriter.sequence(
                DERWriter.integer(0),
                DERWriter.sequence(
                    DERWriter.objectIdentifier(try oid("1.2.840.113549.1.7.1")),
                    DERWriter.sequence(DERWriter.objectIdentifier(try oid(scheme)), parameters),
                    DERWriter.element(.contextPrimitive(0), [UInt8](repeating: 7, count: 32)))))
    }

    static func oid(_ dotted: String) throws -> OID {
        guard let identifier = OID(dotted: dotted) else { throw Tool.Failed(description: dotted) }
        return identifier
    }
}
