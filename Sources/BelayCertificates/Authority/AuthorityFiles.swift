import CSystem
import FoundationEssentials
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

    /// Whether the folder has an intermediate. Half of one is an error: to sign with the root would be silent and wrong.
    func hasIntermediate() throws(PrivateAuthorityError) -> Bool {
        let (certificate, key) = (path(Role.intermediate.certificate), path(Role.intermediate.key))
        switch (isThere(certificate), isThere(key)) {
        case (true, true): return true
        case (false, false): return false
        case (false, true): throw .incomplete(missing: certificate, beside: key)
        case (true, false): throw .incomplete(missing: key, beside: certificate)
        }
    }

    /// Whether something has the name, be it a link that leads nowhere.
    private func isThere(_ file: String) -> Bool {
        var status = stat()
        return lstat(file, &status) == 0
    }

    /// Makes the folder, and sees that nothing is in the way.
    ///
    /// - Returns: where the record of the authority that was there is now; nil without one.
    func prepare(_ withIntermediate: Bool, _ replacing: Bool) throws(PrivateAuthorityError) -> String? {
        do throws(FileWritingError) {
            try FileWriting.makeFolder(folder)
            var names = ["root.cer", Role.root.certificate, Role.root.key]
            // An old intermediate would be taken for one of the new root.
            names += [Role.intermediate.certificate, Role.intermediate.key, Self.record]
            for name in names { try FileWriting.check(path(name), replacing: replacing) }
        } catch {
            throw .writing(error)
        }
        try close()
        guard replacing else { return nil }
        let record = try keepRecord()
        if !withIntermediate {
            for name in [Role.intermediate.certificate, Role.intermediate.key] { unlink(path(name)) }
        }
        return record
    }

    /// Sees that the folder is the owner's alone: an empty one is made so.
    private func close() throws(PrivateAuthorityError) {
        // With a slash at its end a link would be followed.
        var name = folder[...]
        while name.count > 1, name.hasSuffix("/") { name = name.dropLast() }
        let descriptor = Glibc.open(String(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .openFolder(folder, "is a symbolic link, or cannot be opened. Name the folder itself")
        }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else {
            throw .openFolder(folder, "belongs to somebody else, who could change what is in it. Choose another folder")
        }
        guard status.st_mode & 0o077 != 0 else { return }
        let isEmpty = (try? FileReading.names(inFolder: folder))?.isEmpty == true
        guard isEmpty, fchmod(descriptor, 0o700) == 0 else {
            throw .openFolder(
                folder,
                "others can enter the folder (mode 0\(String(status.st_mode & 0o7777, radix: 8))), and it is not empty. "
                    + "Close it ('chmod 700'), or choose a new one")
        }
    }

    /// Gives the record another name: what the authority that is replaced issued must still be known.
    private func keepRecord() throws(PrivateAuthorityError) -> String? {
        guard isThere(path(Self.record)) else { return nil }
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { Glibc.close(descriptor) } }
        let moment = CivilTime.text(Date()).filter { $0 != "-" && $0 != ":" }
        for number in 1...100 {
            let name = "issued-before-\(moment)\(number == 1 ? "" : "-\(number)").ndjson"
            if belay_rename_in_folder(descriptor, Self.record, name, 0) == 0 { return path(name) }
            guard errno == EEXIST else { break }
        }
        throw .writing(FileWritingError(file: path(Self.record), problem: .refused("it cannot be renamed")))
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
        let found: [Certificate]
        do throws(CertificateFileError) {
            found = try Certificate.read(contentsOf: file)
        } catch {
            throw .certificate(error)
        }
        guard let certificate = found.first, found.count == 1 else {
            throw .notAnAuthority(file, "holds \(found.count) certificates, expected one")
        }
        guard (try? certificate.basicConstraints)?.isAuthority == true else {
            throw .notAnAuthority(file, "is no authority's certificate (\(certificate.subject))")
        }
        // RFC 5280, section 4.2.1.3: without the extension every use is allowed.
        let usage: KeyUsage?
        do throws(DERError) { usage = try certificate.keyUsage } catch {
            throw .notAnAuthority(file, "its key usage is malformed: \(error)")
        }
        guard usage?.contains(.keyCertSign) ?? true else {
            throw .notAnAuthority(file, "its key may not sign certificates (keyCertSign is missing)")
        }
        return certificate
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
