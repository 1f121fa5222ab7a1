extension KeyStore {
    /// The one identity of a store, or the one with a name.
    ///
    /// ```swift
    /// let store = try KeyStore.read(contentsOf: "client.p12", passphrase: passphrase)
    /// let identity = try store.identity(named: "client")
    /// ```
    ///
    /// - Parameter name: an entry's name, as it is or with other capitals, or its certificate's subject as
    ///   ``DistinguishedName`` prints it; nil where the store has one identity only.
    /// - Throws: ``IdentityError/severalIdentities(_:)``, ``IdentityError/noSuchIdentity(_:among:)``, or why there is none.
    public func identity(named name: String? = nil) throws(IdentityError) -> Identity {
        let all = identities
        guard let name else {
            guard all.count <= 1 else { throw .severalIdentities(names) }
            guard let only = all.first else { throw reasonForNone }
            return only.identity
        }
        let chosen =
            all.first { $0.name == name } ?? all.first { $0.name?.lowercased() == name.lowercased() }
            ?? all.first { $0.identity.certificate.subject.description == name }
        guard let chosen else {
            // One that is there and does not open is not one that is missing.
            if let entry = entries.first(where: { $0.name?.lowercased() == name.lowercased() }),
                let reason = Self.reason(entry, others: certificates)
            {
                throw reason
            }
            guard !all.isEmpty else { throw reasonForNone }
            throw .noSuchIdentity(name, among: names)
        }
        return chosen.identity
    }

    /// The identities' names; the subject where there is none.
    private var names: [String] { identities.map { $0.name ?? $0.identity.certificate.nameInErrors } }

    /// Why there is no identity: the first thing that is wrong with a key.
    private var reasonForNone: IdentityError {
        for entry in entries {
            if let reason = Self.reason(entry, others: certificates) {
                if case .noCertificate = reason { return malformed ?? reason }
                return reason
            }
        }
        return malformed ?? .noPrivateKey
    }

    /// What is wrong with a key; nil where nothing is, or the entry is none.
    private static func reason(_ entry: Entry, others: [Certificate]) -> IdentityError? {
        switch entry.content {
        case .mismatch(_, let certificates):
            .keyMismatch(certificate: certificates.first?.nameInErrors ?? "any certificate beside it")
        case .closedKey(.privateKey(let error), _): .privateKey(error)
        case .closedKey(let error, _): .keyStore(error)
        case .privateKey: others.first.map { .keyMismatch(certificate: $0.nameInErrors) } ?? .noCertificate
        case .identity, .certificate, .malformedCertificate, .revocationList, .other: nil
        }
    }

    private var malformed: IdentityError? {
        for (index, entry) in entries.enumerated() {
            if case .malformedCertificate(let error) = entry.content {
                return .malformedCertificate(index: index, error)
            }
        }
        return nil
    }
}
