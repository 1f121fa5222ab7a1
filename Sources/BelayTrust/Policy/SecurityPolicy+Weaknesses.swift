extension SecurityPolicy {
    /// Which attack each loosened setting opens, in plain words. Empty for a policy that loosens nothing.
    ///
    /// ```swift
    /// for weakness in policy.weaknesses { print(weakness.message) }
    /// ```
    public var weaknesses: [Finding] {
        guard contradictions().isEmpty else { return [] }
        if pinningMode == .none && allowInvalidCertificates {
            return [
                Finding(
                    .weakAnyCertificate,
                    "Any certificate is accepted, also one that an attacker made a minute ago. Whoever can answer in the "
                        + "server's place (a wireless network, a router, a name server) reads and changes everything.",
                    found: "mode none, allowInvalidCertificates, no name check")
            ]
        }
        var findings: [Finding] = []
        if !validatesDomainName { findings.append(noName) }
        if pinningMode != .none && allowInvalidCertificates { findings.append(invalidAllowed) }
        if pinningMode != .none && hasSinglePin {
            findings.append(
                Finding(
                    .weakSinglePin,
                    "There is one pin and none in reserve. When the key is lost, stolen or replaced, every installed app "
                        + "refuses the server until it is updated.",
                    expected: "two pins or more", found: "one"))
        }
        return findings
    }

    private var hasSinglePin: Bool {
        pinningMode == .certificate ? pinnedCertificates.count == 1 : effectivePins.count == 1
    }

    private var noName: Finding {
        let attack =
            switch pinningMode {
            case .none:
                "One certificate from any trusted authority is enough: whoever has a valid certificate for a name of their "
                    + "own can answer in the server's place."
            case .publicKey, .certificate:
                "One certificate from the same authority is enough: where the pin is that of an authority, every customer "
                    + "of the authority can answer in the server's place."
            }
        return Finding(.weakNoName, attack, expected: "validatesDomainName", found: "no name check")
    }

    private var invalidAllowed: Finding {
        let attack =
            switch pinningMode {
            case .publicKey:
                "The pinned key is all that counts: an expired certificate is accepted, and so is one for another name, so "
                    + "that whoever holds any certificate below a pinned authority can answer in the server's place."
            case .certificate, .none:
                "The system's anchors do not count: what the system refuses, for example because the authority is "
                    + "distrusted, is accepted where it leads to a pinned certificate."
            }
        return Finding(
            .weakNoDates, attack, expected: "a valid chain beside the pin", found: "allowInvalidCertificates")
    }
}
