import BelayCertificates
import BelaySession
import BelayTransportSecurity
import BelayTrust

/// What an Info.plist demands of the server whose chain is at hand.
struct ChainDemands {
    /// Why it is as it is, and which keys decided.
    let decision: AppDecision
    /// What a connection must be; nil where there may be none.
    let requirements: TransportSecurityRequirements?
    /// Why there may be none.
    let refusals: [Finding]

    /// Decides for https to a host.
    ///
    /// - Returns: nil where no Info.plist is given.
    init?(_ options: TransportSecurityOptions, host: GivenHost) throws(InputError) {
        guard let enforcement = try options.enforcement() else { return nil }
        let url: SessionURL
        do throws(SessionURLError) { url = try SessionURL("https://\(host.inURL)/") } catch {
            throw Self.unusable(error)
        }
        guard let decision = AppDecision(options, enforcement, url) else { return nil }
        self.decision = decision
        do throws(SessionError.Reason) {
            requirements = try enforcement.demands(for: url)
            refusals = []
        } catch {
            guard case .transportSecurity(let findings) = error else { throw Self.unusable(error) }
            requirements = nil
            refusals = findings
        }
    }

    private static func unusable(_ error: any Error) -> InputError {
        InputError(message: "\(error)", remedy: "Give '--host' a name or an address.")
    }

    /// The verdict on the chain, within the demands.
    func hold(_ verdict: Verdict, _ trust: ServerTrust) -> Verdict {
        requirements?.hold(verdict, chain: trust) ?? verdict.adding(refusals)
    }

    /// What is demanded, and what of it only a connection could show, for people.
    var rows: [(String, String)] {
        guard let requirements else { return [("by the plist", "no connection at all: see the findings")] }
        return [
            ("decided", decision.text), ("by the plist", demands(requirements).joined(separator: "\n")),
            ("not checked", requirements.uncheckedByChains.map(\.demand).joined(separator: "\n")),
        ]
    }

    private func demands(_ requirements: TransportSecurityRequirements) -> [String] {
        var lines: [String] = []
        let sizes = [
            requirements.minimumRSABits.map { "RSA keys of \($0) bits" },
            requirements.minimumECBits.map { "EC keys of \($0) bits" },
        ].compactMap(\.self)
        if !sizes.isEmpty { lines.append("\(sizes.joined(separator: ", ")) or more on the whole path") }
        if requirements.niapPackage != nil {
            lines.append("signatures of SHA-256 or better on the whole path (NIAP)")
        } else if requirements.requiresSHA256 {
            lines.append("a leaf that is signed with SHA-256 or better")
        }
        if requirements.pins?.leaf != nil { lines.append("a pinned leaf (NSPinnedLeafIdentities)") }
        if requirements.pins?.authority != nil { lines.append("a pinned authority (NSPinnedCAIdentities)") }
        if requirements.requiresCertificateTransparency { lines.append("Certificate Transparency") }
        lines.append(
            requirements.mayTrustBeRelaxed
                ? "server trust, which a delegate may overrule" : "server trust, which nobody may overrule")
        return lines
    }
}

extension ChainDemands: Encodable {
    private struct Requirements: Encodable {
        let minimumVersion: String
        let forwardSecrecy: Bool
        let cipherSuites: [String]?
        let minimumRSABits: Int?
        let minimumECBits: Int?
        let minimumHash: String?
        let niapPackage: String?
        let certificateTransparency: Bool
        let pinnedLeaf: [String]?
        let pinnedAuthority: [String]?
        let trustMayBeRelaxed: Bool

        init(_ demands: TransportSecurityRequirements) {
            minimumVersion = demands.connection.minimumVersion.description
            forwardSecrecy = demands.connection.requiresForwardSecrecy
            cipherSuites = demands.cipherSuites?.map(\.name)
            minimumRSABits = demands.minimumRSABits
            minimumECBits = demands.minimumECBits
            minimumHash = demands.requiresSHA256 || demands.niapPackage != nil ? "SHA-256" : nil
            niapPackage = demands.niapPackage?.rawValue
            certificateTransparency = demands.requiresCertificateTransparency
            pinnedLeaf = demands.pins?.leaf.map { $0.map(\.description).sorted() }
            pinnedAuthority = demands.pins?.authority.map { $0.map(\.description).sorted() }
            trustMayBeRelaxed = demands.mayTrustBeRelaxed
        }

        private enum Key: String, CodingKey {
            case minimumVersion, forwardSecrecy, cipherSuites, minimumRSABits, minimumECBits, minimumHash, niapPackage
            case certificateTransparency, pinnedLeaf, pinnedAuthority, trustMayBeRelaxed
        }

        /// Every key is there, null where there is nothing.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(minimumVersion, forKey: .minimumVersion)
            try container.encode(forwardSecrecy, forKey: .forwardSecrecy)
            try container.encode(cipherSuites, forKey: .cipherSuites)
            try container.encode(minimumRSABits, forKey: .minimumRSABits)
            try container.encode(minimumECBits, forKey: .minimumECBits)
            try container.encode(minimumHash, forKey: .minimumHash)
            try container.encode(niapPackage, forKey: .niapPackage)
            try container.encode(certificateTransparency, forKey: .certificateTransparency)
            try container.encode(pinnedLeaf, forKey: .pinnedLeaf)
            try container.encode(pinnedAuthority, forKey: .pinnedAuthority)
            try container.encode(trustMayBeRelaxed, forKey: .trustMayBeRelaxed)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        try decision.encode(into: &container)
        try container.encode(requirements != nil, forKey: JSONKey("allowed"))
        try container.encode(requirements.map(Requirements.init), forKey: JSONKey("requirements"))
        try container.encode(requirements?.uncheckedByChains.map(\.name) ?? [], forKey: JSONKey("notChecked"))
    }
}
