import BelayCertificates
import BelayLaboratory
import Foundation
import Testing

@Suite("belay cert pin")
struct CertPinTests {
    @Test("a request whose signature is wrong has no pin: it was changed, and perhaps in its key")
    func changedRequest() async throws {
        let folder = try Folder()
        let request = try CertificateRequest.make(
            subject: DistinguishedName(commonName: "x"), key: try PrivateKey.generate(.p256))
        let whole = try await Program.run("cert", "pin", folder.write("whole.csr", request.der))
        #expect(whole.status == 0, "\(whole.errors)")
        let key = request.publicKey.der
        let start = try #require(request.der.indices.first { request.der[$0...].starts(with: key) })
        // In the key, which is then no point of the curve, and in the name before it.
        for (place, text) in [(start + key.count - 1, "cannot be checked"), (start - 1, "was changed")] {
            var bytes = request.der
            bytes[place] ^= 1
            let changed = try await Program.run("cert", "pin", folder.write("changed.csr", bytes))
            #expect(changed.status == 3 && changed.output.isEmpty, "\(changed.output)")
            #expect(changed.errors.contains(text), "\(changed.errors)")
        }
    }

    /// The pin by the recipe that everybody quotes: the public key in DER, hashed, in base64.
    private static func recipe(_ folder: Folder, publicKey: String) async throws -> String {
        let der = "\(folder.path)/spki.der"
        _ = try await OpenSSL.run("pkey", "-pubin", "-in", publicKey, "-outform", "DER", "-out", der)
        let digest = try await Tool.finish("openssl", ["dgst", "-sha256", "-binary", der])
        return try await OpenSSL.run("base64", "-A", input: digest.output)
    }

    private static let kinds: [String: [String]] = [
        "P-256": ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"], "P-521": ["EC", "-pkeyopt", "ec_paramgen_curve:P-521"],
        "RSA-3072": ["RSA", "-pkeyopt", "rsa_keygen_bits:3072"], "Ed25519": ["ED25519"], "Ed448": ["ED448"],
    ]

    @Test("every holder of a key has the pin of openssl's recipe", arguments: kinds.keys.sorted())
    func recipe(_ kind: String) async throws {
        let folder = try Folder()
        func path(_ name: String) -> String { "\(folder.path)/\(name)" }
        let options = try #require(Self.kinds[kind])
        _ = try await Tool.finish("openssl", ["genpkey", "-algorithm"] + options + ["-out", path("key.pem")])
        _ = try await OpenSSL.run("pkey", "-in", path("key.pem"), "-pubout", "-out", path("public.pem"))
        _ = try await OpenSSL.run("pkey", "-in", path("key.pem"), "-outform", "DER", "-out", path("key.der"))
        _ = try await OpenSSL.run(
            "pkey", "-pubin", "-in", path("public.pem"), "-outform", "DER", "-out", path("public.der"))
        _ = try await OpenSSL.run(
            "pkcs8", "-topk8", "-in", path("key.pem"), "-passout", "pass:secret", "-out", path("encrypted.pem"))
        _ = try await OpenSSL.run(
            "req", "-new", "-key", path("key.pem"), "-subj", "/CN=a.test", "-out", path("csr.pem"))
        _ = try await OpenSSL.run("req", "-in", path("csr.pem"), "-outform", "DER", "-out", path("csr.der"))
        _ = try await OpenSSL.run(
            "req", "-x509", "-new", "-key", path("key.pem"), "-subj", "/CN=a.test", "-out", path("certificate.pem"))
        _ = try await OpenSSL.run(
            "x509", "-in", path("certificate.pem"), "-outform", "DER", "-out", path("certificate.der"))
        _ = try await OpenSSL.run(
            "pkcs12", "-export", "-inkey", path("key.pem"), "-in", path("certificate.pem"), "-passout", "pass:secret",
            "-out", path("store.p12"))
        _ = try await OpenSSL.run(
            "crl2pkcs7", "-nocrl", "-certfile", path("certificate.pem"), "-out", path("bundle.p7b"))
        var names = [
            "store.p12", "bundle.p7b", "key.pem", "key.der", "public.pem", "public.der", "encrypted.pem", "csr.pem",
            "csr.der", "certificate.pem",
            "certificate.der",
        ]
        if kind.hasPrefix("RSA") {
            _ = try await OpenSSL.run("rsa", "-in", path("key.pem"), "-traditional", "-out", path("pkcs1.pem"))
            _ = try await OpenSSL.run(
                "rsa", "-in", path("key.pem"), "-RSAPublicKey_out", "-out", path("pkcs1-public.pem"))
            names += ["pkcs1.pem", "pkcs1-public.pem"]
        }
        if kind.hasPrefix("P-") {
            _ = try await OpenSSL.run("ec", "-in", path("key.pem"), "-out", path("sec1.pem"))
            names.append("sec1.pem")
        }
        let expected = try await Self.recipe(folder, publicKey: path("public.pem"))
        let passphrase = try folder.write("passphrase", "secret\n")
        for name in names {
            let run = try await Program.run("cert", "pin", path(name), "--passphrase-file", passphrase)
            #expect(run.output == expected + "\n", "\(name): \(run.errors)")
        }
        // All of them together are one pin.
        let all = try await Program.run(
            ["cert", "pin", "--to", "sha256", "--passphrase-file", passphrase] + names.map(path))
        #expect(all.output == "sha256/\(expected)\n")
        let json = try await Program.run("cert", "pin", path("csr.pem"), "--format", "json").json()
        let pin = try #require((json["pins"] as? [[String: Any]])?.first)
        #expect(pin["source"] as? String == "request" && pin["pin"] as? String == expected)
        #expect(pin["subject"] is NSNull && json["error"] is NSNull)
    }

    @Test("curl takes a server whose pin it is given, and no other")
    func curl() async throws {
        let stage = try await Stage.shared.value
        let server = try stage.laboratory.server(.oneWay)
        func run(_ option: String) async throws -> Int32 {
            // As a shell would split it.
            let words = option.trimmingCharacters(in: .newlines).split(separator: " ").map {
                $0.trimmingCharacters(in: ["'"])
            }
            return try await Tool.finish(
                "curl",
                words + [
                    "--silent", "--cacert", stage.anchors, "--connect-to", "\(server.host):443:\(server.target)",
                    "https://\(server.host)/",
                ]
            ).status
        }
        let good = try await Program.run(
            "cert", "pin", "https://\(server.host)", "--connect-to", "\(server.target)", "--leaf", "--to", "curl")
        #expect(good.status == 0 && good.output.hasPrefix("--pinnedpubkey sha256//"))
        #expect(try await run(good.output) == 0)
        let other = try await Program.run(
            "cert", "pin", try stage.folder.write("other.pem", try PrivateKey.generate(.p256).pkcs8PEM()), "--to",
            "curl")
        // CURLE_SSL_PINNEDPUBKEYNOTMATCH.
        #expect(try await run(other.output) == 90)
        // Authorities are left out, with a note, since curl never compares them.
        let chain = try stage.folder.write(
            "one-way.pem", server.chain.map { PEM.encode(label: "CERTIFICATE", der: $0) }.joined())
        let whole = try await Program.run("cert", "pin", chain, "--to", "curl")
        #expect(whole.output == good.output && whole.errors.contains("pins of authorities are left out"))
        let authority = try await Program.run("cert", "pin", stage.anchors, "--to", "curl")
        #expect(authority.status == 3 && authority.errors.contains("would refuse every server"))
    }

    @Test("property lists are what Python reads, and what belay check enforces")
    func propertyLists() async throws {
        let stage = try await Stage.shared.value
        let server = try stage.laboratory.server(.oneWay)
        let leaf = try #require(server.leaf)
        let issuer = stage.laboratory.world.authorities.publicIntermediate.certificate
        let chain = try stage.folder.write("pinned-chain.pem", leaf.pem + issuer.pem)
        func read(_ text: String) async throws -> String {
            let program = "import plistlib,sys,json; print(json.dumps(plistlib.load(sys.stdin.buffer), sort_keys=True))"
            return try await Tool.finish("python3", ["-c", program], input: Array(text.utf8)).text
        }
        let trustkit = try await Program.run(
            "cert", "pin", chain, "--to", "trustkit", "--host", "Example.com.", "--host", "bücher.test",
            "--include-subdomains")
        let hashes = "[\"\(leaf.pin)\", \"\(issuer.pin)\"]"
        let domain = #"{"TSKEnforcePinning": true, "TSKIncludeSubdomains": true, "TSKPublicKeyHashes": \#(hashes)}"#
        #expect(
            try await read(trustkit.output)
                == #"{"TSKConfiguration": {"TSKPinnedDomains": {"example.com": \#(domain), "xn--bcher-kva.test": \#(domain)}, "#
                + #""TSKSwizzleNetworkDelegates": false}}"# + "\n")
        let pinned = try await Program.run(
            "cert", "pin", chain, "--to", "nspinneddomains", "--host", server.host)
        #expect(
            try await read(pinned.output)
                == #"{"NSAppTransportSecurity": {"NSPinnedDomains": {"\#(server.host)": {"NSIncludesSubdomains": false, "#
                + #""NSPinnedCAIdentities": [{"SPKI-SHA256-BASE64": "\#(issuer.pin)"}], "#
                + #""NSPinnedLeafIdentities": [{"SPKI-SHA256-BASE64": "\#(leaf.pin)"}]}}}}"# + "\n")
        #expect(pinned.errors.contains("both must match"))
        let right = try stage.folder.write("right-pins.plist", pinned.output)
        #expect(try await stage.check(.oneWay, "--info-plist", right).status == 0)
        let key = try stage.folder.write("spare.pem", try PrivateKey.generate(.p256).pkcs8PEM())
        let wrong = try await Program.run("cert", "pin", key, "--to", "nspinneddomains", "--host", server.host)
        #expect(wrong.errors.contains("there is one pin"))
        let refused = try await stage.check(
            .oneWay, "--info-plist", try stage.folder.write("wrong.plist", wrong.output))
        #expect(refused.status == 1)
    }

    @Test("Android's configuration is XML with the right elements; OkHttp's lines have its patterns")
    func android() async throws {
        let stage = try await Stage.shared.value
        let leaf = try #require(try stage.laboratory.server(.oneWay).leaf)
        let file = try stage.folder.write("android.pem", leaf.pem)
        let run = try await Program.run(
            "cert", "pin", file, "--to", "android", "--host", "a.test", "--host", "b.test", "--include-subdomains")
        let program = """
            import sys, xml.etree.ElementTree as tree
            root = tree.parse(sys.stdin.buffer).getroot()
            config = root.find("domain-config")
            print(root.tag, [(d.text, d.attrib) for d in config.findall("domain")])
            print([(p.text, p.attrib) for p in config.find("pin-set").findall("pin")])
            """
        let read = try await Tool.finish("python3", ["-c", program], input: Array(run.output.utf8)).text
        let attribute = "{'includeSubdomains': 'true'}"
        #expect(
            read
                == "network-security-config [('a.test', \(attribute)), ('b.test', \(attribute))]\n"
                + "[('\(leaf.pin)', {'digest': 'SHA-256'})]\n")
        let okhttp = try await Program.run(
            "cert", "pin", file, "--to", "okhttp", "--host", "a.test", "--include-subdomains")
        #expect(okhttp.output == ".add(\"**.a.test\", \"sha256/\(leaf.pin)\")\n")
        let exact = try await Program.run("cert", "pin", file, "--to", "okhttp", "--host", "a.test")
        #expect(exact.output == ".add(\"a.test\", \"sha256/\(leaf.pin)\")\n")
        let hex = try await Program.run("cert", "pin", file, "--to", "hex")
        #expect(hex.output == leaf.pin.digest.hexadecimalText + "\n")
    }

    @Test("of a chain, --leaf and --authorities choose; which pin is whose goes to standard error")
    func choice() async throws {
        let stage = try await Stage.shared.value
        let server = try stage.laboratory.server(.oneWay)
        let pins = try server.chain.map { try Certificate(der: $0).pin.description }
        let url = ["cert", "pin", "https://\(server.host)", "--connect-to", "\(server.target)"]
        let all = try await Program.run(url)
        #expect(all.output == pins.map { $0 + "\n" }.joined())
        #expect(all.errors.contains("sha256/\(pins[0])  leaf") && all.errors.contains("sha256/\(pins[1])  authority"))
        #expect(try await Program.run(url + ["--leaf"]).output == pins[0] + "\n")
        #expect(try await Program.run(url + ["--authorities"]).output == pins[1] + "\n")
        let hosted = try await Program.run(url + ["--leaf", "--to", "okhttp"])
        #expect(hosted.output == ".add(\"\(server.host)\", \"sha256/\(pins[0])\")\n")
    }

    @Test("a server that does not prove its key is not pinned")
    func unproven() async throws {
        let server = try await Stage.shared.value.laboratory.server(.withoutKey)
        let run = try await Program.run(
            "cert", "pin", "https://\(server.host)", "--connect-to", "\(server.target)", "--leaf")
        #expect(run.status == 3 && run.output.isEmpty && run.errors.contains("does not have the key"))
    }

    @Test("wrong use is 2; what holds no key, or needs a passphrase, is 3 and says so")
    func statuses() async throws {
        let folder = try Folder()
        let key = try PrivateKey.generate(.p256)
        let file = try folder.write("key.pem", try key.pkcs8PEM())
        for arguments in [
            [file, "--to", "okhttp"], [file, "--host", "a.test"], [file, "--leaf", "--authorities"],
            [file, "--to", "android", "--host", "192.0.2.1"], [file, "--sni", "a.test"],
            [file, "--to", "android", "--host", "co.uk", "--include-subdomains"],
            [file, "--to", "android", "--host", "a<b.test"],
            ["https://a.test", "https://b.test", "--connect-to", "[::1]:1"],
            [],
        ] {
            let run = try await Program.run(["cert", "pin"] + arguments)
            #expect(run.status == 2 && run.output.isEmpty, "\(arguments) \(run.errors)")
        }
        let encrypted = try folder.write("encrypted.pem", try key.encryptedPKCS8PEM(passphrase: Secret(text: "secret")))
        let closed = try await Program.run("cert", "pin", encrypted)
        #expect(closed.status == 3 && closed.errors.contains("--passphrase-file"))
        for (name, text) in [("empty", ""), ("text", "hello"), ("damaged", "-----BEGIN CERTIFICATE-----\nMII\n")] {
            let run = try await Program.run("cert", "pin", try folder.write(name, text))
            #expect(run.status == 3 && run.output.isEmpty, "\(name)")
        }
        let host = try await Program.run("cert", "pin", "www.example.com")
        #expect(host.status == 3 && host.errors.contains("https://www.example.com"))
        let json = try await Program.run("cert", "pin", encrypted, "--format", "json").json()
        #expect((json["error"] as? [String: Any])?["phase"] as? String == "input" && json["text"] is NSNull)
    }
}
