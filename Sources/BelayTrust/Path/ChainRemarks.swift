import BelayCertificates

/// What is worth saying about the certificates that a peer sent, when a path was found all the same: a wrong order, and
/// certificates that serve no purpose.
struct ChainRemarks {
    let path: [PathCertificate]
    let chain: PreparedChain
    let time: Int64

    var findings: [Finding] {
        let places = path.compactMap { certificate -> Int? in
            // An anchor may have been sent as well; then its place counts like any other.
            if case .sent(let index) = certificate.origin { return index }
            return chain.certificates.firstIndex(of: certificate.certificate)
        }
        let isOrdered = zip(places, places.dropFirst()).allSatisfy(<)
        // The usual chain (leaf, intermediates, perhaps the anchor itself) takes this way out.
        if isOrdered && chain.certificates.count == places.count { return [] }
        var findings: [Finding] = []
        if !isOrdered {
            findings.append(
                Finding(
                    .disorder, "the server sent its certificates out of order",
                    expected: "each certificate followed by the one of its issuer",
                    found: "order \(places.map(String.init).joined(separator: ", ")) along the path"))
        }
        let used = Set(path.map(\.certificate))
        let above = namesAbove
        for (index, certificate) in chain.certificates.enumerated() where !used.contains(certificate) {
            if let finding = remark(certificate, index, above) { findings.append(finding) }
        }
        return findings
    }

    /// The names of those who issued the certificates of the path, or others that were sent above them.
    ///
    /// Where the path ends below its root, at a pin or at an intermediate that is an anchor, the server is right to send what
    /// comes above: its other clients need it.
    private var namesAbove: Set<DistinguishedName> {
        var names = Set(path.map(\.certificate.issuer))
        var rest = chain.certificates
        while let index = rest.firstIndex(where: { names.contains($0.subject) }) {
            names.insert(rest.remove(at: index).issuer)
        }
        return names
    }

    private func remark(_ certificate: Certificate, _ index: Int, _ above: Set<DistinguishedName>) -> Finding? {
        let place = Finding.Place.certificate(depth: index, subject: certificate.subject.description)
        let end = certificate.validity.notAfterSeconds
        let expiry = end < time ? "; it expired on \(CivilTime.text(end))" : ""
        if let depth = path.firstIndex(where: { $0.pin == certificate.pin && $0.subject == certificate.subject }) {
            return Finding(
                .alternativePath, at: place,
                "the server also sent \(certificate.subject) as certified by \(certificate.issuer)\(expiry). "
                    + "The path goes through another certificate of the same key, at place \(depth)")
        }
        if above.contains(certificate.subject) { return nil }
        return Finding(
            .extraCertificate, at: place,
            "the server sent \(certificate.subject), which has no place on the path\(expiry)")
    }
}

extension Rule {
    static let disorder = Rule(
        "path.disorder", "A server sends its certificates in the order of the path.", severity: .note, .none,
        remedy: "Put the leaf first and each issuer after the certificate it issued; older clients insist on it.",
        source: "RFC 5246, section 7.4.2")
    static let extraCertificate = Rule(
        "path.extra-certificate", "A server sends no certificates besides its path.", severity: .note, .none,
        remedy: "Remove the certificate from the server's chain; it costs every handshake bytes.",
        source: "RFC 8446, section 4.4.2")
    static let alternativePath = Rule(
        "path.alternative", "An authority is certified by more than one other.", severity: .note, .none,
        remedy: "Remove the cross-certificate when no client needs it any more, at the latest when it expires.",
        source: "RFC 4158, section 1.5")
}
