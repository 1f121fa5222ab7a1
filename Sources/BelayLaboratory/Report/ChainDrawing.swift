import BelayCertificates
import FoundationEssentials

/// A situation's chain as it is drawn: certificates from the leaf to the root, with what there is to say about each.
struct ChainDrawing {
    /// A certificate with its marks.
    struct Node {
        let certificate: Certificate
        let role: Role
        let marks: [Mark]
        /// What leads to the next node; nil for the last one.
        var edge: Edge?

        /// The common name, or the whole subject.
        var name: String { certificate.subject.commonName ?? certificate.subject.description }

        /// The hosts it is for.
        var hosts: [String] {
            let names = (try? certificate.subjectAlternativeNames) ?? []
            return names.compactMap { if case .dns(let host) = $0 { host } else { nil } }
        }
    }

    enum Role: String {
        case leaf
        case site = "another site's certificate"
        case intermediate
        case root
    }

    /// What there is to say about a certificate.
    enum Mark: CaseIterable {
        case pinned, pinnedKey, anchor, selfSigned, notSent, expired, wrongName, noAuthority

        var isFault: Bool {
            switch self {
            case .expired, .wrongName, .noAuthority: true
            case .pinned, .pinnedKey, .anchor, .selfSigned, .notSent: false
            }
        }

        var text: String {
            switch self {
            case .pinned: "pinned"
            case .pinnedKey: "has the pinned key"
            case .anchor: "system anchor"
            case .selfSigned: "self-signed"
            case .notSent: "not sent"
            case .expired: "expired"
            case .wrongName: "wrong name"
            case .noAuthority: "not an authority"
            }
        }
    }

    enum Edge {
        /// Issued by the next certificate, which may issue.
        case genuine
        /// Signed with the key of the next certificate, which may not issue.
        case forged
    }

    /// From the leaf to the root.
    let nodes: [Node]
    /// The pinned certificate, where it is none of ``nodes``.
    let absentPin: Node?

    init(_ situation: Situation, authorities: Authorities, at moment: Date) {
        var path = situation.identity.certificates
        let sent = path.count
        while let top = path.last, !top.isSelfIssued,
            let issuer = authorities.certificates.first(where: { $0.subject == top.issuer && !path.contains($0) })
        {
            path.append(issuer)
        }
        func node(_ certificate: Certificate, at depth: Int) -> Node {
            let isAuthority = (try? certificate.basicConstraints)?.isAuthority == true
            var marks: [Mark] = []
            if certificate == situation.pinned {
                marks.append(.pinned)
            } else if certificate.pin == situation.pinned.pin {
                marks.append(.pinnedKey)
            }
            if authorities.systemRoots.contains(certificate) { marks.append(.anchor) }
            if depth == 0, certificate.isSelfIssued { marks.append(.selfSigned) }
            if depth >= sent { marks.append(.notSent) }
            if !certificate.validity.contains(moment) { marks.append(.expired) }
            let names = (try? certificate.subjectAlternativeNames) ?? []
            if depth == 0, !names.contains(.dns(situation.host)) { marks.append(.wrongName) }
            if depth > 0, !isAuthority { marks.append(.noAuthority) }
            let role: Role =
                if depth == 0 { .leaf } else if !isAuthority { .site } else if certificate.isSelfIssued { .root } else {
                    .intermediate
                }
            return Node(certificate: certificate, role: role, marks: marks)
        }
        var nodes = path.enumerated().map { node($1, at: $0) }
        for index in nodes.indices.dropLast() {
            nodes[index].edge = nodes[index + 1].marks.contains(.noAuthority) ? .forged : .genuine
        }
        self.nodes = nodes
        absentPin =
            path.contains(situation.pinned)
            ? nil : Node(certificate: situation.pinned, role: .leaf, marks: [.pinned, .notSent])
    }
}
