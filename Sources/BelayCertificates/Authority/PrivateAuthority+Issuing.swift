import FoundationEssentials

extension PrivateAuthority {
    /// How many days a server's certificate is valid unless asked otherwise: one less than the 398 that public authorities
    /// may give (CA/Browser Forum Baseline Requirements, section 6.3.2), as Apple recommends.
    public static let usualDays = 397

    /// How many days Apple's systems let the certificate of a server be valid that one's own authority issues
    /// (support.apple.com/103769).
    public static let mostServerDays = 825

    /// Issues a server's certificate that today's phones accept: alternative names, the purpose, SHA-2, a key of at least
    /// 2,048 bits or on a NIST curve, and a lifetime within ``mostServerDays``.
    ///
    /// - Parameters:
    ///   - names: DNS names, wildcards of one label, IP addresses; the first is the common name too, where it has room.
    ///   - days: how long it is valid.
    ///   - key: the server's key.
    /// - Returns: the identity, with the certificates that the server has to send.
    /// - Throws: ``PrivateAuthorityError``.
    public func issueServer(
        names: [String], days: Int = usualDays, key: PrivateKey
    ) throws(PrivateAuthorityError) -> Identity {
        let chain = try issueServer(names: names, days: days, publicKey: key.publicKey)
        return Identity(presenting: chain[0], Array(chain.dropFirst()), withKey: key)
    }

    /// Issues a server's certificate for a request: its key, and its names unless others are given.
    ///
    /// Of the extensions that the request asks for, only the names are taken; what the certificate is good for is the
    /// authority's to say.
    ///
    /// - Returns: the certificate and those that the server has to send with it.
    /// - Throws: ``PrivateAuthorityError``.
    public func issueServer(
        for request: CertificateRequest, names: [String] = [], days: Int = usualDays
    ) throws(PrivateAuthorityError) -> [Certificate] {
        let asked = request.subjectAlternativeNames.compactMap { name -> String? in
            switch name {
            case .dns(let name): name
            case .ipAddress(let octets): IPAddress.text(octets)
            default: nil
            }
        }
        let all = names.isEmpty ? asked : names
        guard !all.isEmpty else {
            throw .unacceptable(
                "the request names no server: it has no alternative names, and the common name counts for nothing. "
                    + "Give the names, or make the request again with them")
        }
        return try issueServer(names: all, days: days, publicKey: request.publicKey)
    }

    /// Issues a client's identity.
    ///
    /// - Parameters:
    ///   - name: the common name.
    ///   - email: an e-mail address among the alternative names.
    ///   - days: how long it is valid.
    ///   - key: the client's key.
    /// - Throws: ``PrivateAuthorityError``.
    public func issueClient(
        named name: String, email: String? = nil, days: Int = usualDays, key: PrivateKey
    ) throws(PrivateAuthorityError) -> Identity {
        let chain = try issueClient(named: name, email: email, days: days, publicKey: key.publicKey)
        return Identity(presenting: chain[0], Array(chain.dropFirst()), withKey: key)
    }

    /// Issues a client's certificate for the key of a request.
    ///
    /// - Returns: the certificate and those between it and the root.
    /// - Throws: ``PrivateAuthorityError``.
    public func issueClient(
        for request: CertificateRequest, named name: String, email: String? = nil, days: Int = usualDays
    ) throws(PrivateAuthorityError) -> [Certificate] {
        try issueClient(named: name, email: email, days: days, publicKey: request.publicKey)
    }

    private func issueServer(
        names: [String], days: Int, publicKey: PublicKey
    ) throws(PrivateAuthorityError) -> [Certificate] {
        guard !names.isEmpty else { throw .unacceptable("a server's certificate needs a name. Give at least one") }
        guard days <= Self.mostServerDays else {
            throw .unacceptable(
                "Apple's systems refuse servers' certificates that are valid for more than \(Self.mostServerDays) days, "
                    + "also under an authority of one's own. Ask for fewer than \(days)")
        }
        var usage: KeyUsage = .digitalSignature
        // For peers that still exchange keys without forward secrecy.
        if case .rsa = publicKey.kind { usage.insert(.keyEncipherment) }
        return try issue(.server(names: names, keyUsage: usage, validity: .days(days)), as: "server", publicKey)
    }

    private func issueClient(
        named name: String, email: String?, days: Int, publicKey: PublicKey
    ) throws(PrivateAuthorityError) -> [Certificate] {
        guard !name.isEmpty, name.unicodeScalars.count <= 64 else {
            // ub-common-name (RFC 5280, appendix A.1)
            throw .unacceptable("a client's name has 1 to 64 characters. Give another")
        }
        return try issue(.client(named: name, email: email, validity: .days(days)), as: "client", publicKey)
    }

    private func issue(
        _ template: CertificateTemplate, as kind: String, _ publicKey: PublicKey
    ) throws(PrivateAuthorityError) -> [Certificate] {
        try checkStrength(of: publicKey)
        try checkNames(of: template)
        let end = issuer.certificate.validity.notAfter
        guard template.validity.notAfter <= end else {
            let left = Int(max(0, end.timeIntervalSince(template.validity.notBefore) / 86_400))
            throw .outlivesAuthority(ends: CivilTime.text(end), daysLeft: left)
        }
        let leaf: Certificate
        do throws(IssuingError) { leaf = try issuer.issue(template, for: publicKey) } catch { throw .issuing(error) }
        // Written down before anybody gets it: what is not in the record cannot be revoked.
        try record(leaf, kind)
        return [leaf] + issuer.intermediates
    }

    /// A certificate beyond the authority's constraints would be refused everywhere.
    private func checkNames(of template: CertificateTemplate) throws(PrivateAuthorityError) {
        guard let constraints = try? issuer.certificate.nameConstraints else { return }
        for name in template.names where !constraints.admit(name) {
            throw .unacceptable(
                "the authority may not issue for \(name), only for "
                    + constraints.permitted.map(\.description).joined(separator: ", ")
                    + ". Make another authority for it")
        }
    }

    private func checkStrength(of key: PublicKey) throws(PrivateAuthorityError) {
        switch key.kind {
        case .rsa(let bits, _) where bits >= 2_048: return
        case .ellipticCurve(let curve) where ["P-256", "P-384", "P-521"].contains(curve.description): return
        default:
            throw .unacceptable(
                "Apple's systems refuse \(key) in certificates for TLS. Use RSA of 2,048 bits or more, P-256, P-384 or P-521"
            )
        }
    }

    private func record(_ certificate: Certificate, _ kind: String) throws(PrivateAuthorityError) {
        let entry = Entry(
            kind: kind, serial: hexadecimal(certificate.serialNumber), subject: certificate.subject.description,
            names: ((try? certificate.subjectAlternativeNames) ?? []).map(\.description),
            notBefore: CivilTime.text(certificate.validity.notBeforeSeconds),
            notAfter: CivilTime.text(certificate.validity.notAfterSeconds),
            sha256: certificate.fingerprint.hexadecimalText, pin: certificate.pin.description)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(entry) else { return }
        do throws(FileWritingError) {
            try FileWriting.append(Array(line) + [0x0A], to: recordFile, access: .owner)
        } catch {
            throw .writing(error)
        }
    }

    /// A line of the record.
    private struct Entry: Encodable {
        let kind: String
        let serial: String
        let subject: String
        let names: [String]
        let notBefore: String
        let notAfter: String
        let sha256: String
        let pin: String
    }
}

extension CertificateTemplate {
    /// The alternative names.
    fileprivate var names: [GeneralName] {
        for wanted in extensions
        where wanted.identifier.octets == [0x55, 0x1D, ExtensionKind.subjectAlternativeName.rawValue] {
            var reader = DERReader(wanted.value)
            return (try? GeneralName.readList(&reader)) ?? []
        }
        return []
    }
}

extension NameConstraints {
    /// Whether a server's name lies within: enough to refuse what would be issued in vain. Whether a chain is good is
    /// judged elsewhere.
    fileprivate func admit(_ name: GeneralName) -> Bool {
        let sameKind = permitted.filter { Self.areOfOneKind($0, name) }
        return (sameKind.isEmpty || sameKind.contains { Self.contains($0, name) })
            && !excluded.contains { Self.contains($0, name) }
    }

    private static func areOfOneKind(_ left: GeneralName, _ right: GeneralName) -> Bool {
        switch (left, right) {
        case (.dns, .dns): true
        case (.ipAddress(let range), .ipAddress(let address)): range.count == address.count * 2
        default: false
        }
    }

    private static func contains(_ subtree: GeneralName, _ name: GeneralName) -> Bool {
        switch (subtree, name) {
        case (.dns(let domain), .dns(let host)):
            let bare = host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
            return domain.isEmpty || bare == domain || bare.hasSuffix("." + domain)
        case (.ipAddress(let range), .ipAddress(let address)) where range.count == address.count * 2:
            return address.indices.allSatisfy { address[$0] & range[address.count + $0] == range[$0] }
        default: return false
        }
    }
}
