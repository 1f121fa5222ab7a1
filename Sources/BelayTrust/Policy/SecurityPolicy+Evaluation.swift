import BelayCertificates

extension SecurityPolicy {
    /// Judges a chain under this policy, in AFNetworking's order:
    ///
    /// 1. a policy that contradicts itself, or whose pin set is empty, refuses everything;
    /// 2. without pins, a valid chain is accepted, and any chain where invalid certificates are allowed;
    /// 3. with pins, the chain must be valid against the trust's anchors, unless invalid certificates are allowed;
    /// 4. in mode `certificate` the chain must be valid again, with the pinned certificates as the only anchors;
    /// 5. in mode `publicKey` the path must hold a pinned key.
    ///
    /// Where ``validatesDomainName`` is off, "valid" is basic X.509: neither name nor purpose of the leaf is demanded.
    public func evaluate(_ trust: ServerTrust) -> Verdict {
        var trust = trust
        if !validatesDomainName { trust.policies = [.basicX509] }
        let refusals = contradictions(forNamedHost: !trust.checkedNames.isEmpty)
        guard refusals.isEmpty else {
            return Verdict(refusedFor: refusals, path: [], isPathComplete: false, checkedNames: [])
        }
        do throws(PreparedChain.Unusable) {
            return PolicyEvaluation(policy: self, trust: trust, chain: try PreparedChain(trust)).verdict
        } catch {
            return Verdict(refusedFor: error.findings, path: [], isPathComplete: false, checkedNames: [])
        }
    }

    /// Why this policy refuses every server, whatever it presents: known before a byte is sent. Empty for a sound policy.
    ///
    /// - Parameter isNamed: whether there is a name to compare. Without one, allowing invalid certificates beside the
    ///   comparison of names contradicts nothing, and AFNetworking lets it pass.
    public func contradictions(forNamedHost isNamed: Bool = true) -> [Finding] {
        let hasNoPins = pinningMode == .none || hasNoUsablePins
        if isNamed && allowInvalidCertificates && validatesDomainName && hasNoPins {
            return [
                Finding(
                    .contradiction,
                    "the policy allows invalid certificates and validates the domain name, but pins nothing: a name in a "
                        + "certificate that anybody may have made proves nothing",
                    expected: "pins, or one of the two settings switched off",
                    found: "allowInvalidCertificates and validatesDomainName without pins")
            ]
        }
        if hasNoUsablePins {
            return [
                Finding(
                    .emptyPinSet,
                    pinnedKeys.isEmpty
                        ? "the policy pins, but its pin set is empty"
                        : "the policy pins certificates, but only keys are given",
                    expected:
                        "at least one pinned \(pinningMode == .certificate ? "certificate" : "certificate or key")",
                    found: pinnedKeys.isEmpty ? "no pins" : keyCount)
            ]
        }
        if pinningMode == .certificate && !pinnedKeys.isEmpty {
            return [
                Finding(
                    .unusableKeys, "the policy pins certificates, in which pins of keys have no meaning",
                    expected: "certificates only, or the mode publicKey", found: "\(keyCount) beside them")
            ]
        }
        return []
    }

    private var keyCount: String { pinnedKeys.count == 1 ? "1 key" : "\(pinnedKeys.count) keys" }
}

/// One evaluation of a policy.
private struct PolicyEvaluation {
    let policy: SecurityPolicy
    let trust: ServerTrust
    let chain: PreparedChain

    var verdict: Verdict {
        switch policy.pinningMode {
        case .none: unpinned
        case .publicKey: pinnedByKey
        case .certificate: pinnedByCertificate
        }
    }

    // MARK: Without pins

    private var unpinned: Verdict {
        let base = PathJudgement(chain, Demand(trust))
        var findings = base.findings
        if !policy.pinnedCertificates.isEmpty || !policy.pinnedKeys.isEmpty {
            findings.append(Finding(.unusedPins, "the policy has pins, but its mode is none: they are not looked at"))
        }
        if base.isValid { return accept(.unspecified, base, findings) }
        guard policy.allowInvalidCertificates, !isRevoked(base) else { return refuse(base, findings) }
        return accept(.proceed, base, findings + [acceptedAnyway])
    }

    /// Whether a list that the caller gave revokes the chain: whoever gives lists means them, whatever else is allowed.
    private func isRevoked(_ judgement: PathJudgement) -> Bool {
        judgement.findings.contains { $0.rule == .revoked && $0.severity == .error }
    }

    private var acceptedAnyway: Finding {
        Finding(
            .anythingAccepted, "the chain is not valid and was accepted because the policy allows invalid certificates")
    }

    // MARK: Keys

    private var pinnedByKey: Verdict {
        let pins = policy.effectivePins
        let isWanted = { (path: [Certificate], reachesAnchor: Bool) in
            isPinned(path, reachesAnchor) { pins.contains($0.pin) }
        }
        let base = PathJudgement(chain, demand, where: isWanted)
        if base.isValid { return accept(.unspecified, base, base.findings) }
        guard policy.allowInvalidCertificates else {
            return refuse(base, base.findings + mismatch(base, isWanted, served: pinsServed(base), configured: pins))
        }
        let relaxed = PathJudgement(
            chain, demand, forgiving: .invalidCertificates, anchorMayBeMissing: true, where: isWanted)
        if relaxed.isValid {
            return accept(.proceed, relaxed, relaxed.findings + nameNotChecked(relaxed.findings))
        }
        let findings = relaxed.findings.map(forgiven)
        return refuse(relaxed, findings + mismatch(relaxed, isWanted, served: pinsServed(relaxed), configured: pins))
    }

    private func pinsServed(_ judgement: PathJudgement) -> [String] {
        judgement.certificates.map { "\($0.pin) (\(label($0)))" }
    }

    /// What is forgiven stays visible as a warning.
    private func forgiven(_ finding: Finding) -> Finding {
        finding.severity == .error && finding.rule.isForgivable ? finding.with(severity: .warning) : finding
    }

    /// Where a wrong name is let through, the verdict must not look as if the name had been compared.
    private func nameNotChecked(_ findings: [Finding]) -> [Finding] {
        guard findings.contains(where: { $0.rule == .nameMismatch || $0.rule == .noAlternativeNames }) else {
            return []
        }
        return [
            Finding(
                .nameNotChecked,
                "the name did not decide: the policy allows invalid certificates, so that the pinned key is enough")
        ]
    }

    // MARK: Certificates

    private var pinnedByCertificate: Verdict {
        var pinned = Demand(trust)
        pinned.anchors = [AnchorStore(policy.pinnedCertificates, origin: "the pin set")]
        let pins = Set(policy.pinnedCertificates)
        let isWanted = { (path: [Certificate], reachesAnchor: Bool) in
            isPinned(path, reachesAnchor) { pins.contains($0) }
        }
        let byPins = PathJudgement(chain, pinned, where: isWanted)
        let base = PathJudgement(chain, demand)
        if byPins.isValid {
            if base.isValid { return accept(.unspecified, byPins, byPins.findings + base.findings) }
            if isRevoked(base) { return refuse(byPins, base.findings) }
            if policy.allowInvalidCertificates { return accept(.proceed, byPins, byPins.findings + base.findings) }
            return refuse(byPins, base.findings + [privateAuthorityHint])
        }
        // That no path leads to a pinned certificate is what the mismatch says; "unknown anchor" would say it again.
        var findings = byPins.findings
        if !byPins.reachesAnchor {
            findings.removeAll { $0.rule == .unknownAnchor || $0.rule == .issuerNotSent }
        }
        if !policy.allowInvalidCertificates { findings += base.findings }
        let shown = byPins.reachesAnchor ? byPins : base
        let served = shown.certificates.map { "\($0.fingerprint) (\(label($0)))" }
        let configured = policy.pinnedCertificates.map { "\($0.fingerprint) (\(label($0)))" }
        let mismatch =
            byPins.reachesAnchor && isWanted(byPins.certificates, true)
            ? [] : [pinMismatch(served: served, configured: configured, "certificate")]
        return refuse(shown, findings + mismatch)
    }

    private var privateAuthorityHint: Finding {
        Finding(
            .pinnedButUntrusted,
            "the chain is valid against the pinned certificate, but not against the anchors, and the policy demands both"
        )
    }

    // MARK: Common

    /// The search on the trust's anchors; pinned certificates may serve as missing intermediates.
    private var demand: Demand {
        var demand = Demand(trust)
        demand.known = policy.pinnedCertificates
        return demand
    }

    /// Whether as much of a path is pinned as the policy wants.
    private func isPinned(_ path: [Certificate], _ reachesAnchor: Bool, _ isPin: (Certificate) -> Bool) -> Bool {
        switch policy.chainMatching {
        case .any:
            return path.contains(where: isPin)
        case .all:
            guard let last = path.last, path.count > 1 else { return path.allSatisfy(isPin) }
            let endsAtRoot = reachesAnchor || last.isSelfIssued
            return (endsAtRoot ? path.dropLast() : path[...]).allSatisfy(isPin)
        }
    }

    private func mismatch(
        _ judgement: PathJudgement, _ isWanted: ([Certificate], Bool) -> Bool, served: [String],
        configured: Set<SPKIPin>
    ) -> [Finding] {
        if isWanted(judgement.certificates, judgement.reachesAnchor) { return [] }
        let known = Dictionary(
            policy.pinnedCertificates.map { ($0.pin, label($0)) }, uniquingKeysWith: { first, _ in first })
        let texts = configured.sorted { $0.description < $1.description }
            .map { pin in known[pin].map { "\(pin) (\($0))" } ?? "\(pin)" }
        return [pinMismatch(served: served, configured: texts, "key")]
    }

    private func pinMismatch(served: [String], configured: [String], _ what: String) -> Finding {
        let message =
            switch policy.chainMatching {
            case .any: "no \(what) of the path is pinned"
            case .all: "not every \(what) of the path below its root is pinned"
            }
        return Finding(
            .pinMismatch, message, expected: configured.joined(separator: "\n"), found: served.joined(separator: "\n"))
    }

    /// A short name for a certificate beside its pin.
    private func label(_ certificate: Certificate) -> String {
        certificate.subject.commonName.map(printable) ?? certificate.subject.description
    }

    private func accept(_ result: TrustResult, _ judgement: PathJudgement, _ findings: [Finding]) -> Verdict {
        let softened = findings.map { $0.severity == .error ? $0.with(severity: .warning) : $0 }
        return Verdict(
            result: result, findings: softened, path: judgement.certificates,
            isPathComplete: judgement.reachesAnchor, checkedNames: trust.checkedNames,
            explanation: judgement.explanation)
    }

    private func refuse(_ judgement: PathJudgement, _ findings: [Finding]) -> Verdict {
        Verdict(
            refusedFor: findings, path: judgement.certificates, isPathComplete: judgement.reachesAnchor,
            checkedNames: trust.checkedNames, explanation: judgement.explanation)
    }
}
