/// Where certificates and keys are among files: whose issuer is where, and what stands there twice.
struct TriageIndex {
    private let certificates: [(certificate: Certificate, file: String)]
    /// Keys with their certificates, those with the longest chain first, then keys alone.
    private let keys: [(key: PublicKey, file: String)]

    /// - Parameter files: their names and what is in them; nil for those that hold neither certificate nor key.
    init(_ files: [(name: String, store: KeyStore?)]) {
        certificates = files.flatMap { file in (file.store?.certificates ?? []).map { ($0, file.name) } }
        let all = files.flatMap { file in
            (file.store?.entries ?? []).compactMap { entry -> (key: PublicKey, file: String, chain: Int)? in
                switch entry.content {
                case .identity(let identity):
                    (identity.privateKey.publicKey, file.name, identity.certificates.count)
                case .privateKey(let key), .mismatch(let key, _): (key.publicKey, file.name, 0)
                default: nil
                }
            }
        }
        keys = all.enumerated().sorted { ($1.element.chain, $0.offset) < ($0.element.chain, $1.offset) }
            .map { ($0.element.key, $0.element.file) }
    }

    /// What an entry is.
    func pieces(of entry: KeyStore.Entry, in file: String) -> [FileTriage.Piece] {
        switch entry.content {
        case .identity(let identity):
            let role = FileTriage.Role(identity.certificate, hasKey: true)
            let fullest = keys.first { $0.key == identity.privateKey.publicKey }?.file
            return [piece(role, identity.certificate, in: file, sameAs: fullest == file ? nil : fullest)]
                + identity.chain.map { piece(FileTriage.Role($0, hasKey: false), $0, in: file) }
        case .certificate(let certificate, _):
            return [piece(FileTriage.Role(certificate, hasKey: false), certificate, in: file)]
        case .privateKey(let key):
            return [keyPiece(.privateKey, key.publicKey, in: file)]
        case .mismatch(let key, let certificates):
            return [keyPiece(.mismatch, key.publicKey, in: file)]
                + certificates.map { piece(FileTriage.Role($0, hasKey: false), $0, in: file) }
        case .closedKey(_, let certificates):
            return [bare(.closedKey)] + certificates.map { piece(FileTriage.Role($0, hasKey: false), $0, in: file) }
        case .revocationList: return [bare(.revocationList)]
        case .malformedCertificate, .other: return [bare(.other)]
        }
    }

    private func piece(
        _ role: FileTriage.Role, _ certificate: Certificate, in file: String, sameAs: String? = nil
    ) -> FileTriage.Piece {
        let earlier = certificates.first { $0.certificate == certificate }?.file
        // That the certificate stands elsewhere makes an identity no duplicate: its key is what counts.
        let twin = role.hasKey ? sameAs : (earlier == file ? nil : earlier)
        return FileTriage.Piece(
            role: role, subject: certificate.nameInErrors, certificate: certificate,
            issuedBy: issuer(of: certificate), sameAs: twin, keyOf: nil)
    }

    private func keyPiece(_ role: FileTriage.Role, _ key: PublicKey, in file: String) -> FileTriage.Piece {
        let fullest = keys.first { $0.key == key }?.file
        let owner = certificates.first { $0.certificate.publicKey == key }
        var role = role
        switch owner.map({ FileTriage.Role($0.certificate, hasKey: true) }) {
        case .serverIdentity?: role = .serverKey
        case .authorityIdentity?: role = .authorityKey
        default: break
        }
        return FileTriage.Piece(
            role: role, subject: nil, certificate: nil, issuedBy: nil, sameAs: fullest == file ? nil : fullest,
            keyOf: owner?.file)
    }

    private func bare(_ role: FileTriage.Role) -> FileTriage.Piece {
        FileTriage.Piece(role: role, subject: nil, certificate: nil, issuedBy: nil, sameAs: nil, keyOf: nil)
    }

    /// The file of a certificate that signed this one.
    private func issuer(of certificate: Certificate) -> String? {
        guard !certificate.isSelfIssued else { return nil }
        return certificates.first { candidate in
            candidate.certificate.subject == certificate.issuer
                && (VerificationKey(candidate.certificate.publicKey).map { certificate.isSigned(by: $0) } ?? false)
        }?.file
    }
}

extension FileTriage.Role {
    /// Whether a private key is part of it.
    var hasKey: Bool {
        switch self {
        case .serverIdentity, .clientIdentity, .identity, .authorityIdentity: true
        default: false
        }
    }

    /// What a certificate is for, by what it says of itself.
    init(_ certificate: Certificate, hasKey: Bool) {
        let constraints = (try? certificate.basicConstraints) ?? nil
        // Version 1 has no extensions to say so.
        if constraints?.isAuthority == true || (certificate.version == 1 && certificate.isSelfIssued) {
            self = hasKey ? .authorityIdentity : (certificate.isSelfIssued ? .root : .intermediate)
            return
        }
        let purposes = (try? certificate.extendedKeyUsage) ?? nil
        var hasHost = false
        for name in (try? certificate.subjectAlternativeNames) ?? [] {
            switch name {
            case .dns, .ipAddress: hasHost = true
            default: break
            }
        }
        let isForServers = purposes?.permits(.serverAuthentication) ?? hasHost
        let isForClients = purposes?.permits(.clientAuthentication) ?? !hasHost
        switch (isForServers, isForClients) {
        case (true, false): self = hasKey ? .serverIdentity : .server
        case (false, true): self = hasKey ? .clientIdentity : .client
        // A host's name says more than that it may be a client as well, as many authorities write into all.
        case (true, true): self = hasKey ? (hasHost ? .serverIdentity : .identity) : (hasHost ? .server : .leaf)
        case (false, false): self = hasKey ? .identity : .leaf
        }
    }
}
