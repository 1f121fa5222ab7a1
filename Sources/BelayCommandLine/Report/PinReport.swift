import BelayCertificates
import BelayTrust

/// The answer of `belay cert pin`: see Documentation/json.md for its JSON.
struct PinReport {
    let format: PinFormat
    var pins: [Pin] = []
    var configuration: PinConfiguration?
    /// The pins in the form that was asked for.
    var text = ""
    var error: FailureReport?

    init(format: PinFormat) {
        self.format = format
    }

    /// A pin and where it comes from.
    struct Pin {
        /// The file or URL.
        let input: String
        let found: PublicKey.Found
        var role: Role

        init(_ input: String, _ found: PublicKey.Found) {
            self.input = input
            self.found = found
            switch found.holder {
            case .certificate(let certificate):
                role = (try? certificate.basicConstraints)?.isAuthority == true ? .authority : .leaf
            case .publicKey, .privateKey, .request: role = .key
            }
        }

        var pin: SPKIPin { found.key.pin }

        /// The certificate; nil for a key without one.
        var certificate: Certificate? {
            if case .certificate(let certificate) = found.holder { certificate } else { nil }
        }

        /// What holds the key, in a word.
        var source: String {
            switch found.holder {
            case .certificate: "certificate"
            case .publicKey: "publicKey"
            case .privateKey: "privateKey"
            case .request: "request"
            }
        }
    }

    /// What a key is for.
    enum Role: String, Encodable {
        case leaf, authority
        /// A key without a certificate: it may be for either.
        case key
    }

    /// What people have to know: which pin is whose, where there are several, and what to mind.
    var notes: [String] {
        var seen: Set<SPKIPin> = []
        let each = pins.filter { seen.insert($0.pin).inserted }.map { pin in
            "sha256/\(pin.pin)  \(pin.role.rawValue)  "
                + (pin.certificate.map { "\($0.label), " } ?? "") + "\(pin.found.key), from \(printable(pin.input))"
        }
        return (each.count > 1 ? each : []) + (configuration?.remarks(on: format) ?? []).map { "note: \($0)" }
    }
}

extension PinReport: Encodable {
    private enum Key: String, CodingKey { case pins, hosts, includesSubdomains, form, text, remarks, error }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(pins.map(Element.init), forKey: .pins)
        try container.encode(configuration?.hosts ?? [], forKey: .hosts)
        try container.encode(configuration?.includesSubdomains ?? false, forKey: .includesSubdomains)
        try container.encode(format.rawValue, forKey: .form)
        try container.encode(configuration == nil ? nil : text, forKey: .text)
        try container.encode(configuration?.remarks(on: format) ?? [], forKey: .remarks)
        try container.encode(error, forKey: .error)
    }

    private struct Element: Encodable {
        let input: String
        let source: String
        let role: Role
        let subject: String?
        let sha256: String?
        let key: String
        let pin: String
        let hex: String

        init(_ pin: Pin) {
            input = printable(pin.input)
            source = pin.source
            role = pin.role
            subject = pin.certificate?.subject.description
            sha256 = pin.certificate?.fingerprint.hexadecimalText
            key = pin.found.key.description
            self.pin = pin.pin.description
            hex = pin.pin.digest.hexadecimalText
        }

        private enum CodingKeys: String, CodingKey { case input, source, role, subject, sha256, key, pin, hex }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(input, forKey: .input)
            try container.encode(source, forKey: .source)
            try container.encode(role, forKey: .role)
            try container.encode(subject, forKey: .subject)
            try container.encode(sha256, forKey: .sha256)
            try container.encode(key, forKey: .key)
            try container.encode(pin, forKey: .pin)
            try container.encode(hex, forKey: .hex)
        }
    }
}
