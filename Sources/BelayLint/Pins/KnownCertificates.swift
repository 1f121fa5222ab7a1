import BelayCertificates

/// What certificates at hand say about digests.
struct KnownCertificates {
    private var byHash: [SHA256Digest: Certificate] = [:]
    private var byKey: [SHA256Digest: [Certificate]] = [:]

    /// Leaves that live less are replaced within the life of a version of an app.
    private static let shortLife = 100

    init(_ certificates: [Certificate]) {
        for certificate in certificates {
            byHash[certificate.fingerprint] = certificate
            byKey[certificate.pin.digest, default: []].append(certificate)
        }
    }

    func keyPin(ofCertificateHash digest: SHA256Digest) -> SPKIPin? { byHash[digest]?.pin }

    func isLeafKey(_ digest: SHA256Digest) -> Bool {
        guard let certificates = byKey[digest] else { return false }
        return certificates.allSatisfy { !Self.isAuthority($0) }
    }

    /// Whether a key is known, and an authority's.
    func isAuthorityKey(_ digest: SHA256Digest) -> Bool { byKey[digest]?.contains(where: Self.isAuthority) ?? false }

    /// How many days the leaf with a key is valid, where that is short.
    func shortLife(ofLeafWith digest: SHA256Digest) -> Int? {
        byKey[digest]?.filter { !Self.isAuthority($0) }.map { Int($0.validity.seconds / 86_400) }.filter {
            $0 <= Self.shortLife
        }.min()
    }

    static func isAuthority(_ certificate: Certificate) -> Bool {
        (try? certificate.basicConstraints)?.isAuthority ?? false
    }
}
