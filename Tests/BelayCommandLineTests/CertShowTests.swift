import BelayCertificates
import BelayLaboratory
import Foundation
import Testing

@Suite("belay cert show")
struct CertShowTests {
    @Test("says what openssl x509 says about the same certificate")
    func peer() async throws {
        let world = try await Stage.shared.value.laboratory.world
        let folder = try Folder()
        for certificate in [world.authorities.publicIntermediate.certificate, world.situation(.a).pinned] {
            let file = try folder.write("c.pem", certificate.pem)
            let json = try await Program.run("cert", "show", file, "--format", "json").json()
            let files = try #require(json["files"] as? [[String: Any]])
            let shown = try #require((files.first?["certificates"] as? [[String: Any]])?.first)
            func printed(_ options: String...) async throws -> String {
                try await OpenSSL.run(
                    "x509", "-noout", "-in", file, options[0], options.count > 1 ? options[1] : "-noout"
                )
                .trimmingCharacters(in: .whitespacesAndNewlines)
            }
            #expect(
                "subject=\(shown["subject"] as? String ?? "")" == (try await printed("-subject", "-nameopt=RFC2253")))
            #expect("issuer=\(shown["issuer"] as? String ?? "")" == (try await printed("-issuer", "-nameopt=RFC2253")))
            let serial = (shown["serialNumber"] as? String)?.replacingOccurrences(of: ":", with: "").uppercased()
            #expect("serial=\(serial ?? "")" == (try await printed("-serial")))
            let fingerprint = try await printed("-fingerprint", "-sha256").split(separator: "=")[1]
            #expect(shown["sha256"] as? String == fingerprint.replacingOccurrences(of: ":", with: "").lowercased())
            let end = try await printed("-enddate", "-dateopt=iso_8601").replacingOccurrences(of: "notAfter=", with: "")
            #expect(shown["notAfter"] as? String == end.replacingOccurrences(of: " ", with: "T"))
            let usage = try await printed("-ext", "keyUsage,basicConstraints,subjectAltName,extendedKeyUsage")
            #expect(usage.contains("CA:TRUE") == (shown["isAuthority"] as? Bool))
            for name in shown["subjectAlternativeNames"] as? [String] ?? [] { #expect(usage.contains(name)) }
            let text = try await Program.run("cert", "show", file).output
            for key in ["subject", "issuer", "notBefore", "notAfter", "sha256", "pin", "key", "signatureAlgorithm"] {
                #expect(text.contains(try #require(shown[key] as? String)), "\(key)")
            }
        }
    }

    @Test("prints every certificate of a file, counted")
    func several() async throws {
        let world = try await Stage.shared.value.laboratory.world
        let pem = world.situation(.a).identity.certificates.map(\.pem).joined(separator: "some words between\n")
        let file = try Folder.shared.write("several.txt", pem)
        let run = try await Program.run("cert", "show", file)
        #expect(run.output.contains("certificate 1 of 2") && run.output.contains("certificate 2 of 2"))
    }

    @Test("a bundle that is not one chain is judged certificate by certificate, and it is said so")
    func bundle() async throws {
        let folder = try Folder()
        var roots = try (0..<120).map { number in
            try CertificateIssuer.selfSigned(.authority(named: "Root \(number)"), key: .generate(.p256))
        }
        var late = CertificateTemplate.authority(named: "Late Root")
        late.validity = Validity(from: Date() - 90 * 86_400, through: Date() - 86_400)
        roots.insert(try .selfSigned(late, key: .generate(.p256)), at: 60)
        // Of the first a chain is there, too: one of the many, not two.
        let leaf = try roots[0].issueIdentity(.server(names: ["a.test"]), key: .generate(.p256)).certificate
        let all = roots.map(\.certificate) + [leaf]
        let file = try folder.write("bundle.pem", all.map(\.pem).joined())
        let text = try await Program.run("cert", "show", file, "--rules", "apple")
        #expect(text.status == 1)
        let words = text.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("the file is not one chain, so the 121 certificates"), "\(words.suffix(1_000))")
        #expect(words.contains("1 of 121 is refused") && words.contains("the other 120"))
        #expect(text.output.components(separatedBy: "validity.expired").count == 2)
        let json = try await Program.run("cert", "show", file, "--rules", "apple", "--format", "json")
        let shown = try #require(try (json.json()["files"] as? [[String: Any]])?.first)
        let opinions = try #require(shown["opinions"] as? [[String: Any]])
        #expect(opinions.count == 121)
        let refused = opinions.filter { opinion in
            (opinion["findings"] as? [[String: Any]])?.contains { $0["severity"] as? String == "error" } ?? false
        }
        #expect(refused.map { $0["certificate"] as? Int } == [60])
        #expect(opinions.last?["certificate"] as? Int == 121 && opinions.last?["purpose"] as? String == "server")
        #expect((shown["rules"] as? [String: Any])?["certificate"] as? Int == 1)
    }

    @Test("one chain is judged as one, in whatever order, also with a second certificate of its authority")
    func chain() async throws {
        let folder = try Folder()
        let (key, old, new) = (
            try PrivateKey.generate(.p256),
            try CertificateIssuer.selfSigned(.authority(named: "Old"), key: .generate(.p256)),
            try CertificateIssuer.selfSigned(.authority(named: "New"), key: .generate(.p256))
        )
        let issuing = try new.issueAuthority(.authority(named: "Issuing", pathLength: 0), key: key)
        let crossed = try old.issueAuthority(.authority(named: "Issuing", pathLength: 0), key: key)
        let leaf = try issuing.issueIdentity(.server(names: ["a.test"]), key: .generate(.p256)).certificate
        for (name, certificates) in [
            ("ordered", [leaf, issuing.certificate, new.certificate]),
            ("reversed", [new.certificate, issuing.certificate, leaf]),
            ("crossed", [leaf, issuing.certificate, crossed.certificate]),
        ] {
            let file = try folder.write("\(name).pem", certificates.map(\.pem).joined())
            let run = try await Program.run("cert", "show", file, "--rules", "apple", "--format", "json")
            #expect(run.status == 0, "\(name): \(run.output)")
            let shown = try #require(try (run.json()["files"] as? [[String: Any]])?.first)
            let opinions = try #require(shown["opinions"] as? [[String: Any]])
            #expect(opinions.map { $0["purpose"] as? String } == ["server"], "\(name)")
        }
        let none = try await Program.run("cert", "show", folder.write("a.pem", leaf.pem), "--format", "json")
        let shown = try #require(try (none.json()["files"] as? [[String: Any]])?.first)
        #expect(shown["rules"] is NSNull && (shown["opinions"] as? [Any])?.isEmpty == true)
    }

    @Test("ten thousand names are counted in text and complete in JSON; 250 kB are no matter")
    func large() async throws {
        let stage = try await Stage.shared.value
        let many = try #require(try stage.laboratory.server(.manyNames).leaf)
        let file = try stage.folder.write("many.pem", many.pem)
        let text = try await Program.run("cert", "show", file)
        #expect(text.status == 0 && text.output.contains("and 9980 more") && text.output.utf8.count < 8_000)
        let json = try await Program.run("cert", "show", file, "--format", "json")
        #expect(json.output.contains("DNS:name-9999.lab.test"))
        let huge = try #require(try stage.laboratory.server(.hugeCertificate).leaf)
        let run = try await Program.run("cert", "show", try stage.folder.write("huge.der", huge.der))
        #expect(run.status == 0 && run.output.utf8.count < 8_000)
    }

    @Test("a certificate whose every text is hostile cannot steer a terminal, in any command")
    func hostile() async throws {
        let evil = "\u{1B}[2J\u{202E}\u{7}evil\r\n\u{9B}31m\u{2066}<b>\u{0}"
        var template = CertificateTemplate.server(names: ["evil.test"])
        template.subject = DistinguishedName(commonName: evil, organization: evil)
        template.set(
            .subjectAlternativeNames([
                .dns("evil.test"), .dns("\u{1B}]0;x\u{7}.test"), .uri("\u{1B}[1m"), .email("\u{8}a"),
            ]))
        let issuer = try CertificateIssuer.selfSigned(template, key: .generate(.p256))
        let folder = try Folder()
        let file = try folder.write("evil\u{1B}[31m.pem", issuer.certificate.pem)
        for arguments in [
            ["cert", "show", file],
            ["trust", "evaluate", "--chain", file, "--host", "evil.test", "--no-system-anchors"],
            ["policy", "explain", "--pins", file], ["cert", "show", file + "\u{1B}[2J"],
            ["check", "https://evil\u{1B}[2J.test"], ["rules", "\u{1B}[2J"], ["\u{1B}[2J\u{202E}"],
        ] {
            for format in [[], ["--format", "json"]] {
                let run = try await Program.run(arguments + format)
                for text in [run.output, run.errors] {
                    let unsafe = text.unicodeScalars.filter {
                        ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value)
                            || $0.properties.generalCategory == .format
                    }
                    #expect(unsafe.isEmpty, "\(arguments) \(format): \(unsafe.map(\.value))")
                }
            }
        }
    }
}
