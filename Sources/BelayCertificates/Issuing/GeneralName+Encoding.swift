extension GeneralName {
    /// The name in DER.
    ///
    /// Text is written as it is, in UTF-8: what is not ASCII makes a name that readers must refuse, which tests want.
    package var der: [UInt8] {
        switch self {
        case .email(let text): DERWriter.element(.contextPrimitive(1), Array(text.utf8))
        case .dns(let text): DERWriter.element(.contextPrimitive(2), Array(text.utf8))
        case .uri(let text): DERWriter.element(.contextPrimitive(6), Array(text.utf8))
        case .ipAddress(let octets): DERWriter.element(.contextPrimitive(7), octets)
        case .registeredID(let identifier): DERWriter.element(.contextPrimitive(8), identifier.octets)
        // A Name is a CHOICE, so its tag is explicit.
        case .directory(let name): DERWriter.element(.contextConstructed(4), name.der)
        case .other(let type, let value):
            DERWriter.element(
                .contextConstructed(0),
                DERWriter.objectIdentifier(type) + DERWriter.element(.contextConstructed(0), value))
        case .unsupported(let tag, let value): DERWriter.element(.contextConstructed(tag), value)
        }
    }

    /// What a person typed as a server's name: an address where it is one, a DNS name otherwise.
    public init(host: String) {
        self = IPAddress(host).map { .ipAddress($0.octets) } ?? .dns(host)
    }
}
