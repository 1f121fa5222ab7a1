import BelayCertificates

/// A certificate for people.
struct CertificateText {
    private let certificate: CertificateReport
    private let title: String
    private let validity: String
    private let console: Console

    init(_ certificate: CertificateReport, title: String, validity: String, _ console: Console) {
        self.certificate = certificate
        self.title = title
        self.validity = validity
        self.console = console
    }

    var text: String {
        let rows = rows.filter { !$0.1.isEmpty }.map { name, value in
            Layout.wrap(
                value, indent: 20, first: "  " + console.style.dim(Layout.pad(name, 18)), columns: console.columns)
        }
        return ([console.style.bold(title)] + rows).joined(separator: "\n")
    }

    private var rows: [(String, String)] {
        let constraints = certificate.nameConstraints
        let authority =
            certificate.isAuthority
            ? "may issue certificates" + (certificate.pathLength.map { ", \($0) intermediates below it at most" } ?? "")
            : ""
        return [
            ("subject", Text.short(certificate.subject, 400)),
            ("issuer", Text.short(certificate.issuer, 400)),
            ("serial", certificate.serialNumber),
            ("validity", "\(certificate.notBefore) to \(certificate.notAfter)\n\(validity)"),
            ("key", certificate.key),
            ("signature", certificate.signatureAlgorithm),
            ("names", Text.list(certificate.subjectAlternativeNames, limit: 20)),
            ("authority", authority),
            ("key usage", certificate.keyUsage.joined(separator: ", ")),
            ("purposes", certificate.extendedKeyUsage.joined(separator: ", ")),
            ("permitted names", Text.list(constraints?.permitted ?? [], limit: 20)),
            ("excluded names", Text.list(constraints?.excluded ?? [], limit: 20)),
            ("key identifier", certificate.subjectKeyIdentifier ?? ""),
            ("issuer's key", certificate.authorityKeyIdentifier ?? ""),
            ("issuer at", Text.list(certificate.issuerLocations, limit: 5)),
            ("status at", Text.list(certificate.statusLocations, limit: 5)),
            ("revocations at", Text.list(certificate.revocationListLocations, limit: 5)),
            ("SHA-256", certificate.sha256),
            ("pin", "sha256/\(certificate.pin)"),
            ("malformed", console.style.bad(certificate.problems.joined(separator: "\n"))),
        ]
    }
}
