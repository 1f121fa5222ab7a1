import BelayCertificates

/// The certificates of a chain, read and within the limits.
struct PreparedChain {
    let certificates: [Certificate]

    /// Why a chain cannot be judged at all.
    struct Unusable: Error {
        let findings: [Finding]
    }

    /// Reads a chain. A certificate that is malformed refuses it, wherever it stands: what a peer sends in a certificate's
    /// place and is none cannot be explained by an honest mistake of configuration.
    init(_ trust: ServerTrust) throws(Unusable) {
        let limits = trust.limits
        guard !trust.chain.isEmpty else {
            throw Unusable(findings: [Finding(.noChain, "there is no certificate to judge")])
        }
        guard trust.chain.count <= limits.certificates else {
            throw Unusable(findings: [
                Finding(
                    .tooManyCertificates, "the peer sent \(trust.chain.count) certificates",
                    expected: "at most \(limits.certificates)", found: "\(trust.chain.count)")
            ])
        }
        let bytes = trust.chain.reduce(0) { $0 + $1.count }
        guard bytes <= limits.chainBytes else {
            throw Unusable(findings: [
                Finding(
                    .certificateTooLarge, "the certificates that the peer sent have \(bytes) bytes together",
                    expected: "at most \(limits.chainBytes) bytes", found: "\(bytes) bytes")
            ])
        }
        var findings: [Finding] = []
        var certificates: [Certificate] = []
        certificates.reserveCapacity(trust.chain.count)
        for (index, der) in trust.chain.enumerated() {
            let place = Finding.Place.certificate(depth: index, subject: "")
            guard der.count <= limits.certificateBytes else {
                findings.append(
                    Finding(
                        .certificateTooLarge, at: place, "certificate \(index) has \(der.count) bytes",
                        expected: "at most \(limits.certificateBytes) bytes", found: "\(der.count) bytes"))
                continue
            }
            do throws(DERError) {
                certificates.append(try Certificate(der: der))
            } catch {
                findings.append(
                    Finding(
                        .malformedCertificate, at: place, "certificate \(index) is malformed: \(error)",
                        expected: "an X.509 certificate in DER", found: error.description))
            }
        }
        guard findings.isEmpty else { throw Unusable(findings: findings) }
        self.certificates = certificates
    }
}

extension Rule {
    static let noChain = Rule(
        "path.no-chain", "There is a certificate to judge.", .invalid,
        remedy: "Configure a certificate on the server.", source: "RFC 8446, section 4.4.2")
    static let tooManyCertificates = Rule(
        "path.too-many-certificates", "A peer sends no more certificates than a chain can use.", .fatal,
        remedy: "Configure the server to send its certificate and its intermediates, nothing else.",
        source: "Belay: evaluation limits")
    static let certificateTooLarge = Rule(
        "path.certificate-too-large", "A certificate is not larger than the limit.", .fatal,
        remedy: "Have the certificate issued with fewer names.", source: "Belay: evaluation limits")
    static let malformedCertificate = Rule(
        "der.malformed", "A certificate is DER in the form of RFC 5280.", .fatal,
        remedy: "Have the certificate issued again by software that encodes certificates correctly.",
        source: "RFC 5280, section 4.1; X.690")
}
