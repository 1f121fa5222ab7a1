import BelayCertificates
import BelayTrust
import FoundationEssentials

/// The path of a verdict: each certificate with its role and where it came from.
struct PathReport {
    /// A certificate in its place.
    struct Element: Encodable {
        let role: Role
        let from: Origin
        /// Whether the policy pins it; nil where the policy pins nothing.
        let pinned: Bool?
        let certificate: CertificateReport
        let label: String
        let validity: String
        let isCurrent: Bool

        private enum Key: String, CodingKey { case role, from, pinned, certificate }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(role, forKey: .role)
            try container.encode(from, forKey: .from)
            try container.encode(pinned, forKey: .pinned)
            try container.encode(certificate, forKey: .certificate)
        }
    }

    /// What a certificate does on the path.
    enum Role: String, Encodable { case leaf, intermediate, anchor }

    /// Where a certificate came from.
    enum Origin: String, Encodable {
        /// The server sent it.
        case sent
        /// From `--anchor`.
        case given
        /// From the pins.
        case pins
        /// From the machine's store.
        case system

        var text: String {
            switch self {
            case .sent: "sent"
            case .given: "given (--anchor)"
            case .pins: "from the pins"
            case .system: "machine's store"
            }
        }
    }

    /// Leaf first.
    let elements: [Element]
    /// Whether the last one is an anchor.
    let isComplete: Bool

    init(_ verdict: Verdict, trust: ServerTrust, policy: SecurityPolicy, at moment: Date) {
        let sent = Set(trust.chain.map { SHA256Digest(of: $0) })
        let pins = policy.effectivePins
        let pinned = Set(policy.pinnedCertificates)
        isComplete = verdict.isPathComplete
        func origin(_ certificate: Certificate) -> Origin {
            if sent.contains(certificate.fingerprint) { return .sent }
            if trust.anchors.contains(certificate) { return .given }
            return pinned.contains(certificate) ? .pins : .system
        }
        elements = verdict.path.enumerated().map { depth, certificate in
            let isAnchor = verdict.isPathComplete && depth == verdict.path.count - 1
            let isPinned: Bool? =
                switch policy.pinningMode {
                case .none: nil
                case .publicKey: pins.contains(certificate.pin)
                case .certificate: pinned.contains(certificate)
                }
            return Element(
                role: depth == 0 ? .leaf : isAnchor ? .anchor : .intermediate, from: origin(certificate),
                pinned: isPinned,
                certificate: CertificateReport(certificate, at: moment), label: certificate.label,
                validity: Days.text(of: certificate, at: moment), isCurrent: certificate.validity.contains(moment))
        }
    }

    /// A tree with the anchor on top and the leaf at its foot.
    func text(_ style: Style) -> String {
        var lines: [String] = []
        var indent = ""
        if !isComplete, let last = elements.last {
            lines.append(style.bad("?") + " no trusted issuer: \(Text.short(last.certificate.issuer))")
        }
        for (index, element) in elements.reversed().enumerated() {
            let isRoot = index == 0 && isComplete
            let isLeaf = index == elements.count - 1
            let branch = isRoot ? "" : indent + "└─ "
            if !isRoot { indent += "   " }
            let body = isLeaf ? indent : indent + "│ "
            var notes = [element.role.rawValue, element.from.text]
            if element.role == .leaf, isComplete, elements.count == 1 { notes[0] = "leaf and anchor" }
            let mark = element.pinned == true ? "  " + style.good("pinned") : ""
            lines.append(
                style.dim(branch) + style.bold(element.label) + "  "
                    + style.dim(notes.joined(separator: ", ")) + mark)
            let validity = element.isCurrent ? element.validity : style.bad(element.validity)
            lines.append(style.dim(body) + "\(element.certificate.key), \(validity)")
            lines.append(style.dim(body) + "sha256/\(element.certificate.pin)")
            if isLeaf, !element.certificate.subjectAlternativeNames.isEmpty {
                lines.append(
                    style.dim(body) + Text.list(element.certificate.subjectAlternativeNames, limit: 5))
            }
        }
        return lines.joined(separator: "\n")
    }
}
