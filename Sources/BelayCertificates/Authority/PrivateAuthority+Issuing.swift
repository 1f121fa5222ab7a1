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
    ///   - names: DNS names (A-labels), wildcards of the first label, IP addresses. The first DNS name is the common name
    ///     too, where it has room; addresses alone leave the subject empty.
    ///   - days: how long it is valid.
    ///   - key: the server's key.
    /// - Returns: the identity, with the certificates that the server has to send.
    /// - Throws: ``PrivateAuthorityError``.
    public func issueServer(
        names: [String], days: Int = usualDays, key: PrivateKey
    ) throws(PrivateAuthorityError) -> Identity {
        var all: [GeneralName] = []
        for name in names { all.append(try LeafName.host(name)) }
        let chain = try issueServer(names: all, days: days, publicKey: key.publicKey)
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
        var all: [GeneralName] = []
        if names.isEmpty {
            for name in request.subjectAlternativeNames where name.isServer { all.append(try LeafName.checked(name)) }
        } else {
            for name in names { all.append(try LeafName.host(name)) }
        }
        guard !all.isEmpty else {
            throw .unacceptable(
                "the request names no server: it has no alternative names, and the common name counts for nothing. "
                    + "Give the names, or make the request again with them")
        }
        return try issueServer(names: all, days: days, publicKey: request.publicKey)
    }

    /// Which names that a request asks for no server's certificate gets: those that are neither DNS names nor addresses.
    public static func namesLeftOut(of request: CertificateRequest) -> [GeneralName] {
        request.subjectAlternativeNames.filter { !$0.isServer }
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
        names: [GeneralName], days: Int, publicKey: PublicKey
    ) throws(PrivateAuthorityError) -> [Certificate] {
        let names = LeafName.distinct(names)
        guard !names.isEmpty else { throw .unacceptable("a server's certificate needs a name. Give at least one") }
        guard days >= 1, days <= Self.mostServerDays else {
            throw .unacceptable(
                "a server's certificate is valid for 1 to \(Self.mostServerDays) days: Apple's systems refuse more, also "
                    + "under an authority of one's own. Ask for other than \(days)")
        }
        var usage: KeyUsage = .digitalSignature
        // For peers that still exchange keys without forward secrecy.
        if case .rsa = publicKey.kind { usage.insert(.keyEncipherment) }
        var template = CertificateTemplate.server(names: [], keyUsage: usage, validity: .days(days))
        // An address as common name looks like a host to OpenSSL, which no constraint on DNS names would permit.
        template.subject = DistinguishedName(
            commonName: names.lazy.compactMap { name -> String? in
                if case .dns(let host) = name, host.utf8.count <= 64 { host } else { nil }
            }.first)
        template.set(.subjectAlternativeNames(names, isCritical: template.subject.isEmpty))
        return try issue(template, as: "server", publicKey)
    }

    private func issueClient(
        named name: String, email: String?, days: Int, publicKey: PublicKey
    ) throws(PrivateAuthorityError) -> [Certificate] {
        try LeafName.text(name, "a client's name")
        guard days >= 1 else {
            throw .unacceptable("a certificate is valid for a day at least. Ask for more than \(days)")
        }
        if let email { _ = try LeafName.email(email) }
        if LeafName.looksLikeHost(name), let constraints = try? issuer.certificate.nameConstraints,
            !constraints.admit(.dns(name))
        {
            throw .unacceptable(
                "'\(name)' looks like a host: OpenSSL, and with it curl and nginx, would refuse it, because the authority is "
                    + "confined to \(Self.text(constraints.permitted)). Write a space or a hyphen in place of the dots")
        }
        return try issue(.client(named: name, email: email, validity: .days(days)), as: "client", publicKey)
    }

    private func issue(
        _ template: CertificateTemplate, as kind: String, _ publicKey: PublicKey
    ) throws(PrivateAuthorityError) -> [Certificate] {
        try checkStrength(of: publicKey)
        guard publicKey.pin != issuer.certificate.pin, publicKey.pin != root.pin else {
            throw .unacceptable(
                "the key is the authority's own: whoever has such a certificate could issue others. Take another key")
        }
        try checkNames(of: template)
        let end = min(issuer.certificate.validity.notAfter, root.validity.notAfter)
        guard template.validity.notAfter <= end else {
            // As many as would be granted: a lifetime begins an hour early, and its last second counts.
            let left = Int(max(0, (end.timeIntervalSince(template.validity.notBefore) + 1) / 86_400))
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
                "the authority may not issue for \(name), only for \(Self.text(constraints.permitted)). "
                    + "Make another authority for it")
        }
    }

    private static func text(_ names: [GeneralName]) -> String {
        names.isEmpty ? "none" : names.map(\.description).joined(separator: ", ")
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

extension GeneralName {
    /// Whether it is of a kind that servers are known by.
    fileprivate var isServer: Bool {
        switch self {
        case .dns, .ipAddress: true
        default: false
        }
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
        case (.dns, .dns), (.email, .email): true
        case (.ipAddress(let range), .ipAddress(let address)): range.count == address.count * 2
        default: false
        }
    }

    private static func contains(_ subtree: GeneralName, _ name: GeneralName) -> Bool {
        switch (subtree, name) {
        case (.dns(let domain), .dns(let host)):
            let bare = (host.hasPrefix("*.") ? String(host.dropFirst(2)) : host).lowercased()
            return domain.isEmpty || bare == domain.lowercased() || bare.hasSuffix("." + domain.lowercased())
        case (.email(let base), .email(let address)):
            // RFC 5280, section 4.2.1.10: one mailbox, all of a host, or all of the hosts below a domain.
            if base.contains("@") { return base == address }
            let host = (address.lastIndex(of: "@").map { address[address.index(after: $0)...] } ?? "").lowercased()
            return base.hasPrefix(".") ? host.hasSuffix(base.lowercased()) : host == base.lowercased()
        case (.ipAddress(let range), .ipAddress(let address)) where range.count == address.count * 2:
            return address.indices.allSatisfy { address[$0] & range[address.count + $0] == range[$0] }
        default: return false
        }
    }
}
