import BelayCertificates
import BelaySession
@testable import BelayTLS
import BelayTrust
import Foundation
import Testing

@Suite("Which identity is shown")
struct IdentitySelectionTests {
    /// Two authorities, one with an intermediate, and identities of both.
    private struct World {
        let root: CertificateIssuer
        let intermediate: CertificateIssuer
        let other: CertificateIssuer
        let deep: ClientIdentity
        let flat: ClientIdentity
        let rsa: ClientIdentity

        init() throws {
            root = try .selfSigned(.authority(named: "Root"), key: .generate(.p256))
            intermediate = try root.issueAuthority(.authority(named: "Intermediate"), key: .generate(.p256))
            other = try .selfSigned(.authority(named: "Other"), key: .generate(.p256))
            deep = try ClientIdentity(intermediate.issueIdentity(.client(named: "deep"), key: .generate(.p256)))
            flat = try ClientIdentity(other.issueIdentity(.client(named: "flat"), key: .generate(.p256)))
            rsa = try ClientIdentity(other.issueIdentity(.client(named: "rsa"), key: .generate(.rsa(bits: 2048))))
        }
    }

    private static let world = Result { try World() }
    private static let host = ServerName.dns("h.test")

    private func name(_ choice: IdentitySelection.Choice, _ candidates: [ClientIdentity]) -> String {
        switch choice {
        case .present(let identity):
            candidates.first { $0.identity.material === identity.material }?.certificates.first?.subject.commonName
                ?? "a stranger"
        case .nothing(let absence): "nothing: \(absence)"
        }
    }

    private func choose(
        _ selection: IdentitySelection, for host: ServerName = host, _ issuers: [[UInt8]] = [],
        _ keyTypes: Set<ClientKeyType> = [], at moment: Date = Date(), ofHostAlone: Bool = false
    ) throws -> String {
        let world = try Self.world.get()
        return name(
            selection.choice(
                for: host, acceptableIssuers: issuers, keyTypes: keyTypes, at: moment, ofHostAlone: ofHostAlone),
            [world.deep, world.flat, world.rsa])
    }

    @Test("J6: an empty list of issuers still sends the configured identity")
    func emptyIssuers() throws {
        let world = try Self.world.get()
        #expect(try choose(IdentitySelection(explicit: world.deep.identity)) == "deep")
        #expect(try choose(IdentitySelection(amongst: [world.deep])) == "deep")
        #expect(try choose(IdentitySelection(amongst: [world.flat, world.deep])) == "flat")
    }

    @Test("an explicit choice is never swapped or held back, whatever the server names")
    func explicit() throws {
        let world = try Self.world.get()
        let selection = IdentitySelection(explicit: world.deep.identity)
        #expect(try choose(selection, [world.other.certificate.subject.der], [.rsa]) == "deep")
        #expect(try choose(selection, [[0]], [.ed448]) == "deep")
    }

    // RFC 5246, section 7.4.4: a root or a subordinate authority may be named.
    @Test("of several the one is shown that leads to an issuer that the server accepts")
    func issuers() throws {
        let world = try Self.world.get()
        let selection = IdentitySelection(amongst: [world.flat, world.deep])
        let (root, intermediate, other) = (
            world.root.certificate.subject, world.intermediate.certificate.subject, world.other.certificate.subject
        )
        #expect(try choose(selection, [root.der]) == "deep")
        #expect(try choose(selection, [intermediate.der]) == "deep")
        #expect(try choose(selection, [other.der]) == "flat")
        #expect(try choose(selection, [root.der, other.der]) == "flat")
        // RFC 5280, section 7.1: names are compared without case, and the kind of string does not matter.
        let spelled = DistinguishedName(relativeNames: [[.init(type: .commonName, tag: .printableString, text: "ROOT")]]
        )
        #expect(try choose(selection, [spelled.der]) == "deep")
        #expect(try choose(selection, [DistinguishedName(commonName: "Nobody").der]).contains("no identity was issued"))
        #expect(try choose(selection, [[0x30, 0x03, 0x00]]).contains("no identity was issued"))
        #expect(try choose(selection, [[0xFF], root.der]) == "deep")
    }

    @Test("of several the one is shown whose kind of key the server accepts")
    func keyTypes() throws {
        let world = try Self.world.get()
        let selection = IdentitySelection(amongst: [world.flat, world.rsa])
        #expect(try choose(selection, [], [.rsa]) == "rsa")
        #expect(try choose(selection, [world.other.certificate.subject.der], [.ecdsa, .rsa]) == "flat")
        #expect(try choose(selection, [], [.ed25519]).contains("key of a kind"))
    }

    @Test("one that has expired gives way to one that is valid, and is shown where there is no other")
    func validity() throws {
        let world = try Self.world.get()
        let start = Date().addingTimeInterval(-86_400 * 100)
        let old = try ClientIdentity(
            world.other.issueIdentity(.client(named: "old", validity: .days(10, from: start)), key: .generate(.p256)))
        let candidates = [old, world.flat]
        let both = IdentitySelection(amongst: candidates).choice(
            for: Self.host, acceptableIssuers: [], keyTypes: [], at: Date())
        #expect(name(both, candidates) == "flat")
        let then = IdentitySelection(amongst: candidates).choice(
            for: Self.host, acceptableIssuers: [], keyTypes: [], at: start.addingTimeInterval(86_400))
        #expect(name(then, candidates) == "old")
        let alone = IdentitySelection(amongst: [old]).choice(
            for: Self.host, acceptableIssuers: [], keyTypes: [], at: Date())
        #expect(name(alone, candidates) == "old")
    }

    @Test(
        "hosts have identities of their own, the most specific pattern first; nobody is shown to hosts that have none")
    func hosts() throws {
        let world = try Self.world.get()
        var selection = IdentitySelection(amongst: [world.deep])
        try selection.set([world.flat], for: HostPattern("**.bank.test"))
        try selection.set(explicit: world.rsa.identity, for: HostPattern("api.bank.test"))
        try selection.set([], for: HostPattern("**.public.test"))
        #expect(try choose(selection, for: ServerName("h.test")) == "deep")
        #expect(try choose(selection, for: ServerName("www.bank.test")) == "flat")
        #expect(try choose(selection, for: ServerName("api.bank.test"), [world.root.certificate.subject.der]) == "rsa")
        #expect(try choose(selection, for: ServerName("a.public.test")).contains("no identity is configured"))
        #expect(throws: ConfigurationError.self) { try selection.set([], for: HostPattern("**.BANK.test")) }
    }

    @Test("after a redirect from another origin only the host's own identity is shown")
    func redirected() throws {
        let world = try Self.world.get()
        var selection = IdentitySelection(explicit: world.deep.identity)
        try selection.set([world.flat], for: HostPattern("bank.test"))
        #expect(try choose(selection, ofHostAlone: true).contains("no identity is configured"))
        #expect(try choose(selection, for: ServerName("bank.test"), ofHostAlone: true) == "flat")
    }

    @Test("nobody is shown where nobody is configured")
    func nobody() throws {
        #expect(try choose(IdentitySelection()).contains("no identity is configured"))
    }

    // RFC 8446, section 4.2.3; RFC 5246, sections 7.4.1.4.1 and 7.4.4; RFC 8422, section 5.5.
    @Test("kinds of key by the numbers of TLS")
    func numbers() {
        #expect(ClientKeyType.allowed(bySignatureSchemes: [0x0804, 0x0401]) == [.rsa])
        #expect(ClientKeyType.allowed(bySignatureSchemes: [0x0403, 0x0807, 0x0808]) == [.ecdsa, .ed25519, .ed448])
        #expect(ClientKeyType.allowed(bySignatureSchemes: [0x0809, 0x0203, 0x0402, 0xFEFE]) == [.rsa, .ecdsa])
        #expect(ClientKeyType.allowed(bySignatureSchemes: [0x0402]).isEmpty)
        #expect(ClientKeyType.allowed(byCertificateTypes: [1]) == [.rsa])
        #expect(ClientKeyType.allowed(byCertificateTypes: [2, 64]) == [.ecdsa, .ed25519, .ed448])
    }
}
