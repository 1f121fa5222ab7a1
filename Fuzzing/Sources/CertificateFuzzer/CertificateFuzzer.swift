import BelayCertificates
import FuzzingSupport

/// Whatever is accepted as a certificate gives back its bytes, and every field of it can be asked for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCertificate(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    do throws(DERError) {
        let certificate = try Certificate(der: input)
        demand(certificate.der == input, "a certificate does not give back its bytes")
        demand((try? Certificate(der: input)) == certificate, "a certificate is not equal to itself read again")
        touchFields(of: certificate)
        rereadParts(of: certificate)
    } catch {
        demand((0...input.count).contains(error.offset), "the offset \(error.offset) is outside the input")
        use(error.description)
    }
    return 0
}

/// Decodes every field that is decoded on demand. None may trap, whatever the bytes are.
private func touchFields(of certificate: Certificate) {
    demand((1...3).contains(certificate.version), "the version is \(certificate.version)")
    demand(!certificate.serialNumber.isEmpty, "the serial number is empty")
    use(certificate.validity.description)
    use(certificate.validity.seconds)
    use(certificate.validity.contains(certificate.validity.notBefore))
    use(certificate.signature)
    use(certificate.signedBytes)
    use(certificate.signatureAlgorithm.description)
    use(certificate.signatureAlgorithm.hash)
    use(certificate.fingerprint.description)
    use(certificate.pin.description)
    use(certificate.description)
    use(certificate.hashValue)
    use(certificate.isSelfIssued)
    for name in [certificate.subject, certificate.issuer] {
        use(name.commonName)
        use(name.description)
        for attribute in name.relativeNames.joined() {
            use(attribute.text)
            use(attribute.type.description)
        }
    }
    use(certificate.publicKey.description)
    use(certificate.publicKey.algorithmIdentifier.description)
    use(certificate.publicKey.keyBytes)
    if case .ellipticCurve(let curve) = certificate.publicKey.kind { use(curve.bits) }
    touchExtensions(of: certificate)
}

/// Each extension is decoded when it is asked for, and then it is malformed or not, whatever the others are.
private func touchExtensions(of certificate: Certificate) {
    for entry in certificate.extensions { use(entry.identifier.description) }
    use(certificate.unhandledCriticalExtensions.map(\.description))
    use(certificate.issuerLocations)
    func decode(_ fields: () throws(DERError) -> Void) {
        do throws(DERError) {
            try fields()
        } catch {
            demand(
                (0...certificate.der.count).contains(error.offset), "the offset \(error.offset) is outside the input")
            use(error.description)
        }
    }
    decode { () throws(DERError) in use(try certificate.keyUsage?.description) }
    decode { () throws(DERError) in use(try certificate.extendedKeyUsage?.permits(.serverAuthentication)) }
    decode { () throws(DERError) in use(try certificate.basicConstraints?.pathLength) }
    decode { () throws(DERError) in use(try certificate.subjectKeyIdentifier) }
    decode { () throws(DERError) in use(try certificate.authorityKeyIdentifier?.issuer?.map(\.description)) }
    decode { () throws(DERError) in use(try certificate.authorityInformationAccess.map(\.location.description)) }
    decode { () throws(DERError) in
        use(try certificate.revocationListDistributionPoints.flatMap(\.names).map(\.description))
    }
    decode { () throws(DERError) in
        for name in try certificate.subjectAlternativeNames ?? [] {
            use(name.description)
            if case .ipAddress(let octets) = name { use(IPAddress(octets: octets)?.description) }
        }
    }
    decode { () throws(DERError) in
        guard let constraints = try certificate.nameConstraints else { return }
        use((constraints.permitted + constraints.excluded).map(\.description))
    }
}

/// A part that was accepted inside a certificate is accepted alone, and is the same.
private func rereadParts(of certificate: Certificate) {
    for name in [certificate.subject, certificate.issuer] {
        let alone = try? DistinguishedName(der: name.der)
        demand(alone == name, "a name is not equal to itself read alone")
        demand(alone?.hashValue == name.hashValue, "equal names have different hashes")
        demand(name.isWithin(name), "a name is not within itself")
    }
    let alone = try? PublicKey(der: certificate.publicKey.der)
    demand(alone == certificate.publicKey, "a key is not equal to itself read alone")
    demand(alone?.pin == certificate.pin, "the pin of the certificate is not the pin of its key")
}
