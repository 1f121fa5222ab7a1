import BelayCertificates
import BelayLaboratory
import BelayTLS
import BelayTrust
import Foundation
import SessionTestSupport
import Testing

@Suite("belay get: whom it talks to")
struct GetTrustTests {
    private func arguments(_ command: String, _ stage: Stage, _ kind: LaboratoryServer.Kind) throws -> [String] {
        [command] + (try stage.arguments(kind)).dropFirst()
    }

    /// The two judge at different seconds.
    private static func withoutMoments(_ text: String) -> String {
        text.replacing(/\d{2}:\d{2}:\d{2}Z/, with: "…")
    }

    @Test(
        "a server that is refused is explained as check explains it, with status 1 and nothing on standard output",
        arguments: [
            LaboratoryServer.Kind.expired, .notYetValid, .wrongName, .wrongPurpose, .selfSigned, .privateAuthority,
            .missingIntermediate, .withoutKey, .malformedCertificate, .tls10, .tls11, .staticRSA,
        ])
    func refused(_ kind: LaboratoryServer.Kind) async throws {
        let stage = try await Stage.shared.value
        let check = try await Program.run(try arguments("check", stage, kind))
        let get = try await Program.run(try arguments("get", stage, kind))
        #expect(check.status == 1 && get.status == 1)
        #expect(get.output.isEmpty)
        #expect(Self.withoutMoments(get.errors) == Self.withoutMoments(check.output))
        // Another test asks that one as of a moment at which it is good.
        guard kind != .notYetValid else { return }
        #expect(try stage.laboratory.server(kind).statistics.applicationBytesReceived == 0)
    }

    @Test("--explain tells the story of the search, of a server that is refused and of one that is trusted")
    func explained() async throws {
        let stage = try await Stage.shared.value
        let check = try await Program.run(try arguments("check", stage, .missingIntermediate) + ["--explain"])
        let get = try await Program.run(try arguments("get", stage, .missingIntermediate) + ["--explain"])
        #expect(get.errors == check.output && get.errors.contains("How the path was searched"))
        let trusted = try await Program.run(try arguments("get", stage, .crossSigned) + ["--explain"])
        #expect(trusted.status == 0 && trusted.output.contains("GET / HTTP/1.1"))
        #expect(trusted.errors.contains("How the path was searched"))
    }

    @Test("--time is the moment that counts")
    func time() async throws {
        let stage = try await Stage.shared.value
        let leaf = try #require(try stage.laboratory.server(.notYetValid).leaf)
        let moment = ISO8601DateFormatter().string(from: leaf.validity.notBefore.addingTimeInterval(3_600))
        let arguments = try arguments("get", stage, .notYetValid)
        #expect(try await Program.run(arguments).status == 1)
        #expect(try await Program.run(arguments + ["--time", moment]).status == 0)
        let good = try self.arguments("get", stage, .oneWay)
        #expect(try await Program.run(good).status == 0)
        #expect(try await Program.run(good + ["--time", "2020-01-01T00:00:00Z"]).status == 1)
    }

    @Test("a server whose key is not pinned gets not one byte, and its pins are shown beside those that were given")
    func pins() async throws {
        let site = try GetSite()
        let folder = try Folder()
        let other = try folder.write("other", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n")
        let refused = try await site.get("--pins", other, "-d", "secret=1")
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(refused.errors.contains("pin.mismatch") && refused.errors.contains("  belay get 'https://"))
        #expect(site.server.bytes == 0)
        let pin = refused.errors.split(separator: "\n").drop { !$0.contains("Served, as a pin file") }
            .first { $0.hasPrefix("  sha256/") }
        let right = try folder.write("right", String(try #require(pin)).trimmingCharacters(in: .whitespaces) + "\n")
        #expect(try await site.get("--pins", right).status == 0)
        await site.server.stop()
    }

    @Test("an identity is shown to who demands one; without one the server's issuers and the option are named")
    func identity() async throws {
        let site = try GetSite { $0.clients = .require(try SharedWorld.demand()) }
        let none = try await site.get()
        #expect(none.status == 3 && none.errors.contains("demands a client certificate"), "\(none.errors)")
        #expect(none.errors.contains("it accepts issuers: CN=") && none.errors.contains("--identity FILE"))
        let folder = try Folder()
        let file = try folder.write("me.pem", try SharedWorld.client("me").pem())
        let shown = try await site.get("--identity", file)
        #expect(shown.status == 0 && shown.output == "answer", "\(shown.errors)")
        #expect(await site.server.connections.last?.clientChain.count == 2)
        await site.server.stop()
    }

    @Test(
        "an identity of none of the issuers that the server names is said to be so, in text and JSON; one that fits is not",
        arguments: [TLSVersion.tls12, .tls13])
    func issuers(_ version: TLSVersion) async throws {
        let demand = TLSServerConfiguration.Demand(
            acceptableIssuers: try SharedWorld.demand().acceptableIssuers, accepts: { _ in true })
        let site = try GetSite {
            $0.clients = .request(demand)
            $0.versions = version...version
        }
        let folder = try Folder()
        let stranger = try SharedWorld.get().authorities.privateIntermediate.issueIdentity(
            .client(named: "stranger"), key: .generate(.p256))
        let (other, right) = (
            try folder.write("other.pem", try stranger.pem()),
            try folder.write("right.pem", try SharedWorld.client("right").pem())
        )
        let text = try await site.get("--identity", other)
        #expect(text.status == 0 && text.output == "answer")
        #expect(
            text.errors.contains("identity.issuer-unacceptable") && text.errors.contains("other.pem"), "\(text.errors)")
        #expect(try await site.get("--identity", right).errors.isEmpty)
        for (file, rules) in [(other, ["identity.issuer-unacceptable"]), (right, [])] {
            let run = try await site.get("--identity", file, "--format", "json")
            let object = try run.json()
            #expect(try JSONSchema(named: "get.schema.json").faults(in: object) == [])
            let shown = try #require(object["identity"] as? [String: Any])
            let findings = try #require(shown["findings"] as? [[String: Any]])
            #expect(shown["file"] as? String == file && findings.map { $0["rule"] as? String } == rules)
        }
        #expect(try await site.get("--format", "json").json()["identity"] is NSNull)
        await site.server.stop()
    }

    @Test("--expect-name is for the URL's host, and for no host that it redirects to")
    func expectedName() async throws {
        let site = try GetSite {
            $0.answer = { request, _ in
                request.target == "/there" ? .text("there") : .redirect(to: "https://other.test/there")
            }
        }
        let options = ["--no-system-anchors", "--anchor", site.anchors, "--timeout", "30"]
        let address = ["get", "https://127.0.0.1:\(site.server.port)/there"] + options
        #expect(try await Program.run(address).status == 1)
        #expect(try await Program.run(address + ["--expect-name", RawTLSServer.host]).output == "there")
        let run = try await site.get("-L", "--expect-name", RawTLSServer.host)
        #expect(run.status == 1 && run.errors.hasPrefix("refused  https://other.test/there"), "\(run.errors)")
        #expect(run.errors.contains("name.mismatch"))
        await site.server.stop()
    }

    @Test("redirects are followed only on request, and what authenticates stays with its host")
    func redirects() async throws {
        let identity = try SharedWorld.server([RawTLSServer.host, "other.test"])
        let site = try GetSite {
            $0.identity = identity
            $0.answer = { request, _ in
                switch request.target {
                case "/path?page=1": .redirect(to: "/second")
                case "/second": .redirect(307, to: "https://other.test/third")
                default: .text("third")
                }
            }
        }
        let folder = try Folder()
        let fields = try folder.write("fields", "Authorization: Bearer geheim\nX-Test: one\n")
        let one = try await site.get("-i")
        #expect(one.status == 0 && one.output.hasPrefix("HTTP/1.1 302 ") && one.output.contains("Location: /second"))
        let all = try await site.get("-L", "-v", "-H", "@\(fields)")
        #expect(all.status == 0 && all.output == "third", "\(all.errors)")
        #expect(all.errors.contains("* 302: going on to https://\(RawTLSServer.host)/second"))
        #expect(!all.errors.contains("geheim"))
        let requests = await site.server.requests.dropFirst()
        #expect(requests.map { $0["authorization"] } == ["Bearer geheim", "Bearer geheim", nil])
        #expect(requests.map { $0["x-test"] } == ["one", "one", "one"])
        let limited = try await site.get("-L", "--max-redirs", "1")
        #expect(
            limited.status == 3 && limited.errors.contains("more than 1 times")
                && limited.errors.contains("--max-redirs"))
        await site.server.stop()
    }

    @Test("https that leads to http is refused with status 1, and the option is named")
    func downgrade() async throws {
        let site = try GetSite(answering: .redirect(to: "http://\(RawTLSServer.host)/"))
        let run = try await site.get("-L")
        #expect(run.status == 1 && run.errors.contains("in the clear") && run.errors.contains("--allow-http"), "\(run)")
        await site.server.stop()
    }

    @Test("http is refused before a socket is opened, and with pins also where it is allowed")
    func cleartext() async throws {
        let plain = try await Program.run("get", "http://127.0.0.1:1/")
        #expect(plain.status == 1 && plain.output.isEmpty)
        #expect(plain.errors.contains("ats.cleartext") && plain.errors.contains("--allow-http"))
        let allowed = try await Program.run("get", "http://127.0.0.1:1/", "--allow-http")
        #expect(allowed.status == 3 && allowed.errors.contains("Connection refused"), "\(allowed.errors)")
        let pin = try Folder.shared.write("get-pin", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n")
        let pinned = try await Program.run("get", "http://127.0.0.1:1/", "--allow-http", "--pins", pin)
        #expect(pinned.status == 1 && pinned.errors.contains("policy.pinned-cleartext"), "\(pinned.errors)")
    }

    @Test(
        "what is wrong with a server or a response is told in plain words, with status 3",
        arguments: [
            (LaboratoryServer.Kind.truncates, ["TLS handshake", "closed the connection in the middle"]),
            (.resets, ["TLS handshake", "reset"]), (.plainHTTP, ["plain HTTP", "HTTPS port"]),
            (.garbage, ["does not speak TLS", "de ad be ef"]), (.endlessHandshake, ["did not end within"]),
        ])
    func unreachable(_ kind: LaboratoryServer.Kind, _ words: [String]) async throws {
        let stage = try await Stage.shared.value
        let run = try await Program.run(try arguments("get", stage, kind))
        #expect(run.status == 3 && run.output.isEmpty && run.errors.hasPrefix("belay: error: GET https://"))
        for word in words { #expect(run.errors.contains(word), "\(run.errors)") }
    }

    @Test(
        "SSL_CERT_FILE and SSL_CERT_DIR are the machine's trust store, and one that cannot be read refuses",
        arguments: ["get", "check"])
    func trustVariables(command: String) async throws {
        let site = try GetSite()
        let folder = try Folder()
        _ = try folder.write("store/root.pem", String(contentsOfFile: site.anchors, encoding: .utf8))
        let place = [command, "https://\(RawTLSServer.host)/", "--connect-to", "127.0.0.1:\(site.server.port)"]
        func run(_ environment: [String: String], _ options: String...) async throws -> Program.Run {
            // Whatever the tests were started with is out of the way.
            let clean = ["SSL_CERT_FILE": "", "SSL_CERT_DIR": ""].merging(environment) { $1 }
            return try await Program.run(place + options, environment: clean)
        }
        for environment in [["SSL_CERT_FILE": site.anchors], ["SSL_CERT_DIR": folder.path + "/store"]] {
            let good = try await run(environment)
            #expect(good.status == 0, "\(good.errors)")
            #expect(try await run(environment, "--no-system-anchors").status == 1)
        }
        #expect(try await run([:]).status == 1)
        let missing = try await run(["SSL_CERT_FILE": folder.path + "/none"])
        #expect(missing.status == 3 && missing.errors.contains("SSL_CERT_FILE"), "\(missing.errors)")
        await site.server.stop()
    }

    @Test("--connect-to is for every host, also in curl's spelling")
    func connectTo() async throws {
        let site = try GetSite {
            $0.identity = try SharedWorld.server([RawTLSServer.host, "other.test"])
            $0.answer = { request, _ in
                request["host"] == "other.test" ? .text("other") : .redirect(to: "https://other.test/")
            }
        }
        let run = try await Program.run(
            "get", site.url, "-L", "--no-system-anchors", "--anchor", site.anchors, "--connect-to",
            "::127.0.0.1:\(site.server.port)")
        #expect(run.status == 0 && run.output == "other", "\(run.errors)")
        await site.server.stop()
    }
}
