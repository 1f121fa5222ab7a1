import BelayCertificates
import BelaySession
import BelayTLS
import BelayTrust
import Foundation
import TestSupport
import Testing

/// A server's chain that some trusts accept and others refuse.
private struct ChallengedServer {
    let authority: CertificateIssuer
    let leaf: Certificate
    let name: ServerName

    init() throws {
        authority = try .selfSigned(.authority(named: "Test Root"), key: .generate(.p256))
        leaf = try authority.issue(.server(names: ["h.test"]), for: PrivateKey.generate(.p256).publicKey)
        name = try ServerName("h.test")
    }

    var chain: [[UInt8]] { [leaf.der] }

    /// The chain as its authority's friends judge it.
    var good: ServerTrust {
        ServerTrust(chain: chain, policies: [.tlsServer(name: name)], anchors: AnchorStore([authority.certificate]))
    }

    /// The chain as strangers judge it.
    var bad: ServerTrust { ServerTrust(chain: chain, policies: [.tlsServer(name: name)]) }
}

@Suite("Who may overrule whom about a server")
struct ChallengeOutcomeTests {
    private static let server = Result { try ChallengedServer() }

    enum Answer: String, CaseIterable {
        case performDefault, cancel, reject, accept, acceptBetter, acceptWorse
    }

    /// A row of the matrix: what the policy says, what the handler says, and what comes of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let policyAccepts: Bool
        let answer: Answer
        let loosened: ChallengeOutcome.Refusal?
        let locked: ChallengeOutcome.Refusal?
        var testDescription: String { "policy \(policyAccepts ? "accepts" : "refuses"), handler: \(answer.rawValue)" }
    }

    // The design's table, with the changed trust that its verdict counts for.
    static let rows = [
        Row(policyAccepts: true, answer: .performDefault, loosened: nil, locked: nil),
        Row(policyAccepts: true, answer: .cancel, loosened: .cancelled, locked: .cancelled),
        Row(policyAccepts: true, answer: .reject, loosened: .rejected, locked: .rejected),
        Row(policyAccepts: true, answer: .accept, loosened: nil, locked: nil),
        Row(policyAccepts: true, answer: .acceptBetter, loosened: nil, locked: nil),
        Row(policyAccepts: true, answer: .acceptWorse, loosened: .changedTrust, locked: .changedTrust),
        Row(policyAccepts: false, answer: .performDefault, loosened: .policy, locked: .policy),
        Row(policyAccepts: false, answer: .cancel, loosened: .cancelled, locked: .cancelled),
        Row(policyAccepts: false, answer: .reject, loosened: .rejected, locked: .rejected),
        Row(policyAccepts: false, answer: .accept, loosened: nil, locked: .trustIsLocked),
        Row(policyAccepts: false, answer: .acceptBetter, loosened: nil, locked: .trustIsLocked),
        Row(policyAccepts: false, answer: .acceptWorse, loosened: .changedTrust, locked: .trustIsLocked),
    ]

    @Test("each cell of the matrix", arguments: rows, [true, false])
    func cell(row: Row, mayBeLoosened: Bool) throws {
        let server = try Self.server.get()
        let outcome = try outcome(row.policyAccepts, row.answer, mayBeLoosened: mayBeLoosened)
        #expect(refusal(outcome) == (mayBeLoosened ? row.loosened : row.locked))
        guard case .accepted(let verdict) = outcome else { return }
        #expect(verdict.isTrusted)
        // What a person let through shows that it was.
        let isOverruled = !row.policyAccepts && row.answer == .accept
        #expect(verdict.result == (isOverruled ? .proceed : .unspecified))
        #expect(verdict.findings.contains { $0.rule.identifier == "anchor.unknown" } == isOverruled)
        #expect(verdict.findings(.error).isEmpty)
        #expect(verdict.path.first == server.leaf)
    }

    @Test("nothing is accepted against fixed pins, whoever says so", arguments: rows)
    func fixedPins(row: Row) throws {
        let outcome = try outcome(row.policyAccepts, row.answer, violatesFixedPins: true)
        guard case .refused(let reason, _) = outcome else {
            Issue.record("accepted")
            return
        }
        if row.answer == .accept || row.loosened == nil { #expect(reason == .fixedPins) }
    }

    @Test("nothing is accepted for a malformed chain, whoever says so", arguments: rows)
    func malformed(row: Row) throws {
        let outcome = try outcome(row.policyAccepts, row.answer, isMalformed: true)
        guard case .refused(let reason, _) = outcome else {
            Issue.record("accepted")
            return
        }
        if row.answer == .accept || row.loosened == nil { #expect(reason == .malformed) }
    }

    @Test(
        "fatal verdicts are nothing that a handler may overrule",
        arguments: RuleCatalogue.all.filter { $0.consequence == .fatal || $0.consequence == .invalid })
    func fatal(rule: Rule) throws {
        let verdict = Verdict(refusing: [Finding(rule, severity: .error, "as bad as can be")])
        #expect(!verdict.mayBeOverruled && verdict.overruled == verdict)
        let outcome = ChallengeOutcome.decide(
            verdict: verdict, disposition: .useCredential(.serverTrust()), chain: [], trustMayBeLoosened: true,
            isMalformed: false, violatesFixedPins: false, judge: { $0.evaluate() })
        #expect(refusal(outcome) == .beyondOverruling)
    }

    @Test("a revoked certificate is not accepted by a changed trust that leaves the list out")
    func revoked() throws {
        let server = try Self.server.get()
        let now = Date()
        let list = try server.authority.issue(
            RevocationListTemplate(
                thisUpdate: now.addingTimeInterval(-3_600), nextUpdate: now.addingTimeInterval(3_600),
                entries: [.init(serialNumber: server.leaf.serialNumber, date: now.addingTimeInterval(-7_200))]))
        var trust = server.good
        trust.revocationLists = [try RevocationList(der: list)]
        let verdict = trust.evaluate()
        #expect(verdict.isRevoked && !verdict.isTrusted)
        for credential in [Credential.serverTrust(), .serverTrust(server.good)] {
            let outcome = ChallengeOutcome.decide(
                verdict: verdict, disposition: .useCredential(credential), chain: server.chain,
                trustMayBeLoosened: true,
                isMalformed: false, violatesFixedPins: false, judge: { $0.evaluate() })
            #expect(refusal(outcome) == .beyondOverruling)
        }
    }

    @Test("a changed trust about another chain is refused, though it is good")
    func otherChain() throws {
        let server = try Self.server.get()
        let other = try ChallengedServer()
        let outcome = ChallengeOutcome.decide(
            verdict: server.bad.evaluate(), disposition: .useCredential(.serverTrust(other.good)), chain: server.chain,
            trustMayBeLoosened: true, isMalformed: false, violatesFixedPins: false, judge: { $0.evaluate() })
        #expect(refusal(outcome) == .otherChain)
    }

    @Test("a password or an identity is no answer to whether a server is trusted")
    func wrongCredential() throws {
        let server = try Self.server.get()
        for trust in [server.good, server.bad] {
            let outcome = ChallengeOutcome.decide(
                verdict: trust.evaluate(), disposition: .useCredential(.password(user: "u", password: "p")),
                chain: server.chain, trustMayBeLoosened: true, isMalformed: false, violatesFixedPins: false,
                judge: { $0.evaluate() })
            #expect(refusal(outcome) == .wrongCredential)
        }
    }

    @Test("the pins of the policy hold for a changed trust that it judges")
    func pinsOfChangedTrust() throws {
        let server = try Self.server.get()
        let policy = SecurityPolicy.pinned(to: PinnedKeys(SPKIPin(SHA256Digest(of: [1]))))
        let outcome = ChallengeOutcome.decide(
            verdict: policy.evaluate(server.bad), disposition: .useCredential(.serverTrust(server.good)),
            chain: server.chain, trustMayBeLoosened: true, isMalformed: false, violatesFixedPins: false,
            judge: policy.evaluate)
        #expect(refusal(outcome) == .changedTrust)
    }

    @Test("every refusal says what to do or why", arguments: ChallengeOutcome.Refusal.allCases)
    func texts(refusal: ChallengeOutcome.Refusal) {
        #expect(refusal.description.count > 20)
    }

    private func outcome(
        _ policyAccepts: Bool, _ answer: Answer, mayBeLoosened: Bool = true, isMalformed: Bool = false,
        violatesFixedPins: Bool = false
    ) throws -> ChallengeOutcome {
        let server = try Self.server.get()
        let disposition: ChallengeDisposition =
            switch answer {
            case .performDefault: .performDefaultHandling
            case .cancel: .cancel
            case .reject: .rejectProtectionSpace
            case .accept: .useCredential(.serverTrust())
            case .acceptBetter: .useCredential(.serverTrust(server.good))
            case .acceptWorse: .useCredential(.serverTrust(server.bad))
            }
        return ChallengeOutcome.decide(
            verdict: (policyAccepts ? server.good : server.bad).evaluate(), disposition: disposition,
            chain: server.chain,
            trustMayBeLoosened: mayBeLoosened, isMalformed: isMalformed, violatesFixedPins: violatesFixedPins,
            judge: SecurityPolicy.default.evaluate)
    }

    private func refusal(_ outcome: ChallengeOutcome) -> ChallengeOutcome.Refusal? {
        if case .refused(let reason, _) = outcome { reason } else { nil }
    }
}

@Suite("Credentials")
struct CredentialTests {
    @Test("no description or dump shows a password or a user")
    func secrets() throws {
        let credential = Credential.password(user: "alice", password: "sesame", persistence: .forSession)
        var store = CredentialStore()
        let space = ProtectionSpace(try SessionURL("https://h.test").origin, .password(realm: "r", isDigest: false))
        store.keep(credential, for: space)
        let challenge = Challenge(host: .dns("h.test"), port: 443, kind: .httpBasic(realm: "r"), proposed: credential)
        for value in [credential, store, challenge, ChallengeDisposition.useCredential(credential)] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("sesame") && !text.contains("alice"), "shown: \(text)")
            }
        }
    }

    @Test("credentials are kept for the session only where they are meant to be, and for their own space only")
    func spaces() throws {
        var store = CredentialStore()
        let origin = try SessionURL("https://h.test").origin
        let basic = ProtectionSpace(origin, .password(realm: "r", isDigest: false))
        store.keep(.password(user: "u", password: "once"), for: basic)
        #expect(store.credential(for: basic) == nil)
        store.keep(.password(user: "u", password: "first", persistence: .forSession), for: basic)
        store.keep(.password(user: "u", password: "second", persistence: .forSession), for: basic)
        #expect(password(store.credential(for: basic)) == "second" && store.count == 1)
        for other in [
            ProtectionSpace(origin, .password(realm: "R", isDigest: false)),
            ProtectionSpace(origin, .password(realm: "r", isDigest: true)),
            ProtectionSpace(try SessionURL("http://h.test").origin, .password(realm: "r", isDigest: false)),
            ProtectionSpace(try SessionURL("https://h.test:8443").origin, .password(realm: "r", isDigest: false)),
            ProtectionSpace(try SessionURL("https://a.h.test").origin, .password(realm: "r", isDigest: false)),
            ProtectionSpace(origin, .clientCertificate),
        ] { #expect(store.credential(for: other) == nil) }
        store.remove(for: basic)
        #expect(store.credential(for: basic) == nil && store.count == 0)
    }

    @Test("a full store forgets what was not used for the longest time")
    func bounded() throws {
        var store = CredentialStore(capacity: 3)
        let origin = try SessionURL("https://h.test").origin
        func space(_ number: Int) -> ProtectionSpace {
            ProtectionSpace(origin, .password(realm: "\(number)", isDigest: false))
        }
        for number in 0..<3 {
            store.keep(.password(user: "u", password: "\(number)", persistence: .forSession), for: space(number))
        }
        #expect(password(store.credential(for: space(0))) == "0")
        store.keep(.password(user: "u", password: "3", persistence: .forSession), for: space(3))
        #expect(store.count == 3 && store.credential(for: space(1)) == nil)
        #expect([0, 2, 3].allSatisfy { store.credential(for: space($0)) != nil })
        store.removeAll()
        #expect(store.count == 0)
    }

    private func password(_ credential: Credential?) -> String? {
        if case .password(let value)? = credential?.kind { value.password.text } else { nil }
    }
}
