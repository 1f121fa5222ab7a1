import BelayCertificates
import BelayLaboratory
import BelayTLS
import Foundation
import Testing

@Suite("belay check: pins and policies")
struct CheckPolicyTests {
    @Test("without pins, a certificate of an unknown authority is refused (reported of AFNetworking)")
    func unknownAuthority() async throws {
        let run = try await Stage.shared.value.check(.privateAuthority)
        #expect(run.status == 1 && run.output.contains("anchor.unknown"))
    }

    @Test(
        "a policy that nothing can satisfy is refused by name before a byte is sent (reported of AFNetworking)",
        arguments: [
            (["--allow-invalid-certificates"], "policy.contradiction"),
            (["--allow-invalid-certificates", "--pinning", "certificate"], "policy.contradiction"),
            (["--pinning", "certificate"], "policy.empty-pin-set"),
            (["--pinning", "public-key"], "policy.empty-pin-set"),
        ])
    func contradiction(_ options: [String], _ rule: String) async throws {
        let stage = try await Stage.shared.value
        // A server of its own, whose connections nobody else makes.
        let laboratory = try await Laboratory.start(on: stage.loop, servers: [.oneWay], in: stage.laboratory.world)
        let server = try laboratory.server(.oneWay)
        let run = try await Program.run(
            ["check", "https://\(server.host)", "--connect-to", "\(server.target)"] + options)
        #expect(run.status == 1 && run.output.hasPrefix("refused") && run.output.contains(rule))
        let explained = try await Program.run(["policy", "explain"] + options)
        #expect(explained.status == 1 && explained.output.contains(rule))
        #expect(server.statistics.connections == 0)
        await laboratory.stop()
    }

    @Test(
        "a pinned private authority: refused by the system's trust with a hint, accepted by pins alone (reported of AFNetworking)"
    )
    func privateAuthority() async throws {
        let stage = try await Stage.shared.value
        let pin = try stage.folder.write(
            "private-root.cer", stage.laboratory.world.authorities.privateRoot.certificate.der)
        let options = ["--pins", pin, "--pinning", "certificate"]
        let strict = try await Program.run(try stage.arguments(.situation(.j)) + options)
        #expect(strict.status == 1 && strict.output.contains("anchor.unknown"))
        #expect(strict.output.contains("policy.pinned-but-untrusted") && strict.output.contains("--anchor"))
        let relaxed = try await Program.run(
            try stage.arguments(.situation(.j)) + options + ["--allow-invalid-certificates"])
        #expect(relaxed.status == 0 && relaxed.output.contains("by the pinned certificate alone"))
        #expect(relaxed.output.contains("policy.weak.invalid-allowed"))
    }

    @Test(
        "the genuine pinned certificate after a chain of one's own gains nothing",
        arguments: [
            LaboratoryServer.Kind.pinnedAppendedToSelfSigned, .pinnedAppendedToPublic,
        ], ["public-key", "certificate"])
    func appended(_ kind: LaboratoryServer.Kind, _ mode: String) async throws {
        let stage = try await Stage.shared.value
        let genuine = stage.laboratory.world.situation(.a).pinned
        let pin = try stage.folder.write("genuine.pem", genuine.pem)
        for more in [[], ["--allow-invalid-certificates"]] {
            let run = try await Program.run(try stage.arguments(kind) + ["--pins", pin, "--pinning", mode] + more)
            #expect(run.status == 1, "\(run.output)")
        }
    }

    @Test("one key in every usual spelling of a pin (okhttp, HPKP, hexadecimal, base64url)", arguments: 0..<9)
    func spellings(_ index: Int) async throws {
        let stage = try await Stage.shared.value
        let digest = try #require(try stage.laboratory.server(.oneWay).leaf).pin.digest
        let base64 = Data(digest.bytes).base64EncodedString()
        let hex = digest.bytes.map { String(format: "%02x", $0) }
        let spelled = [
            base64, "sha256/\(base64)", "sha256//\(base64)", "pin-sha256=\"\(base64)\"", hex.joined(),
            hex.joined().uppercased(), hex.joined(separator: ":"),
            base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: ""), "# a comment\n\n  sha256/\(base64)  \r\n",
        ][index]
        let file = try stage.folder.write("spelling-\(index).txt", spelled + "\n")
        let run = try await stage.check(.oneWay, "--pins", file)
        #expect(run.status == 0, "\(spelled): \(run.errors)\(run.output)")
    }

    @Test("a SHA-1 pin can never match and is an error that names the file and line (reported of curl)")
    func sha1() async throws {
        let stage = try await Stage.shared.value
        let file = try stage.folder.write("sha1.txt", "sha1/qvTGHdzF6KLavt4PO0gs2a6pQ00=\n")
        let run = try await stage.check(.oneWay, "--pins", file)
        #expect(run.status == 3 && run.output.isEmpty && run.errors.contains("sha1.txt:1:"))
        #expect(run.errors.contains("SHA-256"))
    }

    @Test("a missing intermediate is named, with where it is published (reported of badssl.com)")
    func missingIntermediate() async throws {
        let run = try await Stage.shared.value.check(.missingIntermediate)
        #expect(run.status == 1 && run.output.contains("path.issuer-not-sent"))
        #expect(run.output.contains("CN=Public Issuing Authority") && run.output.contains("was not sent"))
    }

    @Test("pins alone decide on a machine without any trust store, and the verdict says so (reported of curl)")
    func noStore() async throws {
        let stage = try await Stage.shared.value
        let server = try stage.laboratory.server(.situation(.d))
        let right = try stage.folder.write("right.pem", stage.laboratory.world.situation(.d).pinned.pem)
        let wrong = try stage.folder.write("wrong.pem", stage.laboratory.world.situation(.a).pinned.pem)
        let empty = try Folder()
        func run(_ pins: String) async throws -> Program.Run {
            try await Program.run(
                [
                    "check", "https://\(server.host)", "--connect-to", "\(server.target)", "--pins", pins,
                    "--allow-invalid-certificates",
                ], environment: ["SSL_CERT_DIR": empty.path])
        }
        let accepted = try await run(right)
        #expect(accepted.status == 0 && accepted.output.contains("by the pinned key alone"))
        #expect(accepted.errors.contains("trust store"))
        #expect(try await run(wrong).status == 1)
    }

    @Test("without pins, a machine without any trust store is an error that lists the places searched")
    func noStoreNoPins() async throws {
        let stage = try await Stage.shared.value
        let server = try stage.laboratory.server(.oneWay)
        let empty = try Folder()
        let run = try await Program.run(
            ["check", "https://\(server.host)", "--connect-to", "\(server.target)"],
            environment: ["SSL_CERT_DIR": empty.path])
        #expect(run.status == 3 && run.output.isEmpty && run.errors.contains(empty.path))
        #expect(run.errors.contains("ca-certificates"))
    }

    @Test("on a mismatch the pins served stand beside the pins configured, and pasted into a file they are accepted")
    func mismatch() async throws {
        let stage = try await Stage.shared.value
        let situation = stage.laboratory.world.situation(.i)
        let pins = try stage.folder.write("old.pem", situation.pinned.pem)
        let run = try await Program.run(try stage.arguments(.situation(.i)) + ["--pins", pins])
        #expect(run.status == 1 && run.output.contains("pin.mismatch"))
        #expect(run.output.contains("  sha256/\(situation.pinned.pin)  www.shop.test"))
        let served = try #require(run.output.range(of: "Served, as a pin file"))
        let block = run.output[served.upperBound...].split(separator: "\n").dropFirst()
            .prefix { $0.hasPrefix("  #") || $0.hasPrefix("  sha256/") }
        #expect(block.count == 6)
        let file = try stage.folder.write("pasted.txt", block.joined(separator: "\n"))
        #expect(try await Program.run(try stage.arguments(.situation(.i)) + ["--pins", file]).status == 0)
        // The same for whole certificates: the block of PEM.
        let whole = try await Program.run(
            try stage.arguments(.situation(.i)) + ["--pins", pins, "--pinning", "certificate"])
        let begin = try #require(whole.output.range(of: "-----BEGIN CERTIFICATE-----"))
        let end = try #require(whole.output.range(of: "-----END CERTIFICATE-----"))
        let pem = try stage.folder.write("pasted.pem", String(whole.output[begin.lowerBound..<end.upperBound]))
        #expect(
            try await Program.run(
                try stage.arguments(.situation(.i)) + ["--pins", pem, "--pinning", "certificate"]
            ).status == 0)
    }

    @Test("the command line behind a mismatch has every option that was given, and works with the pins in place")
    func again() async throws {
        let stage = try await Stage.shared.value
        let old = try stage.folder.write("again old.pem", stage.laboratory.world.situation(.i).pinned.pem)
        let given = try stage.arguments(.oneWay) + ["--expect-name", "one-way.lab.test", "--rules", "rfc5280"]
        let run = try await Program.run(given + ["--pins", old])
        let line = try #require(run.output.split(separator: "\n").last).drop { $0 == " " }
        #expect(line.hasPrefix("belay check https://one-way.lab.test ") && line.hasSuffix(" --pins FILE"))
        for option in given.dropFirst() { #expect(line.contains(option), "\(option)") }
        let leaf = try #require(try stage.laboratory.server(.oneWay).leaf)
        let new = try stage.folder.write("again-new.txt", "sha256/\(leaf.pin)\n")
        let words = line.split(separator: " ").dropFirst().map { $0 == "FILE" ? new : String($0) }
        #expect(try await Program.run(words).status == 0)
    }

    @Test(
        "where all of the path must be pinned, a mismatch names what is not", arguments: ["public-key", "certificate"])
    func allMustMatch(_ mode: String) async throws {
        let stage = try await Stage.shared.value
        // A pinned certificate is an anchor: with the leaf pinned as one, nothing would stand above it.
        let isWhole = mode == "certificate"
        let leaf = try #require(try stage.laboratory.server(.oneWay).leaf)
        let pinned = isWhole ? stage.laboratory.world.authorities.publicIntermediate.certificate : leaf
        let missing = isWhole ? "one-way.lab.test" : "Public Issuing Authority"
        let pins = try stage.folder.write("pinned-\(mode).pem", pinned.pem)
        let options = ["--pinning", mode, "--chain-matching", "all"]
        let run = try await Program.run(try stage.arguments(.oneWay) + ["--pins", pins] + options)
        #expect(run.status == 1 && run.output.contains("\nNot pinned\n  \(missing)\n"), "\(run.output)")
        let served = try #require(run.output.range(of: "Served, as a pin file"))
        let lines = run.output[served.upperBound...].split(separator: "\n").dropFirst().dropLast()
        let file = try stage.folder.write("served-\(mode).txt", lines.joined(separator: "\n") + "\n")
        #expect(try await Program.run(try stage.arguments(.oneWay) + ["--pins", file] + options).status == 0)
    }

    @Test("cleartext is refused without a connection")
    func cleartext() async throws {
        let run = try await Program.run("check", "http://www.shop.test/login")
        #expect(run.status == 1 && run.output.hasPrefix("refused") && run.output.contains("ats.cleartext"))
        #expect(run.output.contains("https://www.shop.test"))
    }

    @Test("everything allowed: any certificate is accepted, and the verdict says what that means")
    func everythingAllowed() async throws {
        let run = try await Stage.shared.value.check(
            .selfSigned, "--allow-invalid-certificates", "--no-domain-validation")
        #expect(run.status == 0 && run.output.contains("anybody could answer"))
        #expect(run.output.contains("policy.weak.any-certificate") && run.output.contains("warning"))
    }

    @Test(
        "every situation of the policy table through the command line, pinned by key and by certificate",
        arguments: Situation.Letter.allCases)
    func table(_ letter: Situation.Letter) async throws {
        let stage = try await Stage.shared.value
        let pin = try stage.folder.write("table-\(letter).pem", stage.laboratory.world.situation(letter).pinned.pem)
        // From the published table: mode, allowInvalidCertificates, validatesDomainName on; which letters are accepted.
        let accepted: [(String, [String], String)] = [
            ("public-key", [], "AK"), ("public-key", ["--allow-invalid-certificates"], "ABCDEFJKLN"),
            ("certificate", [], "A"), ("certificate", ["--allow-invalid-certificates"], "ADJ"),
        ]
        for (mode, more, letters) in accepted {
            let run = try await Program.run(
                try stage.arguments(.situation(letter)) + ["--pins", pin, "--pinning", mode] + more)
            #expect((run.status == 0) == letters.contains(letter.rawValue), "\(letter) \(mode) \(more): \(run.output)")
        }
    }
}
