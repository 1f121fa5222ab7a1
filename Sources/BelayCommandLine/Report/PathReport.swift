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
    enum Role: String, Encodable {
        case leaf, intermediate, anchor
        /// Self-signed at the end of a path, and not trusted.
        case root
    }

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
        // An anchor counts for where it is trusted from; that the server may send it as well says nothing.
        func origin(_ certificate: Certificate, _ isAnchor: Bool) -> Origin {
            if !isAnchor, sent.contains(certificate.fingerprint) { return .sent }
            if policy.pinningMode == .certificate, pinned.contains(certificate) { return .pins }
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
                role: Self.role(certificate, depth, isAnchor), from: origin(certificate, isAnchor),
                pinned: isPinned,
                certificate: CertificateReport(certificate, at: moment), label: certificate.label,
                validity: Days.text(of: certificate, at: moment), isCurrent: certificate.validity.contains(moment))
        }
    }

    private static func role(_ certificate: Certificate, _ depth: Int, _ isAnchor: Bool) -> Role {
        if depth == 0 { return .leaf }
        if isAnchor { return .anchor }
        return certificate.isSelfIssued ? .root : .intermediate
    }

    /// A tree with the anchor on top and the leaf at its foot.
    func text(_ style: Style) -> String {
        var lines: [String] = []
        var indent = ""
        if let issuer = unknownIssuer { lines.append(style.bad("?") + " issuer not known: \(Text.short(issuer))") }
        for (index, element) in elements.reversed().enumerated() {
            let isTop = lines.isEmpty
            let branch = isTop ? "" : indent + "└─ "
            if !isTop { indent += "   " }
            let isLeaf = index == elements.count - 1
            let margin = style.dim(isLeaf ? indent : indent + "│ ")
            lines.append(style.dim(branch) + title(element, style))
            lines += details(element, isLeaf: isLeaf, style).map { margin + $0 }
        }
        return lines.joined(separator: "\n")
    }

    /// The issuer that nobody has, where the path ends below one.
    private var unknownIssuer: String? {
        guard !isComplete, let last = elements.last?.certificate, last.issuer != last.subject else { return nil }
        return last.issuer
    }

    private func title(_ element: Element, _ style: Style) -> String {
        let isOnlyOne = isComplete && elements.count == 1
        var text = style.bold(element.label) + "  "
        text += style.dim("\(isOnlyOne ? "leaf and anchor" : element.role.rawValue), \(element.from.text)")
        if !isComplete, element.certificate.issuer == element.certificate.subject {
            text += "  " + style.bad("not trusted")
        }
        if element.pinned == true { text += "  " + style.good("pinned") }
        return text
    }

    private func details(_ element: Element, isLeaf: Bool, _ style: Style) -> [String] {
        let names = element.certificate.subjectAlternativeNames
        return [
            "\(element.certificate.key), " + (element.isCurrent ? element.validity : style.bad(element.validity)),
            "sha256/\(element.certificate.pin)",
        ] + (isLeaf && !names.isEmpty ? [Text.list(names, limit: 5)] : [])
    }
}
