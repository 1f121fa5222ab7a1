import BelayCertificates
import FoundationEssentials

/// The certificate authorities of the laboratory's private world. Nobody outside it knows them.
public struct Authorities: Sendable {
    /// The root that stands for the public authorities a system trusts.
    public let publicRoot: CertificateIssuer
    /// The authority below ``publicRoot`` that issues to the public.
    public let publicIntermediate: CertificateIssuer
    /// A second public root, of another company; trusted by the system as well.
    public let secondPublicRoot: CertificateIssuer
    /// The authority below ``secondPublicRoot`` that issues to the public.
    public let secondPublicIntermediate: CertificateIssuer
    /// A public root of old that has expired, which the system trusts still; it certifies ``publicRoot`` as well.
    public let oldRoot: CertificateIssuer
    /// The authority below ``oldRoot`` that issues to the public.
    public let oldIntermediate: CertificateIssuer
    /// ``publicRoot``'s name and key as ``oldRoot`` certifies them.
    public let crossCertificate: Certificate
    /// The root of a company's own authority, which no system trusts.
    public let privateRoot: CertificateIssuer
    /// The authority below ``privateRoot`` that issues to the company's servers.
    public let privateIntermediate: CertificateIssuer
    /// The root that mutual TLS servers accept clients of.
    public let clientRoot: CertificateIssuer
    /// The authority below ``clientRoot`` that issues to clients.
    public let clientIntermediate: CertificateIssuer
    /// A root that has nothing to do with any server.
    public let stranger: CertificateIssuer

    /// Makes all of them anew. Nearly all keys are P-256, since those take no time to make.
    init(at moment: Date) throws(LaboratoryError) {
        func root(
            _ name: String, of company: String, _ key: PrivateKey.Specification = .p256,
            _ validity: Validity = .days(3_650)
        ) throws(LaboratoryError) -> CertificateIssuer {
            try LaboratoryError.making("the authority '\(name)'") {
                try CertificateIssuer.selfSigned(
                    .authority(named: name, organization: company, validity: validity), key: .generate(key))
            }
        }
        func below(
            _ issuer: CertificateIssuer, _ name: String, of company: String, _ key: PrivateKey.Specification = .p256
        ) throws(LaboratoryError) -> CertificateIssuer {
            try LaboratoryError.making("the authority '\(name)'") {
                try issuer.issueAuthority(
                    .authority(named: name, organization: company, pathLength: 0, validity: .days(1_825)),
                    key: .generate(key))
            }
        }
        publicRoot = try root("Public Root", of: "Example Trust Services")
        publicIntermediate = try below(publicRoot, "Public Issuing Authority", of: "Example Trust Services")
        secondPublicRoot = try root("Second Public Root", of: "Another Trust Company", .p384)
        secondPublicIntermediate = try below(
            secondPublicRoot, "Second Issuing Authority", of: "Another Trust Company", .p384)
        oldRoot = try root(
            "Old Public Root", of: "Example Trust Services", .p256,
            .days(3_650, from: moment.addingTimeInterval(-3_653 * 86_400)))
        oldIntermediate = try below(oldRoot, "Old Issuing Authority", of: "Example Trust Services")
        crossCertificate = try LaboratoryError.making("the cross-certificate") { [publicRoot, oldRoot] in
            try oldRoot.issue(
                .authority(named: "Public Root", organization: "Example Trust Services", validity: .days(1_825)),
                for: publicRoot.privateKey.publicKey)
        }
        privateRoot = try root("Shop Private Root", of: "Shop")
        // One level more than it needs: what stops a site's certificate from issuing must be that it is no authority.
        privateIntermediate = try LaboratoryError.making("the authority 'Shop Issuing Authority'") { [privateRoot] in
            try privateRoot.issueAuthority(
                .authority(named: "Shop Issuing Authority", organization: "Shop", validity: .days(1_825)),
                key: .generate(.p256))
        }
        clientRoot = try root("Client Root", of: "Shop")
        clientIntermediate = try below(clientRoot, "Client Issuing Authority", of: "Shop")
        stranger = try root("Stranger Root", of: "Somebody Else")
    }

    /// The roots that stand for the system's anchors.
    public var systemRoots: [Certificate] {
        [publicRoot.certificate, secondPublicRoot.certificate, oldRoot.certificate]
    }

    /// The certificates of all authorities.
    public var certificates: [Certificate] {
        [
            publicRoot, publicIntermediate, secondPublicRoot, secondPublicIntermediate, oldRoot, oldIntermediate,
            privateRoot, privateIntermediate, clientRoot, clientIntermediate, stranger,
        ].map(\.certificate)
    }
}
