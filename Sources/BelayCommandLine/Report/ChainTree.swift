import BelayCertificates

/// How the certificates of a file hang together: which has signed which.
struct ChainTree {
    private let labels: [String]
    private let certificates: [Certificate]
    /// For each certificate its place among those of the file.
    let links: [Link]

    /// What a certificate hangs on.
    struct Link: Encodable {
        /// The index of the certificate that has signed it; nil where it is not in the file.
        let issuer: Int?
        /// Whether it has signed itself.
        let selfSigned: Bool
        /// Who should have signed it, where that is neither itself nor one of the file.
        let missingIssuer: String?

        private enum CodingKeys: String, CodingKey { case issuer, selfSigned, missingIssuer }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(issuer, forKey: .issuer)
            try container.encode(selfSigned, forKey: .selfSigned)
            try container.encode(missingIssuer, forKey: .missingIssuer)
        }
    }

    /// More certificates of one name than this are not tried: a hostile file has thousands.
    private static let candidateLimit = 16

    init(_ certificates: [Certificate]) {
        labels = certificates.map(\.label)
        self.certificates = certificates
        var bySubject: [DistinguishedName: [Int]] = [:]
        for (index, certificate) in certificates.enumerated() {
            bySubject[certificate.subject, default: []].append(index)
        }
        var keys: [Int: VerificationKey?] = [:]
        func hasSigned(_ issuer: Int, _ certificate: Certificate) -> Bool {
            let key = keys[issuer] ?? VerificationKey(certificates[issuer].publicKey)
            keys[issuer] = key
            return key.map { certificate.isSigned(by: $0) } ?? false
        }
        links = certificates.enumerated().map { index, certificate in
            if certificate.isSelfIssued, hasSigned(index, certificate) {
                return Link(issuer: nil, selfSigned: true, missingIssuer: nil)
            }
            let candidates = (bySubject[certificate.issuer] ?? []).filter { certificates[$0] != certificate }
            let issuer = candidates.prefix(Self.candidateLimit).first { hasSigned($0, certificate) }
            return Link(
                issuer: issuer, selfSigned: false,
                missingIssuer: issuer == nil ? Text.short(certificate.issuer.description, 400) : nil)
        }
    }

    private func isAlternative(_ index: Int, to signers: Set<Int>) -> Bool {
        let certificate = certificates[index]
        return signers.contains {
            certificates[$0].subject == certificate.subject && certificates[$0].publicKey == certificate.publicKey
        }
    }

    /// Groups of certificates that lead to one another, each with the one first that has signed none of the file, then those above
    /// it. One group, of all certificates, where there is no more than one chain.
    ///
    /// Another certificate for the name and key of one that has signed something is a second way up, and no group of its own.
    var groups: [[Int]] {
        var signers: Set<Int> = []
        for link in links { if let issuer = link.issuer { signers.insert(issuer) } }
        let ends = links.indices.filter { !signers.contains($0) && !isAlternative($0, to: signers) }
        guard ends.count > 1 else {
            let first = ends.first ?? links.startIndex
            return links.isEmpty ? [] : [[first] + links.indices.filter { $0 != first }]
        }
        return ends.map { end in
            var group = [end]
            // Two can have signed each other.
            while let issuer = links[group[group.count - 1]].issuer, !group.contains(issuer) { group.append(issuer) }
            return group
        }
    }

    /// A tree for each certificate that hangs on no other, with the issuers on top.
    func text(_ style: Style) -> String {
        var lines: [String] = []
        var children: [Int: [Int]] = [:]
        for (index, link) in links.enumerated() {
            if let issuer = link.issuer { children[issuer, default: []].append(index) }
        }
        // Two that have signed each other hang on nothing else; each certificate is printed once.
        var printed: Set<Int> = []
        func add(_ start: Int, depth: Int) {
            var waiting = [(start, depth)]
            while let (index, depth) = waiting.popLast() {
                guard printed.insert(index).inserted else { continue }
                let branch = depth == 0 ? "" : style.dim(String(repeating: "   ", count: min(depth - 1, 20)) + "└─ ")
                let mark = links[index].selfSigned ? style.dim("  signs itself") : ""
                lines.append("\(branch)\(style.dim("\(index + 1)")) \(labels[index])\(mark)")
                waiting += (children[index] ?? []).reversed().map { ($0, depth + 1) }
            }
        }
        for (index, link) in links.enumerated() where link.issuer == nil {
            if let missing = link.missingIssuer {
                lines.append("\(style.warning("?")) issuer not in the file: \(missing)")
            }
            add(index, depth: link.missingIssuer == nil ? 0 : 1)
        }
        for index in links.indices { add(index, depth: 0) }
        return lines.joined(separator: "\n")
    }
}
