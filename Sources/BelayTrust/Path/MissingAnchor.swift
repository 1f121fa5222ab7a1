import BelayCertificates

/// Why a path does not reach an anchor, and who can do what about it.
struct MissingAnchor {
    private let path: [PathCertificate]
    private let impostor: PathCertificate?
    /// An authority of the right name that the topmost certificate does not mean: its key identifier is another.
    private let namesake: PathCertificate?
    private let anchors: [AnchorStore]

    init(_ outcome: PathSearch.Outcome, _ demand: Demand, _ search: PathSearch) {
        path = outcome.path
        impostor = outcome.impostor
        namesake = outcome.path.last.flatMap { search.issuers(of: $0, on: outcome.path).first }
        anchors = demand.anchors
    }

    /// What is to be told; the first is the reason, the second what may be behind it.
    var findings: [Finding] {
        guard let top = path.last else { return [] }
        let place = Finding.Place.certificate(depth: path.count - 1, subject: top.subject.description)
        if let impostor { return [badSignature(top, impostor, place)] }
        if top.isSelfIssued { return [selfSigned(top, place)] }
        let unknown = Finding(
            .unknownAnchor, at: place, "no path leads from it to an anchor", expected: expectedAnchors,
            found: "a chain that ends at \(top.subject)")
        // A leaf alone: the intermediate is what is usually missing. Above an intermediate it is usually the anchor, since
        // servers do not send their roots.
        let unsent = issuerUnknown(top, place)
        return path.count == 1 ? [unsent, unknown] : [unknown, unsent]
    }

    private func badSignature(_ top: PathCertificate, _ impostor: PathCertificate, _ place: Finding.Place) -> Finding {
        let whose = impostor.isAnchor ? "the anchor of that name" : "the certificate of that name that was sent"
        return Finding(
            .badSignature, at: place,
            "it names \(top.issuer) as its issuer, but the key of \(whose) did not sign it",
            expected: "a signature by the key \(impostor.pin)",
            found: "a signature (\(top.signatureAlgorithm)) that this key does not verify")
    }

    private func selfSigned(_ top: PathCertificate, _ place: Finding.Place) -> Finding {
        let isLeaf = path.count == 1
        return Finding(
            .unknownAnchor, at: place,
            isLeaf
                ? "it is self-signed and not among the anchors"
                : "the chain ends at the self-signed certificate \(top.subject), which is not among the anchors",
            expected: expectedAnchors, found: top.subject.description,
            remedy: isLeaf
                ? "If the certificate is your own, trust it as an anchor, or pin it and let the pins alone decide."
                : nil)
    }

    private func issuerUnknown(_ top: PathCertificate, _ place: Finding.Place) -> Finding {
        let issuer = top.issuer
        let locations = top.certificate.issuerLocations.map(printable)
        let published = locations.first.map { "; it is published at \($0)" } ?? ""
        if let namesake {
            let holder = namesake.isAnchor ? "an anchor" : "a certificate that was sent"
            return Finding(
                .issuerNotSent, at: place,
                "its issuer \(issuer) is not known by the key that signed it: \(holder) of that name has another key\(published)",
                expected: "the certificate of \(issuer) with the key identifier \(identifier(of: top))",
                found: "one with another key identifier",
                remedy:
                    "If the authority was set up anew under its old name, install its new certificate as the anchor.")
        }
        return Finding(
            .issuerNotSent, at: place,
            "its issuer \(issuer) was not sent and is not among the anchors\(published)",
            expected: "the certificate of \(issuer)", found: "no certificate of that name",
            remedy: locations.first.map {
                "Configure the server to send its intermediate certificates (fetch this one from \($0)); "
                    + "if the issuer is a root of your own, trust it as an anchor."
            })
    }

    private func identifier(of top: PathCertificate) -> String {
        top.authorityKeyIdentifier.value?.keyIdentifier.map { hexadecimal($0) } ?? "(none)"
    }

    /// The anchors in words.
    private var expectedAnchors: String {
        let parts = anchors.filter { !$0.certificates.isEmpty }.map { store in
            let count = store.certificates.count
            return "one of \(count) anchor\(count == 1 ? "" : "s")"
                + (store.origin.map { " of \($0)" } ?? (count == 1 ? " that was given" : " that were given"))
        }
        return parts.isEmpty ? "an anchor (none was given)" : parts.joined(separator: ", or ")
    }
}

extension Rule {
    static let badSignature = Rule(
        "signature.invalid", "The issuer's key made the signature on the certificate.", .fatal,
        remedy: "If the authority was set up anew under its old name, install its new certificate; "
            + "otherwise the certificate was tampered with or is a forgery.",
        source: "RFC 5280, section 6.1.3 (a.1)")
    static let unknownAnchor = Rule(
        "anchor.unknown", "A path leads from the leaf to a trusted certificate.", .recoverable, forgivable: true,
        remedy: "If the authority is your own, trust its root as an anchor; a pin alone does not make an anchor. "
            + "Otherwise the server needs a certificate of an authority that is trusted here.",
        source: "RFC 5280, section 6.1.1 (d)")
    static let issuerNotSent = Rule(
        "path.issuer-not-sent", "The server sends every certificate between its own and the anchor.", .recoverable,
        forgivable: true,
        remedy: "If the issuer is an intermediate, configure the server to send it; "
            + "if it is a root of your own, trust it as an anchor.",
        source: "RFC 8446, section 4.4.2; RFC 5246, section 7.4.2")
}
