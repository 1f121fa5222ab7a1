import BelayCertificates
import BelayLaboratory
import BelayTLS
import BelayTrust
import Testing

/// Situations that users of such programs have run into, over live connections.
@Suite("Situations that people reported")
struct ReportedSituationTests {
    @Test(
        "a policy that contradicts itself, or pins nothing, is refused before any bytes are sent",
        arguments: [
            (SecurityPolicy(allowInvalidCertificates: true), "policy.contradiction"),
            (
                SecurityPolicy(pinningMode: .certificate, allowInvalidCertificates: true), "policy.contradiction"
            ),
            (SecurityPolicy(pinningMode: .publicKey), "policy.empty-pin-set"),
        ])
    func contradiction(_ policy: SecurityPolicy, rule: String) async throws {
        let findings = policy.contradictions()
        #expect(findings.map(\.rule.identifier) == [rule])
        #expect(findings.allSatisfy { !$0.remedy.isEmpty && $0.expected != nil && $0.found != nil })
    }

    @Test(
        "who appends the genuine pinned certificate to a chain of his own gains nothing",
        arguments: [LaboratoryServer.Kind.pinnedAppendedToSelfSigned, .pinnedAppendedToPublic],
        [
            (SecurityPolicy.PinningMode.publicKey, false), (.publicKey, true), (.certificate, false),
            (.certificate, true),
        ])
    func appended(_ kind: LaboratoryServer.Kind, _ setting: (SecurityPolicy.PinningMode, Bool)) async throws {
        try await Bench.run([kind]) { bench in
            let genuine = bench.world.situation(.a).identity.certificate
            let connection = try await bench.connect(to: kind)
            #expect(connection.evidence.chain.contains(genuine.der))
            for validatesName in [true, false] {
                let policy = SecurityPolicy(
                    pinningMode: setting.0, pinnedCertificates: [genuine], allowInvalidCertificates: setting.1,
                    validatesDomainName: validatesName)
                let verdict = try bench.verdict(on: connection.evidence, policy: policy)
                #expect(!verdict.isTrusted)
                #expect(verdict.errors.contains("pin.mismatch"))
            }
            await connection.close()
        }
    }

    @Test("without name validation a custom anchor still decides: its own leaf passes, another authority's does not")
    func customAnchor() async throws {
        try await Bench.run([.situation(.l), .situation(.a)]) { bench in
            let anchors = AnchorStore([bench.world.authorities.privateRoot.certificate])
            let policy = SecurityPolicy(validatesDomainName: false)
            for (letter, isAccepted) in [(Situation.Letter.l, true), (.a, false)] {
                let connection = try await bench.connect(to: .situation(letter))
                let verdict = try bench.verdict(on: connection.evidence, policy: policy, anchors: anchors)
                #expect(verdict.isTrusted == isAccepted)
                if !isAccepted { #expect(verdict.errors.contains("anchor.unknown")) }
                await connection.close()
            }
        }
    }

    @Test("a chain in the wrong order with a stranger in it is accepted, and the disorder noted")
    func shuffled() async throws {
        try await Bench.run([.shuffledChain]) { bench in
            let connection = try await bench.connect(to: .shuffledChain)
            let sent = try connection.evidence.chain.map { try Certificate(der: $0).subject.commonName }
            #expect(
                sent == [
                    "shuffled-chain.lab.test", "Public Root", "Stranger Root", "Public Issuing Authority",
                ])
            let verdict = try bench.verdict(on: connection.evidence)
            #expect(verdict.isTrusted)
            #expect(verdict.findings(.note).contains { $0.message.contains("Stranger Root") })
            await connection.close()
        }
    }

    @Test("a server that forgets the intermediate is refused, and the missing issuer named")
    func missingIntermediate() async throws {
        try await Bench.run([.missingIntermediate]) { bench in
            let connection = try await bench.connect(to: .missingIntermediate)
            let verdict = try bench.verdict(on: connection.evidence)
            let finding = try #require(verdict.findings(.error).first { $0.rule.identifier == "path.issuer-not-sent" })
            #expect(finding.message.contains("Public Issuing Authority"))
            await connection.close()
        }
    }

    @Test("pins of keys of all kinds are accepted", arguments: [LaboratoryServer.Kind.rsa3072, .p384, .p521, .ed25519])
    func keyKinds(_ kind: LaboratoryServer.Kind) async throws {
        try await Bench.run([kind]) { bench in
            let server = try bench.laboratory.server(kind)
            let policy = SecurityPolicy.pinned(to: PinnedKeys(try #require(server.leaf).pin))
            let connection = try await bench.connect(to: kind)
            #expect(try bench.verdict(on: connection.evidence, policy: policy).isTrusted)
            await connection.close()
        }
    }

    @Test(
        "a demanded and missing client certificate is the same error under TLS 1.2 and 1.3",
        arguments: [LaboratoryServer.Kind.mutual, .mutualTLS12])
    func identityRequired(_ kind: LaboratoryServer.Kind) async throws {
        try await Bench.run([kind]) { bench in
            await #expect {
                let connection = try await bench.connect(to: kind)
                _ = try await connection.confirm(within: .seconds(60))
            } throws: { error in
                guard case .clientCertificateRequired(let issuers) = (error as? TLSError)?.reason else { return false }
                return issuers == [bench.world.authorities.clientRoot.certificate.subject.der]
            }
        }
    }

    @Test(
        "an identity is sent with its intermediate, also to a server that names no issuers",
        arguments: [LaboratoryServer.Kind.mutual, .mutualTLS12, .mutualWithoutIssuers, .identityRequested])
    func identitySent(_ kind: LaboratoryServer.Kind) async throws {
        try await Bench.run([kind]) { bench in
            let identity = try TLSIdentity(bench.world.client)
            let connection = try await bench.connect(to: kind, identity: identity)
            _ = try await connection.confirm(within: .seconds(60))
            #expect(connection.sentClientCertificate)
            try await connection.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            var answer: [UInt8] = []
            while case let bytes = try await connection.read(), !bytes.isEmpty { answer += bytes }
            #expect(String(decoding: answer, as: UTF8.self).contains("client certificates: 2"))
            await connection.close()
        }
    }

    @Test(
        "an identity of an unknown authority is refused under TLS 1.2 and 1.3",
        arguments: [LaboratoryServer.Kind.mutual, .mutualTLS12])
    func identityRefused(_ kind: LaboratoryServer.Kind) async throws {
        try await Bench.run([kind]) { bench in
            let identity = try TLSIdentity(bench.world.strangeClient)
            await #expect {
                let connection = try await bench.connect(to: kind, identity: identity)
                _ = try await connection.confirm(within: .seconds(60))
            } throws: { error in
                guard case .clientCertificateRefused = (error as? TLSError)?.reason else { return false }
                return true
            }
        }
    }
}
