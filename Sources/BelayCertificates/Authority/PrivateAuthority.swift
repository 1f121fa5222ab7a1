import FoundationEssentials
import Glibc

/// A certificate authority of one's own, kept in a folder.
///
/// | file | what it is |
/// | --- | --- |
/// | `root.cer` | the root in DER, as phones and computers take it |
/// | `root.pem` | the root in PEM, as servers take it |
/// | `root.key` | its key, PKCS#8, encrypted unless that was declined |
/// | `intermediate.pem`, `intermediate.key` | the same of the intermediate, where there is one: then it issues |
/// | `issued.ndjson` | a line for each certificate that was issued |
///
/// The folder is for its owner alone (mode 0700), and so is each key in it (0600).
///
/// ```swift
/// let authority = try PrivateAuthority.create(.init(name: "Example"), in: "ca", passphrase: passphrase)
/// let server = try authority.issueServer(names: ["api.example.com"], key: .generate(.p256))
/// ```
public struct PrivateAuthority: Sendable {
    /// Where it is kept.
    public let folder: String
    /// What phones and servers have to trust.
    public let root: Certificate
    /// Who signs: the intermediate where there is one, else the root.
    public let issuer: CertificateIssuer
    /// The record of the authority that had the folder before and was replaced; nil where there was none.
    public let formerRecordFile: String?

    /// What a new authority shall be.
    public struct Plan: Sendable, Hashable {
        /// What people shall see, for example the company's name.
        public var name: String
        /// The organization in its certificates.
        public var organization: String?
        /// How long its certificates are valid, in days.
        public var days = 3_650
        /// The kind of its keys.
        public var key = PrivateKey.Specification.p256
        /// Whether an intermediate issues, so that the root's key can be taken away.
        public var hasIntermediate = false
        /// For which names it may issue; nil for all.
        public var nameConstraints: NameConstraints?

        /// A plan with the usual settings.
        public init(name: String) {
            self.name = name
        }
    }

    /// Makes an authority in a folder, which is made where there is none.
    ///
    /// - Parameters:
    ///   - plan: what it shall be.
    ///   - folder: where it is kept.
    ///   - passphrase: what its keys are encrypted with; nil to write them as they are.
    ///   - replacing: whether an authority in the folder may be replaced, with which all that it issued is lost.
    /// - Throws: ``PrivateAuthorityError``.
    public static func create(
        _ plan: Plan, in folder: String, passphrase: Secret?, replacing: Bool = false
    ) throws(PrivateAuthorityError) -> PrivateAuthority {
        let files = AuthorityFiles(folder: folder)
        try LeafName.text("\(plan.name) Issuing", "an authority's name")
        if let organization = plan.organization { try LeafName.text(organization, "an organization") }
        // Nothing is made that cannot be kept.
        let formerRecord = try files.prepare(plan.hasIntermediate, replacing)
        let validity = Validity.days(plan.days)
        let (root, issuer): (CertificateIssuer, CertificateIssuer)
        do throws(IssuingError) {
            root = try CertificateIssuer.selfSigned(
                .authority(
                    named: "\(plan.name) Root", organization: plan.organization,
                    pathLength: plan.hasIntermediate ? 1 : 0, nameConstraints: plan.nameConstraints, validity: validity),
                key: try newKey(plan.key))
            issuer =
                plan.hasIntermediate
                ? try root.issueAuthority(
                    .authority(
                        named: "\(plan.name) Issuing", organization: plan.organization, pathLength: 0,
                        nameConstraints: plan.nameConstraints, validity: validity),
                    key: try newKey(plan.key)) : root
        } catch {
            throw .issuing(error)
        }
        try files.write(root, as: .root, passphrase, replacing)
        if plan.hasIntermediate { try files.write(issuer, as: .intermediate, passphrase, replacing) }
        return PrivateAuthority(
            folder: folder, root: root.certificate, issuer: issuer, formerRecordFile: formerRecord)
    }

    /// Opens an authority: whole, and one that may issue.
    ///
    /// - Parameters:
    ///   - folder: where it is kept.
    ///   - passphrase: what opens the key that issues; not used where that is not encrypted.
    /// - Throws: ``PrivateAuthorityError``.
    public static func open(_ folder: String, passphrase: Secret? = nil) throws(PrivateAuthorityError)
        -> PrivateAuthority
    {
        let files = AuthorityFiles(folder: folder)
        let root = try files.certificate(.root)
        let issues: AuthorityFiles.Role = try files.hasIntermediate() ? .intermediate : .root
        let certificate = issues == .root ? root : try files.certificate(.intermediate)
        guard issues == .root || VerificationKey(root.publicKey).map({ certificate.isSigned(by: $0) }) == true else {
            throw .mismatch(
                files.path(issues.certificate), "was not issued by the root in \(AuthorityFiles.Role.root.certificate)")
        }
        let key = try files.key(issues, passphrase)
        do throws(IdentityError) {
            let issuer = try CertificateIssuer(certificate: certificate, privateKey: key)
            return PrivateAuthority(folder: folder, root: root, issuer: issuer, formerRecordFile: nil)
        } catch {
            throw .mismatch(files.path(issues.key), error.description)
        }
    }

    private static func newKey(_ specification: PrivateKey.Specification) throws(IssuingError) -> PrivateKey {
        do throws(PrivateKeyError) { return try PrivateKey.generate(specification) } catch { throw .key(error) }
    }

    /// The file of the root for servers.
    public var rootFile: String { AuthorityFiles(folder: folder).path(AuthorityFiles.Role.root.certificate) }

    /// The file of the root for phones.
    public var rootFileForDevices: String { AuthorityFiles(folder: folder).path("root.cer") }

    /// The file of the key that issues.
    public static func keyFile(in folder: String) -> String {
        let files = AuthorityFiles(folder: folder)
        return files.path(((try? files.hasIntermediate()) == true ? AuthorityFiles.Role.intermediate : .root).key)
    }

    /// The file of the key that issues, where it is neither encrypted nor its owner's alone: others can read it and are the
    /// authority then.
    public static func exposedKeyFile(in folder: String) -> String? {
        let file = keyFile(in: folder)
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & 0o077 != 0,
            (try? PrivateKey.read(contentsOf: file)) != nil
        else { return nil }
        return file
    }

    /// The record of what was issued.
    public var recordFile: String { AuthorityFiles(folder: folder).path(AuthorityFiles.record) }
}

/// Why an authority could not be made or used.
public enum PrivateAuthorityError: Error, Sendable, Hashable {
    /// A file could not be written.
    case writing(FileWritingError)
    /// There is no authority in the folder.
    case none(folder: String)
    /// Its certificate cannot be read.
    case certificate(CertificateFileError)
    /// Its key cannot be read.
    case key(PrivateKeyFileError)
    /// A key does not belong to its certificate, or a certificate to its root; which file, and what was found.
    case mismatch(String, String)
    /// A file does not hold what an authority has there; which file, and what was found.
    case notAnAuthority(String, String)
    /// A file of the authority is missing, with what stands beside it.
    case incomplete(missing: String, beside: String)
    /// Others can enter the folder, or it is a link; which, and what is wrong.
    case openFolder(String, String)
    /// A certificate could not be issued.
    case issuing(IssuingError)
    /// Nothing is left of the authority's own time, or less than was asked for; when it ends, and the days that are left.
    case outlivesAuthority(ends: String, daysLeft: Int)
    /// A device of today would refuse it, with the reason.
    case unacceptable(String)
}

extension PrivateAuthorityError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .writing(let error): error.description
        case .none(let folder): "\(printable(folder)): holds no authority. Make one first, or name its folder"
        case .certificate(let error): error.description
        case .key(let error): error.description
        case .mismatch(let file, let found): "\(printable(file)): \(found)"
        case .notAnAuthority(let file, let found):
            "\(printable(file)): \(found). Nothing was issued; put the authority's own certificate there, alone"
        case .incomplete(let missing, let beside):
            "\(printable(missing)): is missing, so that the authority is incomplete. Bring it back, or take away "
                + "\(printable(beside)) as well to issue with the root"
        case .openFolder(let folder, let fault): "\(printable(folder)): \(fault)"
        case .issuing(let error): error.description
        case .outlivesAuthority(let ends, let days):
            days >= 1
                ? "the certificate would outlive its authority, which ends on \(ends). Ask for \(days) days at most"
                : "the authority itself ends on \(ends): it has no whole day left to issue for. Renew it: make another "
                    + "authority, and have its root trusted"
        case .unacceptable(let reason): reason
        }
    }
}
