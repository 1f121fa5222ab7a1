import BelayCertificates
import FoundationEssentials

extension Identity {
    /// What a server will probably object to, asked before a connection is made: servers that refuse a client's certificate say why
    /// in an alert of one byte at best.
    ///
    /// Every server decides by itself, so these are warnings: one that knows the certificate by its fingerprint cares for none of this.
    ///
    /// ```swift
    /// for finding in identity.preflight() { print(finding) }
    /// ```
    ///
    /// - Parameters:
    ///   - moment: when the identity is to be shown.
    ///   - acceptableIssuers: the names that the server has said it accepts; nil where it has not been asked. An empty list accepts
    ///     every issuer (RFC 8446, section 4.2.4).
    /// - Returns: findings of the rules `identity.…`, those of the leaf first. That the issuer's certificate is missing is a note as
    ///   long as the server has not been asked, since the issuer may be the very root that it knows.
    public func preflight(at moment: Date = Date(), acceptableIssuers: [DistinguishedName]? = nil) -> [Finding] {
        let seconds = Int64(moment.timeIntervalSince1970.rounded(.down))
        var findings = keyFindings
        for (depth, certificate) in issuingPath.enumerated() {
            let place = Finding.Place.certificate(depth: depth, subject: certificate.subject.description)
            findings += certificate.validityFindings(at: seconds, place)
            if depth == 0 { findings += certificate.purposeFindings(place) }
            findings += certificate.strengthFindings(place)
        }
        return findings + issuerFindings(acceptableIssuers)
    }

    /// The leaf and those of the others that lead on from it; what else is in the file, no server looks at.
    private var issuingPath: [Certificate] {
        var path = [certificate]
        for other in chain {
            guard let last = path.last, !last.isSelfIssued, other.subject == last.issuer else { break }
            path.append(other)
        }
        return path
    }

    private var keyFindings: [Finding] {
        guard !privateKey.matches(certificate.publicKey) else { return [] }
        return [
            Finding(
                .identityKeyMismatch,
                at: .certificate(depth: 0, subject: certificate.subject.description),
                "its key is not the private key's", expected: "\(privateKey.publicKey)",
                found: "another key, \(certificate.publicKey)")
        ]
    }

    private func issuerFindings(_ acceptable: [DistinguishedName]?) -> [Finding] {
        let path = issuingPath
        let issuers = path.map(\.issuer)
        if let acceptable, acceptable.isEmpty || issuers.contains(where: acceptable.contains) { return [] }
        // The root itself is not sent by convention; an intermediate is, so one above the leaf will do.
        if path.count == 1, !certificate.isSelfIssued {
            return [
                Finding(
                    // The issuer may be the very root that the server knows: only its answer tells.
                    .identityIssuerMissing, severity: acceptable == nil ? .note : .warning,
                    at: .certificate(depth: 0, subject: certificate.subject.description),
                    "the certificate of its issuer is not in the identity: a server that knows only a root above it cannot follow",
                    expected: "the certificate of \(certificate.issuer)",
                    found: chain.isEmpty ? "the leaf alone" : "other certificates")
            ]
        }
        guard let acceptable else { return [] }
        return [
            Finding(
                .identityIssuerUnacceptable, "the server accepts none of the issuers of this identity",
                expected: acceptable.prefix(8).map(\.description).joined(separator: "; ")
                    + (acceptable.count > 8 ? "; and \(acceptable.count - 8) more" : ""),
                found: issuers.map(\.description).joined(separator: "; "))
        ]
    }
}

extension Certificate {
    fileprivate func validityFindings(at moment: Int64, _ place: Finding.Place) -> [Finding] {
        let (start, end) = (CivilTime.text(validity.notBeforeSeconds), CivilTime.text(validity.notAfterSeconds))
        if moment > validity.notAfterSeconds {
            let age = Duration.text(moment - validity.notAfterSeconds)
            return [
                Finding(
                    .identityExpired, at: place, "it expired on \(end), \(age) ago",
                    expected: "valid at \(CivilTime.text(moment))", found: "valid until \(end)")
            ]
        }
        guard moment < validity.notBeforeSeconds else { return [] }
        let wait = Duration.text(validity.notBeforeSeconds - moment)
        return [
            Finding(
                .identityNotYetValid, at: place, "it becomes valid on \(start), in \(wait)",
                expected: "valid at \(CivilTime.text(moment))", found: "valid from \(start)")
        ]
    }

    fileprivate func purposeFindings(_ place: Finding.Place) -> [Finding] {
        var findings: [Finding] = []
        if let usage = try? extendedKeyUsage, !usage.permits(.clientAuthentication) {
            findings.append(
                Finding(
                    .identityPurpose, at: place, "it states purposes, and TLS clients are not among them",
                    expected: PurposeRule.name(.clientAuthentication),
                    found: usage.purposes.map(PurposeRule.name).joined(separator: ", ")))
        }
        if let usage = try? keyUsage, !usage.contains(.digitalSignature) {
            findings.append(
                Finding(
                    .identityKeyUsage, at: place,
                    "its key usage does not allow signatures, by which a client proves that the key is its own",
                    expected: "digitalSignature", found: usage.description))
        }
        return findings
    }

    fileprivate func strengthFindings(_ place: Finding.Place) -> [Finding] {
        var findings: [Finding] = []
        let small: (Int, String)? =
            switch publicKey.kind {
            case .rsa(let bits, _) where bits < 2_048, .rsaPSS(let bits) where bits < 2_048: (bits, "RSA 2048 or more")
            case .ellipticCurve(let curve): curve.bits.flatMap { $0 < 224 ? ($0, "EC of 224 bits or more") : nil }
            default: nil
            }
        if let (bits, wanted) = small {
            findings.append(
                Finding(
                    .identityKeyTooSmall, at: place, "its key has \(bits) bits, which servers refuse",
                    expected: wanted, found: publicKey.kind.description))
        }
        // Nobody relies on the signature of a certificate that signs itself.
        if !isSelfIssued, let hash = signatureAlgorithm.hash, !hash.isCollisionResistant {
            findings.append(
                Finding(
                    .identityWeakSignature, at: place, "it is signed with \(hash.rawValue), which servers refuse",
                    expected: "SHA-256 or better", found: hash.rawValue))
        }
        return findings
    }
}
