import BelayCertificates
import BelayLaboratory
import BelayTLS
import BelayTrust
import Foundation
import Testing

@Suite("belay check: whom an identity is shown to")
struct CheckIdentityTests {
    /// What is wrong with a server, if anything, and the rule that says so.
    enum Fault: String, CaseIterable {
        case none = ""
        case authority = "anchor.unknown"
        case name = "name.mismatch"
        case pin = "pin.mismatch"
    }

    /// How a server asks.
    struct Asking: CustomTestStringConvertible {
        let version: TLSVersion
        let isDemanded: Bool
        var testDescription: String { "\(version), \(isDemanded ? "demanded" : "asked for")" }

        static let all = [
            Asking(version: .tls12, isDemanded: false), Asking(version: .tls12, isDemanded: true),
            Asking(version: .tls13, isDemanded: false), Asking(version: .tls13, isDemanded: true),
        ]
    }

    /// A server that asks for a certificate, and the client chains it saw.
    private struct Site {
        let server: TLSServer
        let chains = Protected<[[[UInt8]]]>([])
        let arguments: [String]

        static let host = "gate.lab.test"

        init(_ stage: Stage, _ fault: Fault, _ asking: Asking) throws {
            let authorities = stage.laboratory.world.authorities
            let authority = fault == .authority ? authorities.privateIntermediate : authorities.publicIntermediate
            let identity = try authority.issueIdentity(
                .server(names: [fault == .name ? "other.lab.test" : Site.host]), key: .generate(.p256))
            var configuration = TLSServerConfiguration(identity: try TLSIdentity(identity))
            configuration.minimumVersion = asking.version
            configuration.maximumVersion = asking.version
            configuration.timeouts = TLSTimeouts(all: .seconds(60))
            let chains = chains
            let demand = TLSServerConfiguration.Demand(
                acceptableIssuers: [authorities.clientRoot.certificate.der],
                accepts: { chain in
                    chains.withLock { $0.append(chain) }
                    return true
                })
            configuration.clientAuthentication = asking.isDemanded ? .require(demand) : .request(demand)
            server = try TLSServer(loop: stage.loop, configuration: configuration)
            var arguments = [
                "check", "https://\(Site.host)", "--connect-to", "127.0.0.1:\(server.port)", "--timeout", "30",
                "--no-system-anchors", "--anchor", stage.anchors,
            ]
            if fault == .pin {
                // The digest of nothing in particular.
                let digest = Data(repeating: 7, count: 32).base64EncodedString()
                arguments += ["--pins", try Folder.shared.write("gate-pins-\(UUID()).txt", "sha256/\(digest)\n")]
            }
            self.arguments = arguments
        }
    }

    @Test(
        "only a server that is trusted sees it; another is refused for its own fault", arguments: Fault.allCases,
        Asking.all)
    func identity(_ fault: Fault, _ asking: Asking) async throws {
        let stage = try await Stage.shared.value
        let site = try Site(stage, fault, asking)
        let pem = try stage.folder.write("gate-client-\(UUID()).pem", try stage.laboratory.world.client.pem())
        let text = try await Program.run(site.arguments + ["--identity", pem])
        let json = try await Program.run(site.arguments + ["--identity", pem, "--format", "json"])
        await site.server.stop()
        let isTrusted = fault == .none
        let client = stage.laboratory.world.client.certificates.map(\.der)
        #expect(site.chains.withLock { $0 } == (isTrusted ? [client, client] : []))
        #expect(text.status == (isTrusted ? 0 : 1) && json.status == text.status, "\(text.output)\(text.errors)")
        #expect(text.errors.isEmpty && text.output.contains(fault.rawValue) || isTrusted)
        // Broken lines are put together again.
        let words = text.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("client the server asked for a certificate of CN=Client Root"))
        #expect(words.contains(isTrusted ? "; one was sent" : "; none was sent, because the server is not trusted"))
        #expect(text.output.contains("leaf, sent"))

        let object = try json.json()
        #expect(try JSONSchema(named: "check.schema.json").faults(in: object) == [])
        let connection = try #require(object["connection"] as? [String: Any])
        let answered = try #require(connection["clientCertificate"] as? [String: Any])
        #expect(answered["requested"] as? Bool == true && answered["sent"] as? Bool == isTrusted)
        #expect(answered["withheld"] as? Bool == !isTrusted)
        #expect((connection["failure"] is String) == (!isTrusted && asking.isDemanded))
        #expect(connection["diagnostic"] as? Bool == false && object["error"] is NSNull)
        #expect((object["sent"] as? [String])?.isEmpty == false && (object["path"] as? [Any])?.isEmpty == false)
    }

    @Test(
        "without one, a server that demands it is refused where it is not trusted, and out of reach where it is",
        arguments: Fault.allCases, [TLSVersion.tls12, .tls13])
    func missing(_ fault: Fault, _ version: TLSVersion) async throws {
        let stage = try await Stage.shared.value
        let site = try Site(stage, fault, Asking(version: version, isDemanded: true))
        let run = try await Program.run(site.arguments)
        let json = try await Program.run(site.arguments + ["--format", "json"])
        await site.server.stop()
        #expect(json.status == run.status)
        let object = try json.json()
        #expect(try JSONSchema(named: "check.schema.json").faults(in: object) == [])
        if fault == .none {
            #expect(run.status == 3 && run.output.isEmpty && run.errors.contains("--identity"))
            #expect(object["error"] is [String: Any])
        } else {
            #expect(run.status == 1 && run.errors.isEmpty && run.output.contains(fault.rawValue))
            #expect(run.output.contains("none was given") && object["error"] is NSNull)
        }
    }

    @Test(
        "what the server will object to is said before, and which issuers it accepts afterwards; standard output stays the answer"
    )
    func objections() async throws {
        let stage = try await Stage.shared.value
        let site = try Site(stage, .none, Asking(version: .tls13, isDemanded: false))
        var template = CertificateTemplate.client(named: "late")
        template.validity = Validity(from: Date() - 90 * 86_400, through: Date() - 86_400)
        template.extensions.removeAll { $0 == .extendedKeyUsage([.clientAuthentication]) }
        template.extensions.append(.extendedKeyUsage([.serverAuthentication]))
        // From an authority that the server does not name.
        let identity = try stage.laboratory.world.authorities.privateIntermediate.issueIdentity(
            template, key: .generate(.p256))
        let pem = try stage.folder.write("objections-\(UUID()).pem", try identity.pem())
        let run = try await Program.run(site.arguments + ["--identity", pem, "--format", "json"])
        await site.server.stop()
        #expect(run.status == 0, "\(run.errors)")
        #expect(try run.json()["trusted"] as? Bool == true)
        for rule in ["identity.expired", "identity.purpose", "identity.issuer-unacceptable"] {
            #expect(run.errors.contains(rule), "\(run.errors)")
        }
        #expect(run.errors.contains("objections-"))
        let object = try run.json()
        #expect(try JSONSchema(named: "check.schema.json").faults(in: object) == [])
        let shown = try #require(object["identity"] as? [String: Any])
        #expect(shown["file"] as? String == pem && shown["subject"] as? String == "CN=late")
        #expect(shown["sha256"] as? String == identity.certificate.fingerprint.hexadecimalText)
        let findings = try #require(shown["findings"] as? [[String: Any]])
        #expect(
            Set(findings.compactMap { $0["rule"] as? String })
                == ["identity.expired", "identity.purpose", "identity.issuer-unacceptable"])
        #expect(findings.allSatisfy { $0["severity"] as? String == "warning" })
    }

    @Test(
        "in JSON a note is there too, whether or not a server is reached; without an identity there is null",
        arguments: [true, false])
    func notes(_ isReached: Bool) async throws {
        let stage = try await Stage.shared.value
        let site = try Site(stage, .none, Asking(version: .tls13, isDemanded: false))
        let world = stage.laboratory.world
        let alone = Identity(
            presenting: world.client.certificate, [], withKey: world.client.privateKey)
        let pem = try stage.folder.write("alone-\(UUID()).pem", try alone.pem())
        let arguments =
            (isReached ? site.arguments : ["check", "https://127.0.0.1:1"]) + ["--identity", pem, "--format", "json"]
        let run = try await Program.run(arguments)
        let none = try await Program.run(Array(arguments.dropLast(4)) + ["--format", "json"])
        await site.server.stop()
        #expect(run.status == (isReached ? 0 : 3) && none.status == run.status, "\(run.errors)\(none.errors)")
        #expect(try none.json()["identity"] is NSNull)
        let object = try run.json()
        #expect(try JSONSchema(named: "check.schema.json").faults(in: object) == [])
        let shown = try #require(object["identity"] as? [String: Any])
        let findings = try #require(shown["findings"] as? [[String: Any]])
        #expect(findings.map { $0["rule"] as? String } == ["identity.issuer-missing"])
        // The server names the root, which is not the issuer of this one: then it matters.
        #expect(findings.first?["severity"] as? String == (isReached ? "warning" : "note"))
    }

    @Test(
        "where a server refuses an identity, the issuers that it named are compared with it",
        arguments: [TLSVersion.tls12, .tls13], ["check", "get"])
    func refusedIdentity(_ version: TLSVersion, _ command: String) async throws {
        let stage = try await Stage.shared.value
        let world = stage.laboratory.world
        let stranger = try world.authorities.privateIntermediate.issueIdentity(
            .client(named: "stranger"), key: .generate(.p256))
        let pem = try stage.folder.write("stranger-\(UUID()).pem", try stranger.pem())
        var configuration = TLSServerConfiguration(
            identity: try TLSIdentity(
                try world.authorities.publicIntermediate.issueIdentity(
                    .server(names: [Site.host]), key: .generate(.p256))))
        configuration.minimumVersion = version
        configuration.maximumVersion = version
        configuration.clientAuthentication = .require(
            TLSServerConfiguration.Demand(
                acceptableIssuers: [world.authorities.clientRoot.certificate.der], accepts: { _ in false }))
        let server = try TLSServer(loop: stage.loop, configuration: configuration)
        let run = try await Program.run(
            command, "https://\(Site.host)", "--connect-to", "127.0.0.1:\(server.port)", "--timeout", "30",
            "--no-system-anchors", "--anchor", stage.anchors, "--identity", pem, "--format", "json")
        await server.stop()
        #expect(run.status == 3 && run.errors.contains("refused the client certificate"), "\(run.errors)")
        #expect(run.errors.contains("identity.issuer-unacceptable"), "\(run.errors)")
        let object = try run.json()
        #expect(try JSONSchema(named: "\(command).schema.json").faults(in: object) == [])
        let findings = try #require((object["identity"] as? [String: Any])?["findings"] as? [[String: Any]])
        #expect(findings.map { $0["rule"] as? String } == ["identity.issuer-unacceptable"])
        #expect(findings.first?["expected"] as? String == "CN=Client Root,O=Shop")
    }

    @Test("an identity in a Java key store is shown; its alias and the passphrase of its key have options of their own")
    func javaKeyStore() async throws {
        let stage = try await Stage.shared.value
        let site = try Site(stage, .none, Asking(version: .tls13, isDemanded: true))
        let folder = try TemporaryFolder()
        let store = folder("clients.jks")
        let (passphrase, key) = (try folder.write("store", "secret\n"), try folder.write("key", "other secret\n"))
        for (alias, file) in [("first", passphrase), ("second", key)] {
            let made = try await Tool.finish(
                "keytool",
                [
                    "-genkeypair", "-alias", alias, "-keyalg", "EC", "-dname", "CN=\(alias)", "-storetype", "JKS",
                    "-keystore", store, "-storepass:file", passphrase, "-keypass:file", file,
                ])
            #expect(made.status == 0, "\(made.all)")
        }
        let arguments = site.arguments + ["--identity", store, "--passphrase-file", passphrase]
        let closed = try await Program.run(arguments + ["--identity-name", "second"])
        #expect(closed.status == 3 && closed.errors.contains("--key-passphrase-file"), "\(closed.errors)")
        let open = arguments + ["--key-passphrase-file", key]
        let several = try await Program.run(open)
        #expect(several.status == 3 && several.errors.contains("--identity-name"), "\(several.errors)")
        let named = try await Program.run(open + ["--identity-name", "second"])
        await site.server.stop()
        #expect(named.status == 0, "\(named.errors)")
        let shown = try site.chains.withLock { $0 }.map { try Certificate(der: $0[0]).subject.description }
        #expect(shown == ["CN=second"])
    }
}
