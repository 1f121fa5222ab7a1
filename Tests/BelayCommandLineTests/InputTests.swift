import BelayCertificates
import BelayLaboratory
import Foundation
import Testing

@Suite("What is read: standard input, and what JSON says where nothing can be read")
struct InputTests {
    @Test(
        "JSON says what could not be read, whichever option named it",
        arguments: ["--pins", "--anchor", "--crl", "--identity", "--passphrase-file"])
    func check(_ option: String) async throws {
        let identity = option == "--passphrase-file" ? ["--identity", "/dev/null"] : []
        let run = try await Program.run(
            ["check", "https://127.0.0.1:1", "--format", "json", option, "/nowhere/x.pem"] + identity)
        #expect(run.status == 3 && run.errors.contains("/nowhere/x.pem"))
        let json = try run.json()
        #expect(try JSONSchema(named: "check.schema.json").faults(in: json) == [])
        let error = try #require(json["error"] as? [String: Any])
        #expect(error["phase"] as? String == "input")
        #expect((error["message"] as? String)?.contains("/nowhere/x.pem") == true)
        #expect((error["remedy"] as? String)?.isEmpty == false)
        #expect(json["trusted"] as? Bool == false && json["result"] as? String == "invalid")
        // What pins there would have been is known only where these could be read.
        #expect((json["policy"] is NSNull) == (option == "--pins"))
    }

    @Test("trust evaluate has the same keys with and without a verdict", arguments: ["--chain", "--pins", "--anchor"])
    func evaluate(_ option: String) async throws {
        let folder = try Folder()
        let leaf = try await Stage.shared.value.laboratory.world.situation(.a).identity.certificate
        let chain = try folder.write("leaf.pem", leaf.pem)
        let arguments = ["trust", "evaluate", "--format", "json"]
        let bad = try await Program.run(
            arguments + (option == "--chain" ? [] : ["--chain", chain]) + [option, "/nowhere/x.pem"])
        #expect(bad.status == 3 && bad.errors.contains("/nowhere/x.pem"))
        let good = try await Program.run(arguments + ["--chain", chain, "--anchor", chain])
        #expect(try Set(bad.json().keys) == Set(good.json().keys))
        #expect(try (bad.json()["error"] as? [String: Any])?["phase"] as? String == "input")
        #expect(try bad.json()["trusted"] as? Bool == false && good.json()["error"] is NSNull)
    }

    @Test("without --host the verdict says that no name was compared")
    func noName() async throws {
        let stage = try await Stage.shared.value
        let situation = stage.laboratory.world.situation(.a)
        let chain = try stage.folder.write("noname.pem", situation.identity.certificates.map(\.pem).joined())
        let options = ["trust", "evaluate", "--chain", chain, "--anchor", stage.anchors, "--no-system-anchors"]
        let text = try await Program.run(options)
        #expect(text.status == 0 && text.output.contains("no name was compared") && text.output.contains("--host NAME"))
        #expect(try await Program.run(options + ["--format", "json"]).json()["nameCompared"] as? Bool == false)
        let named = options + ["--host", situation.host]
        #expect(try await !Program.run(named).output.contains("no name was compared"))
        #expect(try await Program.run(named + ["--format", "json"]).json()["nameCompared"] as? Bool == true)
        #expect(try await Program.run("trust", "evaluate", "--help").output.contains("no name is compared"))
    }

    @Test("a hyphen is standard input, once")
    func hyphen() async throws {
        let world = try await Stage.shared.value.laboratory.world
        let root = world.authorities.publicRoot.certificate.pem
        let shown = try await Program.run(["cert", "show", "-"], input: root)
        #expect(shown.status == 0 && shown.output.contains("CN=Public Root"))
        let chain = try await Program.run(
            ["trust", "evaluate", "--chain", "-", "--no-system-anchors"],
            input: world.situation(.a).identity.certificate.pem)
        #expect(chain.status == 1 && chain.output.contains("www.shop.test"))
        let pins = try await Program.run(["policy", "explain", "--pins", "-"], input: root)
        #expect(pins.status == 0 && pins.output.contains("Public Root"))
        for twice in [
            ["trust", "evaluate", "--chain", "-", "--pins", "-"], ["policy", "explain", "--pins", "-", "--pins", "-"],
            ["cert", "show", "-", "/dev/stdin"], ["check", "a.test", "--pins", "-", "--anchor", "-"],
        ] {
            let run = try await Program.run(twice, input: root)
            #expect(run.status == 2 && run.errors.contains("only once"), "\(run.errors)")
        }
    }

    @Test("a pin file without pins is told what a pin file is", arguments: ["", "just some words\n", "# nothing\n"])
    func pinFile(_ text: String) async throws {
        let folder = try Folder()
        let file = try folder.write("pins.txt", text)
        let run = try await Program.run("policy", "explain", "--pins", file)
        #expect(run.status == 3 && run.errors.contains(file) && run.errors.contains("A pin file holds"))
    }

    @Test("an identity that needs a passphrase names the option that gives it")
    func passphrase() async throws {
        let folder = try Folder()
        let client = try await Stage.shared.value.laboratory.world.client
        let file = try folder.write("me.p12", try client.pkcs12(passphrase: Secret(text: "x")))
        let run = try await Program.run("check", "https://127.0.0.1:1", "--identity", file)
        #expect(run.status == 3 && run.errors.contains("--passphrase-file FILE"), "\(run.errors)")
    }
}
