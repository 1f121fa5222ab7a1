/// A certificate as Java's stores hold it, with the name of its kind before it.
struct StoredCertificate {
    let type: String
    let contents: Range<Int>

    /// Reads the name of the kind and the block after it.
    init(_ reader: inout JavaDataReader, hasType: Bool = true) throws(KeyStoreError) {
        type = hasType ? try reader.readText() : "X.509"
        contents = try reader.readBlock()
    }

    /// Decodes it; nil where it is of another kind than X.509.
    func decoded(in bytes: [UInt8]) -> Result<Certificate, DERError>? {
        guard type == "X.509" || type == "X509" else { return nil }
        return Result { () throws(DERError) in try Certificate(der: Array(bytes[contents])) }
    }

    /// What it is as an entry of its own.
    func content(in bytes: [UInt8], isTrusted: Bool) -> KeyStore.Content {
        switch decoded(in: bytes) {
        case .success(let certificate): .certificate(certificate, isTrusted: isTrusted)
        case .failure(let error): .malformedCertificate(error)
        case nil: .other("a certificate of the kind \(printable(type))")
        }
    }
}

extension [StoredCertificate] {
    /// The certificates of a chain that can be read, and what is wrong with the first that cannot.
    func decoded(in bytes: [UInt8], of format: KeyStore.Format) -> (certificates: [Certificate], fault: KeyStoreError?)
    {
        var certificates: [Certificate] = []
        var fault: KeyStoreError?
        for (index, stored) in enumerated() {
            switch stored.decoded(in: bytes) {
            case .success(let certificate): certificates.append(certificate)
            case .failure(let error):
                fault =
                    fault
                    ?? .malformed(
                        format, "certificate \(index + 1) of a chain: \(error.reason)",
                        at: stored.contents.lowerBound + error.offset)
            case nil:
                fault =
                    fault
                    ?? .malformed(
                        format, "a certificate of the kind \(printable(stored.type)) in a chain",
                        at: stored.contents.lowerBound)
            }
        }
        return (certificates, fault)
    }
}

extension KeyStore.Content {
    /// What a private key and the certificates beside it are together.
    init(privateKey: PrivateKey, certificates: [Certificate]) {
        if certificates.isEmpty {
            self = .privateKey(privateKey)
        } else if let identity = try? Identity(certificates: certificates, privateKey: privateKey) {
            self = .identity(identity)
        } else {
            self = .mismatch(privateKey, certificates)
        }
    }

    /// The same where the key may not have opened or a certificate may be damaged.
    init(
        key: Result<PrivateKey, KeyStoreError>, chain: (certificates: [Certificate], fault: KeyStoreError?)
    ) {
        switch (key, chain.fault) {
        case (.failure(let error), _), (.success, let error?): self = .closedKey(error, chain.certificates)
        case (.success(let key), nil): self.init(privateKey: key, certificates: chain.certificates)
        }
    }
}
