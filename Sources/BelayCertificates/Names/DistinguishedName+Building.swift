extension DistinguishedName {
    /// Puts a name together from attributes, one list for each relative distinguished name, the outermost first.
    public init(relativeNames: [[Attribute]]) {
        let der = DERWriter.element(
            .sequence,
            relativeNames.flatMap { relative in
                DERWriter.set(of: relative.map(\.der))
            })
        // What DERWriter made is well formed; only an attribute's type could be bad, and OID has checked it.
        self.init(der, in: 0..<der.count)
    }

    /// The usual name: country, organization and common name, those that are given, in this order.
    ///
    /// Texts are UTF8String, the country a PrintableString, as RFC 5280, section 4.1.2.4 and appendix A.1 demand.
    ///
    /// ```swift
    /// DistinguishedName(commonName: "www.example.com", organization: "Example Ltd").description
    /// // CN=www.example.com,O=Example Ltd
    /// ```
    public init(commonName: String?, organization: String? = nil, country: String? = nil) {
        var attributes: [Attribute] = []
        if let country { attributes.append(Attribute(type: .country, tag: .printableString, text: country)) }
        if let organization { attributes.append(Attribute(type: .organization, tag: .utf8String, text: organization)) }
        if let commonName { attributes.append(Attribute(type: .commonName, tag: .utf8String, text: commonName)) }
        self.init(relativeNames: attributes.map { [$0] })
    }

    /// The name without any attribute.
    public static let empty = DistinguishedName(relativeNames: [])
}

extension DistinguishedName.Attribute {
    /// Puts an attribute together; the octets are those of the text in UTF-8, whatever the kind of string.
    public init(type: OID, tag: DERTag = .utf8String, text: String) {
        self.init(type: type, tag: tag, octets: Array(text.utf8))
    }

    fileprivate var der: [UInt8] {
        DERWriter.sequence(DERWriter.objectIdentifier(type), DERWriter.element(tag, octets))
    }
}

extension OID {
    /// The attribute `commonName` (RFC 5280, appendix A.1).
    public static let commonName = OID(octets: [0x55, 4, 3])
    /// The attribute `countryName` (RFC 5280, appendix A.1).
    public static let country = OID(octets: [0x55, 4, 6])
    /// The attribute `organizationName` (RFC 5280, appendix A.1).
    public static let organization = OID(octets: [0x55, 4, 10])
    /// The attribute `organizationalUnitName` (RFC 5280, appendix A.1).
    public static let organizationalUnit = OID(octets: [0x55, 4, 11])
}
