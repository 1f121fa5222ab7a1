import Glibc

/// The folder of an authority.
struct AuthorityFiles {
    let folder: String

    /// Whose files they are.
    enum Role {
        case root
        case intermediate

        private var name: String { self == .root ? "root" : "intermediate" }
        var certificate: String { name + ".pem" }
        var key: String { name + ".key" }
    }

    /// The name of the record.
    static let record = "issued.ndjson"

    func path(_ name: String) -> String { folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)" }

    /// Whether the folder has an intermediate.
    var hasIntermediate: Bool { access(path(Role.intermediate.certificate), F_OK) == 0 }

    /// Makes the folder, and sees that nothing is in the way.
    func prepare(_ withIntermediate: Bool, _ replacing: Bool) throws(PrivateAuthorityError) {
        do throws(FileWritingError) {
            try FileWriting.makeFolder(folder)
            var names = ["root.cer", Role.root.certificate, Role.root.key]
            // An old intermediate would be taken for one of the new root.
            names += [Role.intermediate.certificate, Role.intermediate.key, Self.record]
            for name in names { try FileWriting.check(path(name), replacing: replacing) }
        } catch {
            throw .writing(error)
        }
        guard replacing else { return }
        var stale = [Self.record]
        if !withIntermediate { stale += [Role.intermediate.certificate, Role.intermediate.key] }
        for name in stale { unlink(path(name)) }
    }

    /// Writes certificate and key: the key first, since without it the certificate is worth nothing.
    func write(
        _ issuer: CertificateIssuer, as role: Role, _ passphrase: Secret?, _ replacing: Bool
    ) throws(PrivateAuthorityError) {
        let key = path(role.key)
        let contents: Secret
        do throws(PrivateKeyError) {
            // Encrypted it is no secret any more; it is kept like one all the same.
            contents =
                if let passphrase {
                    Secret(text: try issuer.privateKey.encryptedPKCS8PEM(passphrase: passphrase))
                } else {
                    try issuer.privateKey.pkcs8PEM()
                }
        } catch {
            throw .key(PrivateKeyFileError(file: key, problem: error))
        }
        let pem = issuer.certificate.pem
        do throws(FileWritingError) {
            try FileWriting.write(contents, to: key, replacing: replacing)
            try FileWriting.write(pem, to: path(role.certificate), access: .everybody, replacing: replacing)
            guard role == .root else { return }
            try FileWriting.write(
                issuer.certificate.der, to: path("root.cer"), access: .everybody, replacing: replacing)
        } catch {
            throw .writing(error)
        }
    }

    /// The certificate of the root or the intermediate.
    func certificate(_ role: Role) throws(PrivateAuthorityError) -> Certificate {
        let file = path(role.certificate)
        guard access(file, F_OK) == 0 else { throw .none(folder: folder) }
        do throws(CertificateFileError) {
            let found = try Certificate.read(contentsOf: file)
            guard let first = found.first else { throw CertificateFileError(file: file, problem: .empty) }
            return first
        } catch {
            throw .certificate(error)
        }
    }

    /// The key of the root or the intermediate.
    func key(_ role: Role, _ passphrase: Secret?) throws(PrivateAuthorityError) -> PrivateKey {
        do throws(PrivateKeyFileError) {
            return try PrivateKey.read(contentsOf: path(role.key), passphrase: passphrase)
        } catch {
            throw .key(error)
        }
    }
}
