import BelayCertificates
import BelayTrust
import Foundation
import Testing

@Suite("Security policy")
struct SecurityPolicyTests {
    private let world: TestPKI
    init() throws { world = try TestPKI.good.get() }

    @Test("both spellings make the same policies")
    func spellings() throws {
        let pin = world.leaf.pin
        #expect(SecurityPolicy.systemTrust() == .default)
        #expect(SecurityPolicy.systemTrust(name: .skipped) == SecurityPolicy(validatesDomainName: false))
        #expect(
            SecurityPolicy.pinned(to: PinnedKeys(pin)) == SecurityPolicy(pinningMode: .publicKey, pinnedKeys: [pin]))
        #expect(
            SecurityPolicy.pinned(to: PinnedKeys(pin), chain: .pinsOnly, name: .skipped, matching: .all)
                == SecurityPolicy(
                    pinningMode: .publicKey, pinnedKeys: [pin], allowInvalidCertificates: true,
                    validatesDomainName: false, chainMatching: .all))
        #expect(
            SecurityPolicy.pinned(to: PinnedCertificates(world.leaf), chain: .pinsOnly)
                == SecurityPolicy(
                    pinningMode: .certificate, pinnedCertificates: [world.leaf], allowInvalidCertificates: true))
        #expect(PinnedKeys([]) == nil && PinnedCertificates([]) == nil)
        #expect(
            SecurityPolicy.acceptingAnyCertificate
                == SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false))
    }

    @Test("no pinning never means no checking: a leaf of an unknown authority is refused")
    func noPinning() {
        let verdict = SecurityPolicy.default.evaluate(world.trust.with { $0.anchors = .empty })
        #expect(verdict.errors.contains("anchor.unknown"))
        #expect(verdict.result == .recoverableTrustFailure)
    }

    @Test("a contradiction is known before a byte is sent")
    func contradiction() {
        let none = SecurityPolicy(allowInvalidCertificates: true)
        #expect(none.contradictions().map(\.rule.identifier) == ["policy.contradiction"])
        #expect(none.contradictions(forNamedHost: false).isEmpty)
        let empty = SecurityPolicy(pinningMode: .certificate, allowInvalidCertificates: true)
        #expect(empty.contradictions().map(\.rule.identifier) == ["policy.contradiction"])
        #expect(empty.contradictions(forNamedHost: false).map(\.rule.identifier) == ["policy.empty-pin-set"])
        let verdict = none.evaluate(world.trust)
        #expect(verdict.result == .deny)
        #expect(verdict.path.isEmpty)
    }

    @Test("a pinned private authority is refused at the system's trust with a hint, and accepted by pins alone")
    func privateAuthority() {
        var policy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [world.root.certificate])
        let trust = world.trust.with { $0.anchors = .empty }
        let refused = policy.evaluate(trust)
        #expect(refused.errors.contains("anchor.unknown"))
        #expect(refused.finding("policy.pinned-but-untrusted") != nil)
        policy.allowInvalidCertificates = true
        let accepted = policy.evaluate(trust)
        #expect(accepted.result == .proceed)
        #expect(accepted.anchor == world.root.certificate)
    }

    @Test("the genuine pinned certificate behind an attacker's chain gains nothing", arguments: [true, false])
    func appendedCertificate(isSelfSigned: Bool) throws {
        let genuine = world.leaf
        let attacker =
            isSelfSigned
            ? try CertificateIssuer.selfSigned(
                .server(names: [TestPKI.host], validity: .current), key: .generate(.p256)
            )
            .certificate : try CertificateIssuer.root(named: "Other").server()
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            for allowsInvalid in [true, false] {
                for chain in [[attacker, genuine], [attacker, genuine, world.intermediate.certificate]] {
                    let policy = SecurityPolicy(
                        pinningMode: mode, pinnedCertificates: [genuine], allowInvalidCertificates: allowsInvalid)
                    let verdict = policy.evaluate(TestPKI.trust(chain, anchors: [world.root.certificate]))
                    #expect(!verdict.isTrusted, "\(mode) \(allowsInvalid)")
                    #expect(verdict.rules.contains("pin.mismatch"))
                }
            }
        }
    }

    @Test("an attacker's leaf that names the pinned authority as issuer is refused for its signature")
    func forgedIssuer() throws {
        let attacker = try CertificateIssuer.root(named: "Attacker").issue(
            {
                var template = CertificateTemplate.server(names: [TestPKI.host], validity: .current)
                template.flaws.issuer = world.intermediate.certificate.subject
                template.addsKeyIdentifiers = false
                return template
            }(), for: world.leafKey.publicKey)
        let policy = SecurityPolicy(
            pinningMode: .publicKey, pinnedCertificates: [world.intermediate.certificate],
            allowInvalidCertificates: true)
        let verdict = policy.evaluate(TestPKI.trust([attacker, world.intermediate.certificate], anchors: []))
        #expect(verdict.errors == ["signature.invalid", "pin.mismatch"])
    }

    @Test("without the comparison of names, given anchors still decide")
    func nameOff() throws {
        let policy = SecurityPolicy(validatesDomainName: false)
        let other = try world.intermediate.server(["other.test"])
        #expect(
            policy.evaluate(TestPKI.trust([other, world.intermediate.certificate], anchors: [world.root.certificate]))
                .isTrusted)
        let stranger = try CertificateIssuer.root(named: "Stranger").server()
        #expect(!policy.evaluate(TestPKI.trust([stranger], anchors: [world.root.certificate])).isTrusted)
    }

    @Test(
        "pins hold for keys of every kind",
        arguments: [
            PrivateKey.Specification.rsa(bits: 3_072), .rsaPSS(bits: 2_048), .p521, .ed25519, .ed448,
            .ellipticCurve("brainpoolP384r1"),
        ])
    func kindsOfKeys(_ specification: PrivateKey.Specification) throws {
        let world = try TestPKI(leafKey: PrivateKey.generate(specification))
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedKeys: [world.leaf.pin])
        #expect(policy.evaluate(world.trust).result == .unspecified)
    }

    @Test("a certificate renewed with the same key keeps its key pin and loses its certificate pin")
    func renewal() throws {
        let renewed = try world.intermediate.server(key: world.leafKey)
        let trust = TestPKI.trust([renewed, world.intermediate.certificate], anchors: [world.root.certificate])
        func policy(_ mode: SecurityPolicy.PinningMode) -> SecurityPolicy {
            SecurityPolicy(pinningMode: mode, pinnedCertificates: [world.leaf])
        }
        #expect(policy(.publicKey).evaluate(trust).isTrusted)
        let refused = policy(.certificate).evaluate(trust)
        #expect(refused.errors == ["pin.mismatch"])
        #expect(refused.result == .deny)
        let finding = try #require(refused.finding("pin.mismatch"))
        #expect(finding.expected?.contains(world.leaf.fingerprint.hexadecimalText) == true)
        #expect(finding.found?.contains(renewed.fingerprint.hexadecimalText) == true)
    }

    @Test("pins alone need no trust store at all")
    func pinsOnly() throws {
        let trust = world.trust.with { $0.anchors = .empty }
        let right = SecurityPolicy.pinned(to: PinnedKeys(world.leaf.pin), chain: .pinsOnly)
        let verdict = right.evaluate(trust)
        #expect(verdict.result == .proceed)
        #expect(verdict.finding("anchor.unknown")?.severity == .warning)
        #expect(!verdict.isPathComplete)
        let wrong = SecurityPolicy.pinned(to: PinnedKeys(try RuleCase.strangersPin()), chain: .pinsOnly)
        #expect(wrong.evaluate(trust).errors == ["pin.mismatch"])
        // The pin of an authority that the server sends counts too.
        let authority = SecurityPolicy.pinned(to: PinnedKeys(world.intermediate.certificate.pin), chain: .pinsOnly)
        #expect(authority.evaluate(trust).isTrusted)
    }

    @Test("invalid certificates are forgiven dates, names, purposes and the anchor beside pins, and nothing else")
    func forgiveness() throws {
        func judge(
            intermediate: TestPKI.Bend = { _ in }, leaf: TestPKI.Bend = { _ in },
            _ change: (inout ServerTrust, TestPKI) throws -> Void = { _, _ in }
        ) throws -> Verdict {
            let world = try TestPKI(intermediate: intermediate, leaf: leaf)
            let policy = SecurityPolicy(
                pinningMode: .publicKey, pinnedCertificates: [world.leaf], allowInvalidCertificates: true)
            return policy.evaluate(try world.trust.with { try change(&$0, world) })
        }
        let past = Validity(from: moment - 100, through: moment - 50)
        #expect(try judge(leaf: { $0.validity = past }).result == .proceed)
        #expect(try judge(leaf: { $0.setNames([.dns("other.test")]) }).result == .proceed)
        #expect(try judge(leaf: { $0.set(.extendedKeyUsage([.clientAuthentication])) }).result == .proceed)
        #expect(try judge({ trust, _ in trust.anchors = .empty }).result == .proceed)

        let refused: [(String, Verdict)] = try [
            ("ca.not-an-authority", judge(intermediate: { $0.remove(RuleCase.basicConstraints) })),
            ("ca.key-usage", judge(intermediate: { $0.set(.keyUsage(.digitalSignature)) })),
            (
                "constraints.excluded",
                judge(intermediate: { $0.set(.nameConstraints(NameConstraints(excluded: [.dns("test")]))) })
            ),
            ("signature.weak-hash", judge(leaf: { $0.signatureAlgorithm = .ecdsa(.sha1) })),
            (
                "extension.unknown-critical",
                judge(leaf: {
                    $0.set(CertificateExtension(identifier: RuleCase.unknown, isCritical: true, value: [5, 0]))
                })
            ),
            (
                "revocation.revoked",
                judge({ trust, world in
                    trust.revocationLists = [
                        try world.intermediate.list(revoking: [world.leaf]), try world.root.list(),
                    ]
                })
            ),
            ("path.too-deep", judge({ trust, _ in trust.maximumChainDepth = 0 })),
        ]
        for (rule, verdict) in refused {
            // The pinned leaf alone would be a path without an anchor; but its issuer is known, and refused.
            #expect(!verdict.isTrusted, "\(rule)")
            #expect(verdict.errors.contains(rule), "\(rule): \(verdict.findings)")
        }
    }

    @Test("a copy of a known authority with looser constraints does not stand in for it")
    func loosenedCopy() throws {
        let root = try CertificateIssuer.root(named: "Root") {
            $0.set(.nameConstraints(NameConstraints(permitted: [.dns("other.test")])))
        }
        let leaf = try root.server()
        // The copy has the root's name and key and, since nobody is known to have issued it, needs no good signature.
        let forger = try CertificateIssuer.root(named: "Forger")
        let copy = try forger.authority(named: "Root", key: root.privateKey)
        for isAnchor in [true, false] {
            let policy = SecurityPolicy(
                pinningMode: .publicKey, pinnedCertificates: isAnchor ? [] : [root.certificate],
                pinnedKeys: [root.certificate.pin], allowInvalidCertificates: true)
            let verdict = policy.evaluate(
                TestPKI.trust([leaf, copy.certificate], anchors: isAnchor ? [root.certificate] : []))
            #expect(verdict.errors.contains("constraints.not-permitted"), "\(verdict.findings)")
            #expect(verdict.result == .fatalTrustFailure)
        }
    }

    @Test("'all' demands every key of the path but the root's, and the only one of a path of one")
    func chainMatchingKeys() throws {
        let (leaf, middle, root) = (world.leaf.pin, world.intermediate.certificate.pin, world.root.certificate.pin)
        func judge(_ pins: Set<SPKIPin>, _ trust: ServerTrust, allowsInvalid: Bool = false) -> Bool {
            SecurityPolicy(
                pinningMode: .publicKey, pinnedKeys: pins, allowInvalidCertificates: allowsInvalid, chainMatching: .all
            ).evaluate(trust).isTrusted
        }
        #expect(judge([leaf, middle], world.trust))
        #expect(judge([leaf, middle, root], world.trust))
        #expect(!judge([leaf], world.trust))
        #expect(!judge([middle, root], world.trust))
        #expect(!judge([root], world.trust))
        let one = world.trust.with {
            $0.chain.removeLast()
            $0.anchors = AnchorStore([world.leaf])
        }
        #expect(judge([leaf], one))
        #expect(!judge([middle], one))
        // Without an anchor every certificate that was sent and belongs to the path counts.
        let open = world.trust.with { $0.anchors = .empty }
        #expect(judge([leaf, middle], open, allowsInvalid: true))
        #expect(!judge([leaf], open, allowsInvalid: true))
        #expect(!judge([middle], open, allowsInvalid: true))
        // A path cannot be cut short to its pinned part: the issuer is there.
        let withRoot = open.with { $0.chain.append(world.root.certificate.der) }
        #expect(judge([leaf, middle], withRoot, allowsInvalid: true))
        #expect(!judge([leaf], withRoot, allowsInvalid: true))
    }

    @Test("pins in another mode than none are looked at, in mode none they are named as unused")
    func unusedPins() {
        let policy = SecurityPolicy(pinnedKeys: [world.leaf.pin])
        let verdict = policy.evaluate(world.trust)
        #expect(verdict.isTrusted && verdict.rules == ["policy.unused-pins"])
    }

    @Test("a malformed chain is refused even where everything is allowed")
    func malformedUnderOpenPolicy() {
        let verdict = SecurityPolicy.acceptingAnyCertificate.evaluate(world.trust.with { $0.chain[0] = [0x30] })
        #expect(verdict.errors == ["der.malformed"])
        #expect(!SecurityPolicy.acceptingAnyCertificate.evaluate(world.trust.with { $0.chain = [] }).isTrusted)
    }

    @Test("weaknesses say in plain words which attack a setting opens")
    func weaknesses() throws {
        #expect(SecurityPolicy.default.weaknesses.isEmpty)
        let two = PinnedKeys(world.leaf.pin, try RuleCase.strangersPin())
        #expect(SecurityPolicy.pinned(to: two).weaknesses.isEmpty)
        let any = try #require(SecurityPolicy.acceptingAnyCertificate.weaknesses.first)
        #expect(any.message.contains("Any certificate is accepted"))
        let noName = try #require(SecurityPolicy.systemTrust(name: .skipped).weaknesses.first)
        #expect(noName.message.contains("One certificate from any trusted authority is enough"))
        let pinnedNoName = try #require(SecurityPolicy.pinned(to: two, name: .skipped).weaknesses.first)
        #expect(pinnedNoName.message.contains("One certificate from the same authority is enough"))
        #expect(
            SecurityPolicy.pinned(to: two, chain: .pinsOnly).weaknesses.map(\.rule.identifier) == [
                "policy.weak.invalid-allowed"
            ])
        // What refuses everything opens nothing.
        #expect(SecurityPolicy(allowInvalidCertificates: true).weaknesses.isEmpty)
    }

    @Test("findings that are added refuse a verdict, and never make a refusal milder")
    func addedFindings() throws {
        let deny = ConnectionRequirements.cleartext(host: "host.test")
        let fatal = ConnectionRequirements.keyNotProven()
        #expect(world.trust.evaluate().adding([deny]).result == .deny)
        #expect(world.trust.evaluate().adding([deny, fatal]).result == .fatalTrustFailure)
        #expect(world.trust.evaluate().adding([]).result == .unspecified)
        let invalid = world.trust.with { $0.chain = [] }.evaluate()
        #expect(invalid.adding([deny]).result == .invalid)
        let accepted = SecurityPolicy.acceptingAnyCertificate.evaluate(world.trust.with { $0.anchors = .empty })
        #expect(accepted.adding([deny]).result == .deny)
        #expect(Verdict(refusing: []).adding([deny]).result == .invalid)
    }
}
