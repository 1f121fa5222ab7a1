import BelayCertificates
import BelayTrust

/// What came of `belay csr`, in the order in which JSON has it.
struct CSRReport: Encodable {
    /// In PEM.
    let request: String
    let file: String?
    let keyFile: String?
    let subject: String
    let names: [String]
    let key: String
    let isNewKey: Bool
    let pin: String
    /// Whether the certificate that is renewed has this key; nil where none is.
    let keepsPin: Bool?
    /// The pins that were given, each with what becomes of it.
    let pins: [Pin]?
    let error: FailureReport? = nil

    enum CodingKeys: CodingKey, CaseIterable {
        case request, file, keyFile, subject, names, key, isNewKey, pin, keepsPin, pins, error
    }

    /// A pin.
    struct Pin: Encodable {
        let pin: String
        /// The certificate that it was given as.
        let certificate: String?
        /// Whether a certificate that is issued for the request meets it, where keys are pinned.
        let staysValid: Bool
    }

    init(
        request: CertificateRequest, file: String?, keyFile: String?, replacing old: Certificate?, isNewKey: Bool,
        pinned: PinSet?
    ) {
        self.request = request.pem
        self.file = file
        self.keyFile = keyFile
        subject = request.subject.description
        names = request.subjectAlternativeNames.map(\.description)
        key = request.publicKey.description
        self.isNewKey = isNewKey
        pin = request.pin.description
        keepsPin = old.map { $0.pin == request.pin }
        pins = pinned.map { set in
            set.certificates.map {
                Pin(pin: $0.pin.description, certificate: $0.subject.description, staysValid: $0.pin == request.pin)
            }
                + set.keys.sorted { $0.description < $1.description }.map {
                    Pin(pin: $0.description, certificate: nil, staysValid: $0 == request.pin)
                }
        }
    }
}

/// The same for people.
struct CSRText {
    let report: CSRReport
    let console: Console

    var text: String {
        var lines: [String] = []
        func row(_ name: String, _ value: String) {
            guard !value.isEmpty else { return }
            lines.append(
                Layout.wrap(
                    value, indent: 12, first: console.style.dim(Layout.pad(name, 12)), columns: console.columns))
        }
        row("request", report.file.map(printable) ?? "")
        row("subject", report.subject)
        row("names", report.names.joined(separator: ", "))
        row("key", report.key + (report.keyFile.map { ", new, in \(printable($0))" } ?? ""))
        row("pin", "sha256/\(report.pin)")
        switch report.keepsPin {
        case true?:
            row("", console.style.good("the pin stays") + ": the key is that of the certificate that is renewed")
        case false?:
            row("", console.style.bad("the pin changes") + ": the key is not that of the certificate that is renewed")
        case nil where report.isNewKey:
            row(
                "",
                console.style.warning("a new pin")
                    + ": apps that pin another key refuse this one until they are updated")
        case nil: break
        }
        for pin in report.pins ?? [] {
            let name = pin.certificate.map { "the pinned certificate \($0)" } ?? "sha256/\(pin.pin)"
            switch (pin.staysValid, pin.certificate == nil) {
            case (true, true): lines.append("\(console.style.good("stays valid")) \(name)")
            case (true, false):
                lines.append(
                    "\(console.style.good("stays valid")) \(name), where its key is pinned; a pin of the certificate itself ends with it"
                )
            case (false, _): lines.append("\(console.style.dim("another key")) \(name)")
            }
        }
        if let pins = report.pins, !pins.contains(where: \.staysValid) {
            lines.append(
                Layout.wrap(
                    console.style.bad("no pin stays valid")
                        + ": apps with these pins will refuse a certificate for this key. Ask with the old key, or give the apps this pin before",
                    columns: console.columns))
        }
        return lines.joined(separator: "\n")
    }
}
