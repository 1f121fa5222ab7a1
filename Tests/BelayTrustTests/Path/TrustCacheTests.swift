import BelayCertificates
import BelayTrust
import Foundation
import Testing

@Suite("What evaluations remember")
struct TrustCacheTests {
    @Test("a warm cache gives the verdict of a cold one, for good chains and bad ones")
    func sameVerdict() throws {
        let good = try TestPKI.good.get()
        let forged = try TestPKI(leaf: { $0.flaws.corruptsSignature = true })
        let expired = try TestPKI(intermediate: { $0.validity = Validity(from: moment - 9, through: moment - 1) })
        let cache = TrustCache()
        for _ in 0..<3 {
            for world in [good, forged, expired] {
                let cold = world.trust.evaluate()
                #expect(world.trust.with { $0.cache = cache }.evaluate() == cold)
            }
        }
    }

    @Test("time, name, anchors, rules and policy decide anew with a warm cache")
    func nothingElseIsRemembered() throws {
        let world = try TestPKI.good.get()
        let cache = TrustCache()
        let trust = world.trust.with { $0.cache = cache }
        #expect(trust.evaluate().isTrusted)
        #expect(trust.with { $0.evaluationTime = moment + 400 * 86_400 }.evaluate().errors.contains("validity.expired"))
        #expect(
            trust.with { $0.policies = [.tlsServer(name: .dns("other.test"))] }.evaluate().errors == ["name.mismatch"])
        #expect(trust.with { $0.policies = [.tlsClient] }.evaluate().errors == ["eku.purpose"])
        #expect(!trust.with { $0.anchors = .empty }.evaluate().isTrusted)
        #expect(
            try trust.with { $0.revocationLists = [try world.intermediate.list(revoking: [world.leaf])] }.evaluate()
                .errors == ["revocation.revoked"])
        let pinned = SecurityPolicy(pinningMode: .publicKey, pinnedKeys: [try RuleCase.strangersPin()])
        #expect(pinned.evaluate(trust).errors == ["pin.mismatch"])
        #expect(trust.evaluate().isTrusted)
    }

    @Test("a signature that was good for one certificate says nothing about another with the same signed part")
    func signatureIsPartOfTheKey() throws {
        let world = try TestPKI.good.get()
        let cache = TrustCache()
        let trust = world.trust.with { $0.cache = cache }
        #expect(trust.evaluate().isTrusted)
        let forged = trust.with { $0.chain[0][$0.chain[0].count - 1] ^= 1 }
        #expect(forged.evaluate().errors == ["signature.invalid"])
        // An issuer of the same name with another key does not inherit the edge.
        let other = try CertificateIssuer.root(named: "Root") { $0.subject = world.root.certificate.subject }
        #expect(!trust.with { $0.anchors = AnchorStore([other.certificate]) }.evaluate().isTrusted)
    }

    @Test("a cache of one entry still gives right answers")
    func smallCapacity() throws {
        let worlds = try (0..<3).map { _ in try TestPKI() }
        let cache = TrustCache(capacity: 0)
        #expect(cache.capacity == 1)
        for _ in 0..<3 {
            for world in worlds { #expect(world.trust.with { $0.cache = cache }.evaluate().isTrusted) }
        }
        var crossed = worlds[0].trust
        crossed.cache = cache
        crossed.anchors = AnchorStore([worlds[1].root.certificate])
        #expect(!crossed.evaluate().isTrusted)
    }

    @Test("a cache serves many threads at once")
    func threads() async throws {
        let worlds = try (0..<4).map { _ in try TestPKI() }
        let cache = TrustCache(capacity: 3)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                let trust = worlds[number % 4].trust.with { $0.cache = cache }
                group.addTask { trust.evaluate().isTrusted }
            }
            for await isTrusted in group { #expect(isTrusted) }
        }
    }
}
