import BelayCertificates
import Foundation
import Testing

@testable import BelayTrust

@Suite("Verdict cache")
struct VerdictCacheTests {
    private struct World {
        let root: CertificateIssuer
        let leaf: Certificate
        let trust: ServerTrust
        let now = Date(timeIntervalSince1970: 1_790_000_000)

        init() throws {
            let lifetime = Validity(from: now.addingTimeInterval(-1_000), through: now.addingTimeInterval(1_000_000))
            root = try CertificateIssuer.selfSigned(
                .authority(named: "Root", validity: lifetime), key: .generate(.p256))
            leaf = try root.issue(
                .server(
                    names: ["www.example.test"],
                    validity: Validity(from: now.addingTimeInterval(-1_000), through: now.addingTimeInterval(1_000))),
                for: PrivateKey.generate(.p256).publicKey)
            var trust = ServerTrust(
                chain: [leaf.der], policies: [.tlsServer(name: try ServerName("www.example.test"))],
                anchors: AnchorStore([root.certificate]))
            trust.evaluationTime = now
            self.trust = trust
        }
    }

    @Test("the same question gets the kept verdict, until a certificate expires")
    func keptUntilExpiry() throws {
        let world = try World()
        let cache = VerdictCache()
        var trust = world.trust
        #expect(cache.evaluate(trust).isTrusted)
        #expect(cache.count == 1)
        trust.evaluationTime = world.now.addingTimeInterval(1_000)
        #expect(cache.evaluate(trust).isTrusted)
        trust.evaluationTime = world.now.addingTimeInterval(1_001)
        #expect(cache.evaluate(trust).findings.map(\.rule.identifier) == ["validity.expired"])
        trust.evaluationTime = world.now.addingTimeInterval(-1_001)
        #expect(cache.evaluate(trust).result == .recoverableTrustFailure)
    }

    @Test(
        "a change of anything that can change the verdict is seen",
        arguments: [
            "name", "purpose", "chain", "anchors", "rules", "depth", "limits", "policy", "pins", "name check", "lists",
            "required lists",
        ])
    func everyPartCounts(_ part: String) throws {
        let world = try World()
        let cache = VerdictCache()
        #expect(cache.evaluate(world.trust).isTrusted)
        var trust = world.trust
        var policy = SecurityPolicy.default
        switch part {
        case "name": trust.policies = [.tlsServer(name: try ServerName("other.example.test"))]
        case "purpose": trust.policies = [.tlsClient]
        case "chain":
            var der = world.leaf.der
            der[der.count - 1] ^= 1
            trust.chain = [der]
        case "anchors": trust.anchors = .empty
        case "rules":
            // The leaf was issued without anything that webpki forbids but its common name's absence of a public suffix;
            // what counts here is that the other set is asked, which leaves a second entry or a refusal.
            trust.rules = .webpki
        case "depth": trust.maximumChainDepth = 0
        case "limits": trust.limits.certificates = 0
        case "policy": policy = SecurityPolicy(pinningMode: .certificate)
        case "pins": policy = SecurityPolicy(pinningMode: .publicKey, pinnedKeys: [SPKIPin(SHA256Digest(of: [1]))])
        case "name check": policy = SecurityPolicy(validatesDomainName: false)
        case "required lists": trust.requiresRevocationLists = true
        default:
            let list = try world.root.issue(
                RevocationListTemplate(
                    thisUpdate: world.now.addingTimeInterval(-10), nextUpdate: world.now.addingTimeInterval(10),
                    entries: [.init(serialNumber: world.leaf.serialNumber, date: world.now)]))
            trust.revocationLists = [try RevocationList(der: list)]
        }
        let uncached = policy.evaluate(trust)
        #expect(cache.evaluate(trust, under: policy) == uncached)
        let isSameAnswer = uncached.isTrusted
        #expect(cache.count == (isSameAnswer ? 2 : 1))
    }

    @Test("a verdict outlives no revocation list")
    func listsEndTheirVerdicts() throws {
        let world = try World()
        let cache = VerdictCache()
        var trust = world.trust
        trust.revocationLists = [
            try RevocationList(
                der: try world.root.issue(
                    RevocationListTemplate(
                        thisUpdate: world.now.addingTimeInterval(-10), nextUpdate: world.now.addingTimeInterval(10),
                        entries: [])))
        ]
        #expect(cache.evaluate(trust).isTrusted)
        trust.evaluationTime = world.now.addingTimeInterval(11)
        #expect(cache.evaluate(trust).findings.contains { $0.rule.identifier == "revocation.list-stale" })
    }

    @Test("a verdict whose time is over makes room for the new one on the same question")
    func replacesItsPredecessor() throws {
        let world = try World()
        let other = try world.root.issue(
            .server(
                names: ["other.example.test"],
                validity: Validity(from: world.now.addingTimeInterval(10), through: world.now.addingTimeInterval(20))),
            for: PrivateKey.generate(.p256).publicKey)
        let cache = VerdictCache()
        var trust = world.trust
        trust.chain.append(other.der)
        for seconds in [0.0, 9, 10, 20, 21, 30] {
            trust.evaluationTime = world.now.addingTimeInterval(seconds)
            #expect(cache.evaluate(trust).isTrusted)
            #expect(cache.count == 1)
        }
    }

    @Test("chains of the same leaf are told apart", arguments: ["intermediate", "length"])
    func sameLeaf(_ change: String) throws {
        let world = try World()
        let (first, second) = (
            try CertificateIssuer.selfSigned(.authority(named: "A"), key: .generate(.p256)).certificate.der,
            try CertificateIssuer.selfSigned(.authority(named: "B"), key: .generate(.p256)).certificate.der
        )
        let cache = VerdictCache()
        var trust = world.trust
        trust.chain = [world.leaf.der, first]
        #expect(cache.evaluate(trust).isTrusted)
        trust.chain = change == "length" ? [world.leaf.der] : [world.leaf.der, second]
        #expect(cache.evaluate(trust).isTrusted)
        #expect(cache.count == 2)
        var damaged = trust
        damaged.chain = [world.leaf.der, Array(first.dropLast())]
        #expect(!cache.evaluate(damaged).isTrusted)
    }

    @Test("refusals and acceptances of invalid chains are not kept")
    func onlyValidChains() throws {
        let world = try World()
        let cache = VerdictCache()
        var trust = world.trust
        trust.anchors = .empty
        #expect(!cache.evaluate(trust).isTrusted)
        #expect(cache.evaluate(trust, under: .acceptingAnyCertificate).result == .proceed)
        #expect(cache.count == 0)
    }

    @Test("it never holds more than its capacity")
    func bounded() throws {
        let world = try World()
        let cache = VerdictCache(capacity: 2)
        for depth in 1...7 {
            var trust = world.trust
            trust.maximumChainDepth = depth
            #expect(cache.evaluate(trust).isTrusted)
            #expect(cache.count <= 2)
        }
    }

    @Test("a server that sends its certificate with ever other ones has no more than a few places")
    func fewOfOneLeaf() throws {
        let world = try World()
        let cache = VerdictCache()
        for number in 0..<12 {
            var trust = world.trust
            let other = try CertificateIssuer.selfSigned(.authority(named: "A\(number)"), key: .generate(.p256))
            trust.chain.append(other.certificate.der)
            for _ in 0..<2 { #expect(cache.evaluate(trust).isTrusted) }
        }
        #expect(cache.count == 8)
        var trust = world.trust
        trust.policies = [.tlsServer(name: nil)]
        #expect(cache.evaluate(trust).isTrusted)
        #expect(cache.count == 9)
    }

    #if DEBUG
    @Test("an anchor for debugging counts for its hosts alone")
    func debugTrust() throws {
        let world = try World()
        var trust = world.trust
        trust.anchors = .empty
        let elsewhere = DebugTrust(anchors: [world.root.certificate], hosts: [try HostPattern("other.example.test")])
        elsewhere.apply(to: &trust)
        #expect(!trust.evaluate().isTrusted)
        DebugTrust(anchors: [world.root.certificate], hosts: [try HostPattern("**.example.test")]).apply(to: &trust)
        #expect(trust.evaluate().isTrusted)
        trust.policies = [.tlsServer(name: nil)]
        trust.anchors = .empty
        elsewhere.apply(to: &trust)
        #expect(!trust.evaluate().isTrusted)
    }
    #endif

    @Test("where certificates are pinned, a verdict does not outlive the anchor of the other path that was judged")
    func outlivesNoAnchor() throws {
        let world = try TestPKI(root: { $0.validity = Validity(from: moment - 10, through: moment + 100) })
        let policy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [world.leaf])
        let cache = VerdictCache()
        let trust = world.trust
        let verdict = cache.evaluate(trust, under: policy)
        #expect(verdict.path == [world.leaf])
        #expect(cache.count == 1)
        let later = trust.with { $0.evaluationTime = moment + 101 }
        #expect(!policy.evaluate(later).isTrusted)
        #expect(!cache.evaluate(later, under: policy).isTrusted)
    }
}
