import BelayCertificates
import BelayTrust
import COpenSSL
import Foundation
import Mutation
import Testing

/// Mutations of a good chain, judged here and by OpenSSL. Whatever Belay accepts, OpenSSL must accept.
///
/// A mutated certificate is signed again by its issuer's key, since otherwise nothing but the signature would be tested.
/// Keys, serial numbers and mutations follow from fixed seeds, and Ed25519 signs without randomness: a failure comes again.
@Suite("Differential: OpenSSL's verifier")
struct DifferentialTests {
    private struct Parts {
        let root: Certificate
        let chain: [Certificate]
        /// The keys that sign each of the chain.
        let issuerKeys: [PrivateKey]
    }

    private static func key(_ seed: UInt8) throws -> PrivateKey {
        // PrivateKeyInfo of Ed25519 (RFC 8410, section 7).
        let head: [UInt8] = [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20]
        return try PrivateKey(der: head + [UInt8](repeating: seed, count: 32))
    }

    private static func parts() throws -> Parts {
        let keys = try (1...3).map { try key(UInt8($0)) }
        var template = CertificateTemplate.authority(named: "Root", organization: "Example", validity: .current)
        template.serialNumber = [1]
        let root = try CertificateIssuer.selfSigned(template, key: keys[0])
        template = .authority(
            named: "Intermediate", organization: "Example", pathLength: 0,
            nameConstraints: NameConstraints(permitted: [.dns("host.test")], excluded: [.dns("a.bad.host.test")]),
            validity: .current)
        template.serialNumber = [2]
        let intermediate = try root.issueAuthority(template, key: keys[1])
        template = .server(names: [TestPKI.host, "*.host.test"], organization: "Example", validity: .current)
        template.serialNumber = [3]
        let leaf = try intermediate.issue(template, for: keys[2].publicKey)
        return Parts(
            root: root.certificate, chain: [leaf, intermediate.certificate], issuerKeys: [keys[1], keys[0]])
    }

    /// OpenSSL's answer: nil where it cannot read a certificate, otherwise its error code, 0 for acceptance.
    private static func opensslVerdict(_ chain: [[UInt8]], root: [UInt8]) -> Int32? {
        func read(_ der: [UInt8]) -> OpaquePointer? {
            der.withUnsafeBufferPointer { buffer in
                var position = buffer.baseAddress
                return d2i_X509(nil, &position, buffer.count)
            }
        }
        ERR_clear_error()
        guard let store = X509_STORE_new(), let untrusted = belay_tls_stack_new(), let context = X509_STORE_CTX_new(),
            let anchor = read(root)
        else { return nil }
        defer {
            X509_STORE_CTX_free(context)
            X509_STORE_free(store)
            belay_tls_stack_free(untrusted)
            X509_free(anchor)
            ERR_clear_error()
        }
        X509_STORE_add_cert(store, anchor)
        guard let leaf = read(chain[0]) else { return nil }
        defer { X509_free(leaf) }
        for der in chain.dropFirst() {
            guard let certificate = read(der) else { return nil }
            guard belay_tls_stack_push(untrusted, certificate) > 0 else {
                X509_free(certificate)
                return nil
            }
        }
        guard X509_STORE_CTX_init(context, store, leaf, untrusted) == 1 else { return nil }
        let parameters = X509_STORE_CTX_get0_param(context)
        X509_VERIFY_PARAM_set_time(parameters, Int(moment.timeIntervalSince1970))
        X509_VERIFY_PARAM_set1_host(parameters, TestPKI.host, 0)
        X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        X509_STORE_CTX_set_default(context, "ssl_server")
        let status = X509_verify_cert(context)
        return status == 1 ? 0 : max(X509_STORE_CTX_get_error(context), 1)
    }

    private static func text(_ verdict: Int32?) -> String {
        verdict.map { String(cString: X509_verify_cert_error_string(Int($0))) } ?? "unreadable"
    }

    /// Why OpenSSL may refuse what is accepted here; nil where no such reason is known.
    private static func knownDifference(_ chain: [Certificate], _ theirs: Int32?) -> String? {
        switch theirs {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
            // OpenSSL does not take an issuer whose key identifier is not the one that is named. Path validation (RFC 5280,
            // section 6) does not look at key identifiers; they are for finding issuers, and the signature decides.
            let isDifferent = chain.contains { child in
                guard let named = try? child.authorityKeyIdentifier else { return false }
                if named.serialNumber != nil || named.issuer != nil { return true }
                return !chain.dropFirst().contains { (try? $0.subjectKeyIdentifier) == named.keyIdentifier }
            }
            return isDifferent ? "key identifiers" : nil
        case nil:
            // OpenSSL does not read a name whose octets are not what its kind of string demands. Here such a name is
            // compared octet by octet and shown in hexadecimal digits, and misleads nobody.
            let isNoText = chain.contains { certificate in
                (certificate.subject.relativeNames + certificate.issuer.relativeNames).joined().contains {
                    $0.text == nil
                }
            }
            return isNoText ? "names that are no text" : nil
        case X509_V_ERR_CERT_HAS_EXPIRED:
            // OpenSSL's comparison of times knows no "equal". The last second belongs to the validity (RFC 5280, section
            // 4.1.2.5: "through notAfter, inclusive").
            return chain.contains { $0.validity.notAfter == moment } ? "the last second" : nil
        default:
            return nil
        }
    }

    @Test("the good chain is accepted by both")
    func good() throws {
        let parts = try Self.parts()
        #expect(TestPKI.trust(parts.chain, anchors: [parts.root]).evaluate().isTrusted)
        #expect(Self.opensslVerdict(parts.chain.map(\.der), root: parts.root.der) == 0)
        #expect(Self.opensslVerdict([parts.chain[0].der], root: parts.root.der) != 0)
    }

    @Test("of some thousand mutations, signed again, none is accepted here and refused by OpenSSL", arguments: [0, 1])
    func mutations(index: Int) throws {
        let parts = try Self.parts()
        let signed = parts.chain[index].signedBytes
        let algorithm = try #require(SignatureAlgorithm.ed25519.der)
        var random = SeededGenerator(seed: UInt64(index) &+ 7)
        var accepted = 0
        var differences: [String: Int] = [:]
        var acceptedByOpenSSLOnly: [String: Int] = [:]
        for round in 0..<2_500 {
            var mutant = signed
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let position = Int.random(in: 0..<mutant.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: mutant[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: mutant[position] = UInt8.random(in: 0...255, using: &random)
                case 2:
                    mutant[position] = [0, 1, 0x20, 0x2A, 0x2E, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                default: mutant.swapAt(position, Int.random(in: 0..<mutant.count, using: &random))
                }
            }
            let signature = try parts.issuerKeys[index].sign(mutant, with: .ed25519)
            let der = DERWriter.sequence(mutant, algorithm, DERWriter.bitString(signature))
            var chain = parts.chain.map(\.der)
            chain[index] = der
            var trust = TestPKI.trust([], anchors: [parts.root])
            trust.chain = chain
            let verdict = trust.evaluate()
            let theirs = Self.opensslVerdict(chain, root: parts.root.der)
            if verdict.isTrusted {
                accepted += 1
                if let theirs, theirs == 0 { continue }
                let why = Self.knownDifference(try chain.map { der in try Certificate(der: der) }, theirs)
                differences[why ?? "unknown", default: 0] += 1
                if why == nil {
                    Issue.record(
                        "round \(round): OpenSSL says \(Self.text(theirs))\n\(PEM.encode(label: "CERTIFICATE", der: der))"
                    )
                }
            } else {
                #expect(!verdict.errors.isEmpty, "round \(round): refused without a reason")
                if theirs == 0 {
                    acceptedByOpenSSLOnly[verdict.errors.sorted().joined(separator: "+"), default: 0] += 1
                }
            }
        }
        // Enough of the mutations are harmless for the comparison to mean something.
        #expect(accepted > 100)
        print(
            "certificate \(index): \(accepted) of 2500 mutants accepted, of them refused by OpenSSL: \(differences); "
                + "accepted by OpenSSL only: \(acceptedByOpenSSLOnly)")
    }

    @Test("truncations and extensions of a certificate are refused without a crash")
    func lengths() throws {
        let parts = try Self.parts()
        let leaf = parts.chain[0].der
        for count in stride(from: 0, to: leaf.count, by: 5) {
            var trust = TestPKI.trust(parts.chain, anchors: [parts.root])
            trust.chain[0] = Array(leaf.prefix(count))
            #expect(trust.evaluate().errors == ["der.malformed"])
        }
        var trust = TestPKI.trust(parts.chain, anchors: [parts.root])
        trust.chain[0].append(0)
        #expect(trust.evaluate().errors == ["der.malformed"])
    }
}
