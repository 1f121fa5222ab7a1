import BelayCertificates
import FoundationEssentials

/// Two certificates, field by field.
struct CertificateComparison {
    /// Each is nil where its side has no certificate in this place.
    let first: Certificate?
    let second: Certificate?
    /// The fields in which they differ.
    let differences: [Difference]

    /// A field and what each side has in it that the other has not.
    struct Difference: Encodable {
        let field: String
        let onlyInFirst: [String]
        let onlyInSecond: [String]
    }

    init(_ first: Certificate?, _ second: Certificate?) {
        self.first = first
        self.second = second
        guard let first, let second, first != second else {
            differences = []
            return
        }
        var differences = zip(Self.fields(first), Self.fields(second)).compactMap { left, right in
            Self.difference(left.name, left.values, right.values)
        }
        differences += Self.contents(first, second)
        if differences.isEmpty {
            // The same statement, signed twice.
            differences = [
                Difference(
                    field: "signature", onlyInFirst: [Self.digest(first.signature)],
                    onlyInSecond: [Self.digest(second.signature)])
            ]
        }
        self.differences = differences
    }

    /// Whether they are one certificate, byte for byte.
    var isSame: Bool { first == second }

    /// Whether they have one key, so that a pin of it holds for both.
    var hasSameKey: Bool { first?.pin == second?.pin }

    private static func difference(_ field: String, _ left: [String], _ right: [String]) -> Difference? {
        let onlyLeft = left.filter { !right.contains($0) }
        let onlyRight = right.filter { !left.contains($0) }
        guard !(onlyLeft.isEmpty && onlyRight.isEmpty) else { return nil }
        return Difference(field: field, onlyInFirst: onlyLeft, onlyInSecond: onlyRight)
    }

    /// The fields by their names in JSON, in that order; those that follow from the moment or from everything are left out.
    private static func fields(_ certificate: Certificate) -> [(name: String, values: [String])] {
        let report = CertificateReport(certificate, at: Date())
        func optional(_ value: String?) -> [String] { value.map { [$0] } ?? [] }
        return [
            ("subject", [report.subject]), ("issuer", [report.issuer]), ("serialNumber", [report.serialNumber]),
            ("version", ["\(report.version)"]), ("notBefore", [report.notBefore]), ("notAfter", [report.notAfter]),
            ("key", [report.key]), ("pin", ["sha256/\(report.pin)"]),
            ("signatureAlgorithm", [report.signatureAlgorithm]),
            ("subjectAlternativeNames", report.subjectAlternativeNames), ("isAuthority", ["\(report.isAuthority)"]),
            ("pathLength", optional(report.pathLength.map(String.init))), ("keyUsage", report.keyUsage),
            ("extendedKeyUsage", report.extendedKeyUsage),
            ("permittedNames", report.nameConstraints?.permitted ?? []),
            ("excludedNames", report.nameConstraints?.excluded ?? []),
            ("subjectKeyIdentifier", optional(report.subjectKeyIdentifier)),
            ("authorityKeyIdentifier", optional(report.authorityKeyIdentifier)),
            ("issuerLocations", report.issuerLocations), ("statusLocations", report.statusLocations),
            ("revocationListLocations", report.revocationListLocations),
            ("extensions", report.extensions.map { $0.critical ? "\($0.identifier), critical" : $0.identifier }),
            ("problems", report.problems),
        ]
    }

    /// Extensions of one kind with other contents, where no field above shows these.
    private static func contents(_ first: Certificate, _ second: Certificate) -> [Difference] {
        let shown: Set<String> = [
            "2.5.29.14", "2.5.29.15", "2.5.29.17", "2.5.29.19", "2.5.29.30", "2.5.29.31", "2.5.29.35", "2.5.29.37",
            "1.3.6.1.5.5.7.1.1",
        ]
        return first.extensions.compactMap { left in
            let identifier = left.identifier.description
            guard !shown.contains(identifier),
                let right = second.extensions.first(where: { $0.identifier == left.identifier })
            else { return nil }
            return difference("extension \(identifier)", [digest(left.value)], [digest(right.value)])
        }
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        "\(bytes.count) bytes, SHA-256 \(SHA256Digest(of: bytes).hexadecimalText.prefix(16))…"
    }
}

extension CertificateComparison: Encodable {
    private enum Key: String, CodingKey { case first, second, same, sameKey, differences }

    private struct Side: Encodable {
        let subject: String
        let sha256: String
        let pin: String

        init(_ certificate: Certificate) {
            subject = certificate.subject.description
            sha256 = certificate.fingerprint.hexadecimalText
            pin = certificate.pin.description
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(first.map(Side.init), forKey: .first)
        try container.encode(second.map(Side.init), forKey: .second)
        try container.encode(isSame, forKey: .same)
        try container.encode(hasSameKey, forKey: .sameKey)
        try container.encode(differences, forKey: .differences)
    }
}

extension CertificateComparison {
    /// The differences for people.
    func text(_ console: Console) -> String {
        let style = console.style
        var lines: [String] = []
        switch (first, second) {
        case (let first?, nil): return "\(style.bad("-")) \(first.label) is only in the first"
        case (nil, let second?): return "\(style.good("+")) \(second.label) is only in the second"
        default: break
        }
        if isSame { return "the same certificate: \(first?.label ?? "")" }
        for difference in differences {
            lines.append(style.bold(difference.field))
            lines += difference.onlyInFirst.prefix(20).map { "  \(style.bad("-")) \(Text.short($0, 400))" }
            lines += difference.onlyInSecond.prefix(20).map { "  \(style.good("+")) \(Text.short($0, 400))" }
            let more = max(0, difference.onlyInFirst.count - 20) + max(0, difference.onlyInSecond.count - 20)
            if more > 0 { lines.append("  and \(more) more") }
        }
        lines.append("")
        lines.append(
            hasSameKey
                ? style.good("the same key") + ": a pin of it holds for both"
                : style.bad("another key") + ": a pin of the first's key refuses the second")
        return lines.joined(separator: "\n")
    }
}
