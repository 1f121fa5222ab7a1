import BelayCertificates
import BelayLaboratory
import BelayTLS
import Foundation
import Testing

@Suite("belay check: verdicts over real connections")
struct CheckVerdictTests {
    /// What each server of the laboratory deserves from `check`, written down by hand: the status, and a rule or a word.
    static let expected: [(LaboratoryServer.Kind, Int32, String)] = [
        (.oneWay, 0, ""), (.tls12, 0, ""), (.tls13, 0, ""), (.forwardSecrecy, 0, ""), (.identityRequested, 0, ""),
        (.rsa3072, 0, ""), (.p384, 0, ""), (.p521, 0, ""), (.ed25519, 0, ""), (.slow, 0, ""),
        (.hugeCertificate, 0, ""), (.manyNames, 0, ""), (.shuffledChain, 0, "path.extra-certificate"),
        (.tls10, 1, "tls.version"), (.tls11, 1, "tls.version"), (.staticRSA, 1, "tls.forward-secrecy"),
        (.privateAuthority, 1, "anchor.unknown"), (.selfSigned, 1, "anchor.unknown"), (.expired, 1, "validity.expired"),
        (.notYetValid, 1, "validity.not-yet-valid"), (.wrongName, 1, "name.mismatch"),
        (.wrongPurpose, 1, "eku.purpose"), (.missingIntermediate, 1, "path.issuer-not-sent"),
        (.pinnedAppendedToSelfSigned, 1, "anchor.unknown"), (.withoutKey, 1, "tls.key-not-proven"),
        (.malformedCertificate, 1, "der.malformed"),
    ]

    @Test("each server gets its verdict, with the rule that decides, in text and in JSON", arguments: expected)
    func verdict(_ kind: LaboratoryServer.Kind, _ status: Int32, _ rule: String) async throws {
        let stage = try await Stage.shared.value
        let text = try await stage.check(kind)
        #expect(text.status == status, "\(text.output)\(text.errors)")
        let host = try stage.laboratory.server(kind).host
        let first = try #require(text.output.split(separator: "\n").first)
        #expect(first.hasPrefix(status == 0 ? "trusted  https://\(host): " : "refused  https://\(host): "))
        #expect((rule.isEmpty || text.output.contains(rule)) && text.errors.isEmpty)

        let report = try await stage.check(kind, "--format", "json")
        let json = try report.json()
        #expect(report.status == status && report.errors.isEmpty)
        #expect(json["trusted"] as? Bool == (status == 0))
        let rules = (json["reasons"] as? [[String: Any]])?.compactMap { $0["rule"] as? String } ?? []
        #expect(rule.isEmpty ? rules.isEmpty : rules.contains(rule))
        #expect(try JSONSchema(named: "check.schema.json").faults(in: json) == [])
    }

    @Test("the story names what was demanded and negotiated, and each certificate with key, validity, pin and role")
    func story() async throws {
        let stage = try await Stage.shared.value
        let run = try await stage.check(.oneWay)
        let world = stage.laboratory.world
        for part in [
            "TLS 1.2 or newer, forward secrecy", "TLS 1.3, TLS_AES_256_GCM_SHA384", "Public Root  anchor, given",
            "Public Issuing Authority  intermediate, sent", "one-way.lab.test  leaf, sent", "EC P-256, valid 20",
            " days left", "DNS:one-way.lab.test",
        ] {
            #expect(run.output.contains(part), "\(part)")
        }
        // The pins as OpenSSL computes them.
        for certificate in [world.authorities.publicRoot.certificate, world.authorities.publicIntermediate.certificate]
        {
            let key = try await OpenSSL.run("x509", "-pubkey", "-noout", input: Array(certificate.pem.utf8))
            let file = try stage.folder.write("spki.pem", key)
            let der = stage.folder.path + "/spki.der"
            _ = try await OpenSSL.run("pkey", "-pubin", "-in", file, "-outform", "DER", "-out", der)
            let digest = try await OpenSSL.run("dgst", "-sha256", "-r", der).prefix(64)
            let octets = try #require(bytes(hexadecimal: digest))
            #expect(run.output.contains("sha256/" + Data(octets).base64EncodedString()))
        }
    }

    @Test("a second handshake that explains a refusal is told as such and sends nothing")
    func explaining() async throws {
        let stage = try await Stage.shared.value
        let run = try await stage.check(.tls10)
        #expect(run.output.contains("negotiated  TLS 1.0") && run.output.contains("second handshake"))
        let json = try await stage.check(.staticRSA, "--format", "json").json()
        let connection = try #require(json["connection"] as? [String: Any])
        #expect(connection["diagnostic"] as? Bool == true && connection["version"] as? String == "TLS 1.2")
        // Nobody sends a request to these; others do to the good server.
        _ = try await stage.check(.p384)
        for kind in [LaboratoryServer.Kind.tls10, .staticRSA, .p384, .expired] {
            #expect(try stage.laboratory.server(kind).statistics.applicationBytesReceived == 0)
        }
    }

    @Test("an identity opens a mutual TLS server, from PKCS#12 with a passphrase file and from PEM")
    func identity() async throws {
        let stage = try await Stage.shared.value
        let client = stage.laboratory.world.client
        let p12 = try stage.folder.write("client.p12", try client.pkcs12(passphrase: Secret(text: "open sesame")))
        let secret = try stage.folder.write("secret.txt", "open sesame\r\n")
        let pem = try stage.folder.write("client.pem", try client.pem())
        for kind in [LaboratoryServer.Kind.mutual, .mutualTLS12, .mutualWithoutIssuers] {
            let first = try await stage.check(kind, "--identity", p12, "--passphrase-file", secret)
            #expect(first.status == 0, "\(first.errors)")
            #expect(first.output.contains("one was sent"))
            #expect(try await stage.check(kind, "--identity", pem).status == 0)
        }
    }

    @Test("without an identity a mutual TLS server is out of reach, the same under TLS 1.2 and 1.3")
    func identityMissing() async throws {
        let stage = try await Stage.shared.value
        for kind in [LaboratoryServer.Kind.mutual, .mutualTLS12] {
            let run = try await stage.check(kind)
            #expect(run.status == 3 && run.output.isEmpty)
            #expect(run.errors.contains("demands a client certificate") && run.errors.contains("CN=Client Root"))
            #expect(run.errors.contains("--identity"))
        }
    }

    @Test("a wrong passphrase is an error that names the file and not the passphrase")
    func wrongPassphrase() async throws {
        let stage = try await Stage.shared.value
        let p12 = try stage.folder.write(
            "c.p12", try stage.laboratory.world.client.pkcs12(passphrase: Secret(text: "right")))
        let secret = try stage.folder.write("wrong.txt", "hunter2-is-wrong\n")
        let run = try await stage.check(.mutual, "--identity", p12, "--passphrase-file", secret)
        #expect(run.status == 3 && run.errors.contains("c.p12") && !run.errors.contains("hunter2"))
    }

    @Test("a name other than the URL's can be expected, and revocation lists are looked at")
    func expectationAndRevocation() async throws {
        let stage = try await Stage.shared.value
        #expect(try await stage.check(.wrongName, "--expect-name", "stock.shop.test").status == 0)
        #expect(try await stage.check(.oneWay, "--expect-name", "other.test").status == 1)
        let authority = stage.laboratory.world.authorities.publicIntermediate
        let serial = try #require(try stage.laboratory.server(.p384).leaf?.serialNumber)
        let now = Date()
        let list = try authority.issue(
            RevocationListTemplate(
                thisUpdate: now.addingTimeInterval(-60), nextUpdate: now.addingTimeInterval(86_400),
                entries: [.init(serialNumber: serial, date: now.addingTimeInterval(-30))]))
        let file = try stage.folder.write("authority.crl", list)
        let run = try await stage.check(.p384, "--crl", file)
        #expect(run.status == 1 && run.output.contains("revocation.revoked"))
    }

    @Test("the moment can be set: what is good today was not yet good last year")
    func time() async throws {
        let stage = try await Stage.shared.value
        let run = try await stage.check(.oneWay, "--time", "2020-01-01T00:00:00Z")
        #expect(run.status == 1 && run.output.contains("validity.not-yet-valid"))
    }

    @Test("an address is judged by the address, and IPv6 and names with U-labels are understood")
    func hosts() async throws {
        let stage = try await Stage.shared.value
        let server = try stage.laboratory.server(.oneWay)
        let base = [
            "--no-system-anchors", "--anchor", stage.anchors, "--format", "json", "--connect-to", "\(server.target)",
        ]
        for (url, host) in [
            ("https://127.0.0.1", "127.0.0.1"), ("https://[0:0::1]:8443/x?y#z", "::1"),
            ("https://Bücher.Test.", "xn--bcher-kva.test"), ("one-way.LAB.test", "one-way.lab.test"),
        ] {
            let json = try await Program.run(["check", url] + base).json()
            #expect(json["host"] as? String == host && json["url"] as? String == url)
        }
    }

    @Test("with --time, what is not yet valid is not blamed on the clock")
    func givenTime() async throws {
        let run = try await Stage.shared.value.check(.oneWay, "--time", "2020-01-01T00:00:00Z")
        #expect(run.status == 1 && run.output.contains("validity.not-yet-valid"))
        #expect(run.output.contains("--time") && !run.output.contains("clock"))
    }

    @Test("remedies name the option of this command, and JSON keeps the library's words")
    func options() async throws {
        let stage = try await Stage.shared.value
        #expect(try await stage.check(.privateAuthority).output.contains("--anchor"))
        let server = try stage.laboratory.server(.oneWay)
        let byAddress = [
            "check", "https://\(server.target)", "--timeout", "30", "--no-system-anchors", "--anchor", stage.anchors,
        ]
        let run = try await Program.run(byAddress)
        #expect(run.status == 1 && run.output.contains("--expect-name"))
        #expect(try await !Program.run(byAddress + ["--format", "json"]).output.contains("--expect-name"))
    }
}
