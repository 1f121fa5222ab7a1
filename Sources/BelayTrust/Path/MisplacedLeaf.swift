import BelayCertificates

/// A chain that is refused for its leaf's names although a certificate for them was sent: not first, where it belongs.
struct MisplacedLeaf {
    let chain: PreparedChain
    /// What refuses the chain.
    let refusals: [Finding]
    /// The names that were asked for.
    let names: [ServerName]

    /// Where the right certificate stands; empty where there is none.
    var findings: [Finding] {
        let isAboutNames = refusals.contains {
            $0.depth == 0 && [.nameMismatch, .noAlternativeNames].contains($0.rule)
        }
        guard !names.isEmpty, isAboutNames, let index = chain.certificates.dropFirst().firstIndex(where: isWanted)
        else { return [] }
        let subject = chain.certificates[index].subject.description
        return [
            Finding(
                .leafNotFirst, at: .certificate(depth: index, subject: subject),
                "the certificate for \(names.map(\.description).joined(separator: ", ")) was sent at place \(index); "
                    + "what is sent first is taken for the server's own",
                expected: "\(subject) first", found: "\(chain.certificates[0].subject) first")
        ]
    }

    private func isWanted(_ certificate: Certificate) -> Bool {
        guard let listed = try? certificate.subjectAlternativeNames else { return false }
        return names.allSatisfy { ServerNameRule.isListed($0, among: listed) }
    }
}

extension Rule {
    static let leafNotFirst = Rule(
        "path.leaf-not-first", "A server sends its own certificate first.", severity: .warning, .none,
        remedy: "Put the server's own certificate first in its file, then each issuer after the certificate it issued.",
        source: "RFC 8446, section 4.4.2; RFC 5246, section 7.4.2")
}
