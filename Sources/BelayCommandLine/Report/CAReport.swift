import BelayCertificates
import FoundationEssentials

/// What came of `belay ca init`, in the order in which JSON has it.
struct CAReport: Encodable {
    let folder: String
    let root: String
    let rootForDevices: String
    let key: String
    let isProtected: Bool
    let hasIntermediate: Bool
    let certificate: CertificateReport
    /// The record of the authority that was replaced.
    let formerRecord: String?
    let error: FailureReport? = nil

    enum CodingKeys: CodingKey, CaseIterable {
        case folder, root, rootForDevices, key, isProtected, hasIntermediate, certificate, formerRecord, error
    }

    init(_ authority: PrivateAuthority, isProtected: Bool, hasIntermediate: Bool) {
        folder = authority.folder
        root = authority.rootFile
        rootForDevices = authority.rootFileForDevices
        key = "\(authority.folder)/root.key"
        formerRecord = authority.formerRecordFile
        self.isProtected = isProtected
        self.hasIntermediate = hasIntermediate
        certificate = CertificateReport(authority.root, at: Date())
    }

    /// The same for people.
    func text(_ console: Console) -> String {
        var lines = [
            "\(console.style.good("made")) \(certificate.subject), \(certificate.key), until \(certificate.notAfter)",
            "sha256/\(certificate.pin) is its pin; SHA-256 \(certificate.sha256)",
        ]
        func say(_ text: String) { lines.append(Layout.wrap(text, columns: console.columns)) }
        if let constraints = certificate.nameConstraints {
            say("It may issue only for \(constraints.permitted.joined(separator: ", ")).")
        }
        lines.append("")
        say(
            "Phones and computers that shall trust it take \(printable(rootForDevices)); on an iPhone open it (by mail, AirDrop or a web "
                + "page), install the profile under Settings, General, VPN & Device Management, and turn on full trust under "
                + "Settings, General, About, Certificate Trust Settings. Servers take \(printable(root)).")
        if !isProtected {
            say(
                "\(console.style.warning("The key has no passphrase")): whoever reads \(printable(key)) is the authority. For tests alone."
            )
        }
        if hasIntermediate {
            say(
                "The intermediate issues. Take \(printable(key)) away to a safe place; it is needed only for another intermediate."
            )
        }
        if let formerRecord {
            say(
                "The record of what the authority before issued is kept: \(printable(formerRecord)). None of it is trusted "
                    + "with the new root.")
        }
        lines += ["", "Next:", "  belay ca issue server NAME --ca \(ShellText.quoted(folder))"]
        return lines.joined(separator: "\n")
    }
}

/// What came of `belay ca issue`, in the order in which JSON has it.
struct IssueReport: Encodable {
    let kind: String
    let files: Files
    /// The authority's root, which whoever meets the certificate has to trust.
    let root: String
    let rootForDevices: String
    let certificate: CertificateReport
    let nginx: [String]?
    let haproxy: [String]?
    /// Names that the request asks for and the certificate does not have.
    let leftOut: [String]
    let error: FailureReport? = nil

    private let usage: ServerLines?

    /// What was written.
    struct Files: Encodable {
        let certificate: String?
        let key: String?
        let pkcs12: String?
    }

    enum CodingKeys: CodingKey, CaseIterable {
        case kind, files, root, rootForDevices, certificate, nginx, haproxy, leftOut, error
    }

    init(
        kind: String, chain: [Certificate], authority: PrivateAuthority, files: Files, leftOut: [GeneralName],
        usage: ServerLines?
    ) {
        self.kind = kind
        self.files = files
        root = authority.rootFile
        rootForDevices = authority.rootFileForDevices
        certificate = CertificateReport(chain[0], at: Date())
        self.usage = usage
        self.leftOut = leftOut.map(\.description)
        nginx = usage?.nginx
        haproxy = usage?.haproxy
    }

    /// The same for people.
    func text(_ console: Console) -> String {
        var lines = [
            "\(console.style.good("issued")) \(certificate.subject.isEmpty ? certificate.subjectAlternativeNames.joined(separator: ", ") : certificate.subject), "
                + "\(certificate.key), until \(certificate.notAfter), serial \(certificate.serialNumber)"
        ]
        func row(_ name: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            lines.append(
                Layout.wrap(
                    value, indent: 12, first: console.style.dim(Layout.pad(name, 12)), columns: console.columns))
        }
        row("names", certificate.subjectAlternativeNames.joined(separator: ", "))
        row("certificate", files.certificate.map(printable))
        row("key", files.key.map(printable))
        row("PKCS#12", files.pkcs12.map(printable))
        row("pin", "sha256/\(certificate.pin)")
        row(
            "left out",
            leftOut.isEmpty ? nil : leftOut.joined(separator: ", ") + ": asked for, and not in the certificate")
        guard let usage else {
            lines.append("")
            lines.append(
                Layout.wrap(
                    "Servers ask for it with the root \(printable(root)) as authority of clients; 'belay ca issue server' prints "
                        + "the lines. "
                        + (files.pkcs12 != nil
                            ? "On an iPhone the app imports the file (SecPKCS12Import), or a profile installs it."
                            : "The key stayed with whoever asked, who puts both together: iPhones want them as PKCS#12."),
                    columns: console.columns))
            if let file = files.pkcs12 {
                lines += [
                    "",
                    "  belay check https://HOST --identity \(ShellText.quoted(file)) --anchor \(ShellText.quoted(root))",
                ]
            }
            return lines.joined(separator: "\n")
        }
        lines += ["", "nginx:"] + usage.nginx.map { "  " + $0 }
        lines += ["", "HAProxy (2.2 and later):"] + usage.haproxy.map { "  " + $0 }
        lines.append("")
        lines.append(
            Layout.wrap(
                "Phones have to trust \(printable(rootForDevices)): install it and turn on full trust for it. An app that brings the "
                    + "root itself pins it or this key.", columns: console.columns))
        lines += ["", "  belay check \(ShellText.quoted(usage.url)) --anchor \(ShellText.quoted(root)) --rules apple"]
        return lines.joined(separator: "\n")
    }
}
