import BelayCertificates
import BelayTLS
import BelayTransportSecurity
import BelayTrust

/// An app's Info.plist, held to.
package struct TransportSecurityEnforcement: Sendable {
    let configuration: TransportSecurityConfiguration
    let context: TransportSecurityContext
    let systems: SystemRange

    /// What loads the URLs, under which configuration, and as which systems would: over several, what the strictest of them demands.
    package init(
        configuration: TransportSecurityConfiguration, context: TransportSecurityContext = .default,
        systems: SystemRange = SystemRange(.newest)
    ) {
        self.configuration = configuration
        self.context = context
        self.systems = systems
    }

    /// What a connection to the URL must be.
    ///
    /// - Throws: where there may be none: where one of the systems allows none.
    package func demands(for url: SessionURL) throws(SessionError.Reason) -> TransportSecurityRequirements {
        let target: TransportSecurityURL
        do throws(TransportSecurityURLError) {
            target = try TransportSecurityURL(Self.literal(url))
        } catch {
            throw .badURL(error.description)
        }
        var strictest: TransportSecurityRequirements?
        for system in systems.milestones {
            let decision = configuration.decision(for: target, in: context, on: system, as: .enforcement)
            guard let demands = decision.requirements(on: system) else {
                let refusals = decision.refusals(for: target, file: configuration.file)
                if decision.malformations.isEmpty, decision.errorCode != nil, let cleartext = refusals.last {
                    throw .cleartext(cleartext)
                }
                throw .transportSecurity(refusals)
            }
            strictest = strictest?.united(with: demands) ?? demands
        }
        // A range has its oldest version at least.
        guard let strictest else { throw .badURL("no system is named") }
        return strictest
    }
}

extension TransportSecurityEnforcement {
    /// Why it is as it is, and which keys decided, on all of the systems.
    package func answer(for url: SessionURL) -> TransportSecurityAnswer? {
        guard let target = try? TransportSecurityURL(Self.literal(url)) else { return nil }
        return configuration.answer(for: target, in: context, on: systems)
    }

    /// The URL with its host as it was written: that is what keys are compared with.
    private static func literal(_ url: SessionURL) -> String {
        let host = url.hostLiteral
        return "\(url.scheme)://\(host.utf8.contains(0x3A) ? "[\(host)]" : host)/"
    }

    /// What is to be known of cleartext that the Info.plist allows: why it does, and that nothing protects it.
    package func cleartextNotice(for url: SessionURL) -> Finding {
        let target = try? TransportSecurityURL(Self.literal(url))
        let why = target.map { configuration.decision(for: $0, in: context, on: systems.oldest, as: .enforcement).why }
        return Finding(
            .cleartextAllowed,
            "http is allowed to \(printable("\(url.host)")), where no server proves anything and there is nothing to check. \(why ?? "")",
            expected: "https", found: "http")
    }
}

extension TransportSecurityRequirements {
    /// A policy's verdict within what the Info.plist demands.
    ///
    /// - Parameters:
    ///   - verdict: what the policy says.
    ///   - evidence: what the server showed; nil where there was no connection in the end.
    ///   - trust: what the policy has judged.
    /// - Returns: the verdict, and what nobody may overrule.
    package func hold(
        _ verdict: Verdict, _ evidence: PeerEvidence?, _ trust: @autoclosure () -> ServerTrust
    ) -> (verdict: Verdict, shortcomings: [Finding]) {
        var shortcomings = findings(
            for: evidence, leaf: evidence?.chain.first ?? trust().chain.first,
            path: verdict.isPathComplete ? verdict.path : [])
        guard verdict.isTrusted else { return (verdict, shortcomings) }
        let trust = trust()
        // That timestamps are missing refuses, as far as trust may be relaxed a part of trust; that nobody looked, or that they are
        // there, is told.
        let isOverrulable = mayTrustBeRelaxed && !requiresCertificateTransparency
        var verdict = verdict
        for finding in transparency(verdict, evidence, trust) {
            if finding.severity == .error, !isOverrulable {
                shortcomings.append(finding)
            } else {
                verdict = verdict.adding([finding])
            }
        }
        guard !mayTrustBeRelaxed, !trust.evaluate().isTrusted else { return (verdict, shortcomings) }
        return (verdict.adding([.trustLocked]), shortcomings)
    }

    /// What Certificate Transparency asks for: by the app's own key under any anchor, by the system under those that it came with.
    private func transparency(_ verdict: Verdict, _ evidence: PeerEvidence?, _ trust: ServerTrust) -> [Finding] {
        guard requiresCertificateTransparency || systemRequiresCertificateTransparency else { return [] }
        return trust.transparencyFindings(
            for: verdict, evidence, isDemandedByApp: requiresCertificateTransparency,
            isDemandedBySystem: systemRequiresCertificateTransparency)
    }

    /// What is offered in handshakes; nil for what the requirements on the connection allow.
    package var offer: CipherSuiteSelection? { cipherSuites.map(CipherSuiteSelection.exactly) }

    /// What a connection and its verified path fall short of, beyond version and forward secrecy. None of it can be overruled.
    ///
    /// - Parameter path: the leaf first; empty where no path was found.
    private func findings(for evidence: PeerEvidence?, leaf: [UInt8]?, path: [Certificate]) -> [Finding] {
        var findings: [Finding] = []
        if let cipherSuites, let evidence, !cipherSuites.contains(where: { $0.code == evidence.cipherSuite.code }) {
            findings.append(
                Finding(
                    .suite,
                    "the server negotiated \(evidence.cipherSuite), which App Transport Security does not offer",
                    expected: "one of \(cipherSuites.count) suites", found: evidence.cipherSuite.name))
        }
        findings += strength(leaf: leaf, path: path)
        if niapPackage != nil, let evidence, evidence.hasExtendedMasterSecret == false {
            findings.append(
                Finding(
                    .masterSecret,
                    "the server does not agree to the extended master secret, which the package \(niapPackage?.rawValue ?? "") demands",
                    expected: "the extended master secret (RFC 7627)", found: "\(evidence.version) without it"))
        }
        if let pins, !pins.matches(path: path.map(\.pin)) {
            findings.append(
                Finding(
                    .pinnedDomain,
                    path.isEmpty
                        ? "NSPinnedDomains pins the host, and no path of the server's is good, so that none can be pinned"
                        : "the server shows none of the identities that NSPinnedDomains pins for the host",
                    expected: Self.text(pins), found: path.map(\.pin.description).joined(separator: ", ")))
        }
        return findings
    }

    /// Keys of the whole path, and what the leaf is signed with.
    private func strength(leaf: [UInt8]?, path: [Certificate]) -> [Finding] {
        let whole = path.isEmpty ? leaf.flatMap { try? Certificate(der: $0) }.map { [$0] } ?? [] : path
        var findings = whole.enumerated().flatMap { keySize(of: $1, at: $0) }
        // Nobody relies on what an anchor is signed with. A package binds those between as well: they must be signed with what was
        // offered in the handshake.
        let isSigned = niapPackage == nil ? whole.prefix(1) : whole.dropLast(path.count > 1 ? 1 : 0)
        guard requiresSHA256 || niapPackage != nil, path.count != 1 else { return findings }
        for (depth, certificate) in isSigned.enumerated() {
            guard let hash = certificate.signatureAlgorithm.hash, !hash.isSHA256OrBetter else { continue }
            findings.append(
                Finding(
                    .signatureHash,
                    "\(Self.name(depth)) is signed with \(hash.rawValue), less than App Transport Security demands",
                    expected: "SHA-256 or better", found: hash.rawValue))
        }
        return findings
    }

    private func keySize(of certificate: Certificate, at depth: Int) -> [Finding] {
        switch certificate.publicKey.kind {
        case .rsa(let bits, _), .rsaPSS(let bits):
            guard let least = minimumRSABits, bits < least else { return [] }
            return [Self.weakKey("an RSA key", bits, least, depth)]
        case .ellipticCurve(let curve):
            guard let least = minimumECBits, let bits = curve.bits, bits < least else { return [] }
            return [Self.weakKey("a key on an elliptic curve", bits, least, depth)]
        case .explicitEllipticCurve, .ed25519, .ed448, .malformed, .other: return []
        }
    }

    private static func name(_ depth: Int) -> String {
        depth == 0 ? "the server's certificate" : "the certificate \(depth) above the server's"
    }

    private static func weakKey(_ kind: String, _ bits: Int, _ least: Int, _ depth: Int) -> Finding {
        Finding(
            .keySize, "\(name(depth)) has \(kind) of \(bits) bits, less than App Transport Security demands",
            expected: "\(least) bits or more", found: "\(bits) bits")
    }

    private static func text(_ pins: PinnedIdentities) -> String {
        let parts = [("leaf", pins.leaf), ("authority", pins.authority)].compactMap { name, pins in
            pins.map { "\(name): \($0.map(\.description).sorted().joined(separator: ", "))" }
        }
        return parts.joined(separator: "; ")
    }
}

extension SignatureAlgorithm.Hash {
    fileprivate var isSHA256OrBetter: Bool { isCollisionResistant && self != .sha224 }
}

extension Finding {
    /// Why a policy that would accept does not: the system's own evaluation comes first.
    static let trustLocked = Finding(
        .trustLock,
        "the policy would accept the server, but App Transport Security holds for it: its chain must be good for the system first",
        expected: "a chain to one of the system's anchors", found: "one that only the policy or a handler accepts")
}

extension Rule {
    static let suite = Rule(
        "ats.cipher-suite", "A connection uses a suite that App Transport Security offers.", .deny,
        remedy: "Switch on ECDHE with AES-GCM on the server.", source: "Apple: NSAppTransportSecurity")
    static let keySize = Rule(
        "ats.key-size", "The keys of a server's path have the size that App Transport Security demands.", .deny,
        remedy: "Have a certificate issued for an RSA key of 2048 bits or a P-256 key.",
        source: "Apple: Preventing Insecure Network Connections")
    static let signatureHash = Rule(
        "ats.signature-hash", "A server's certificate is signed with SHA-256 or better.", .deny,
        remedy: "Have the certificate issued again with SHA-256.",
        source: "Apple: Preventing Insecure Network Connections")
    static let cleartextAllowed = Rule(
        "ats.cleartext-allowed", "No exception lets a connection go out in the clear.", severity: .warning, .none,
        remedy: "Serve https at the host, and delete the exception.",
        source: "Apple: NSExceptionAllowsInsecureHTTPLoads; NSAllowsArbitraryLoads")
    static let masterSecret = Rule(
        "ats.extended-master-secret", "Under a package of NIAP's, sessions of TLS 1.2 have the extended master secret.",
        .deny, remedy: "Update the server's TLS library, or switch on TLS 1.3.",
        source: "Apple: NSRequiresNIAPTLSPackageVersion; NIAP Functional Package for TLS 2.1; RFC 7627")
    static let pinnedDomain = Rule(
        "ats.pinned-domains", "A server shows an identity that NSPinnedDomains pins for its host.", .fatal,
        remedy:
            "Correct the pins if the server is the right one; if nobody knows of a change, refuse: somebody else may be answering.",
        source: "Apple: NSPinnedDomains")
    static let trustLock = Rule(
        "ats.trust-lock", "Where App Transport Security holds, the system's own evaluation comes before any policy.",
        .deny,
        remedy: "Add an exception for the host to Info.plist, or give the server a certificate that the system trusts.",
        source: "Apple: NSAllowsArbitraryLoads; Performing Manual Server Trust Authentication")
}

/// The rules of enforcement: this module's part of the catalogue.
public enum SessionRulesCatalogue {
    /// The rules, sorted by identifier.
    public static let all: [Rule] = [
        .suite, .keySize, .signatureHash, .masterSecret, .cleartextAllowed, .pinnedDomain, .trustLock,
        .connectionNotChecked,
    ]
    .sorted { $0.identifier < $1.identifier }
}
