import BelayCertificates
import BelayLaboratory
import Foundation
import Testing

@Suite("belay cert diff, verify, show --rules")
struct CertDiffTests {
    /// The certificates of two issues of one name by one authority.
    private static func issue(_ change: (inout CertificateTemplate) -> Void = { _ in }) throws -> [Certificate] {
        let key = try PrivateKey.generate(.p256)
        let issuer = try CertificateIssuer.selfSigned(.authority(named: "Diff CA"), key: .generate(.p256))
        var template = CertificateTemplate.server(names: ["a.test", "b.test"])
        let first = try issuer.issueIdentity(template, key: key).certificate
        change(&template)
        return [first, try issuer.issueIdentity(template, key: key).certificate, issuer.certificate]
    }

    @Test("a certificate is the same as itself, in whatever form")
    func same() async throws {
        let folder = try Folder()
        let certificate = try Self.issue()[0]
        let pem = try folder.write("a.pem", certificate.pem)
        let der = try folder.write("a.der", certificate.der)
        let run = try await Program.run("cert", "diff", pem, der)
        #expect(run.status == 0 && run.output.contains("the same certificate"))
        let json = try await Program.run("cert", "diff", pem, der, "--format", "json").json()
        #expect(json["same"] as? Bool == true && json["sameKey"] as? Bool == true)
    }

    @Test("a renewal with the same key keeps its pin; the fields that differ are named, and no others")
    func renewed() async throws {
        let folder = try Folder()
        let certificates = try Self.issue { template in
            template.set(.subjectAlternativeNames([.dns("b.test"), .dns("c.test")]))
        }
        let first = try folder.write("first.pem", certificates[0].pem)
        let second = try folder.write("second.pem", certificates[1].pem)
        let run = try await Program.run("cert", "diff", first, second)
        #expect(run.status == 1 && run.output.contains("the same key"))
        #expect(run.output.contains("- DNS:a.test") && run.output.contains("+ DNS:c.test"))
        #expect(!run.output.contains("DNS:b.test"))
        let json = try await Program.run("cert", "diff", first, second, "--format", "json").json()
        #expect(json["same"] as? Bool == false && json["sameKey"] as? Bool == true)
        let comparison = try #require((json["certificates"] as? [[String: Any]])?.first)
        let fields = try #require(comparison["differences"] as? [[String: Any]]).compactMap { $0["field"] as? String }
        #expect(Set(fields).subtracting(["notBefore", "notAfter"]) == ["serialNumber", "subjectAlternativeNames"])
        // openssl's opinion of the names that are left.
        let names = try await OpenSSL.run("x509", "-in", second, "-noout", "-ext", "subjectAltName")
        #expect(names.contains("DNS:b.test, DNS:c.test"))
    }

    @Test("a server is compared with a file; another key, a longer chain and an unknown extension are told")
    func server() async throws {
        let stage = try await Stage.shared.value
        let server = try stage.laboratory.server(.oneWay)
        let leaf = try #require(server.leaf)
        let url = "https://\(server.host)"
        let right = try stage.folder.write("deployed.pem", leaf.pem)
        let good = try await Program.run("cert", "diff", right, url, "--connect-to", "\(server.target)")
        #expect(good.status == 0, "\(good.errors)")
        // The server sends its intermediate as well.
        let chain = try await Program.run("cert", "diff", right, url, "--connect-to", "\(server.target)", "--chain")
        #expect(chain.status == 1 && chain.output.contains("is only in the second"))
        let other = try stage.folder.write("other-leaf.pem", try #require(stage.laboratory.server(.p384).leaf).pem)
        let bad = try await Program.run("cert", "diff", url, other, "--connect-to", "\(server.target)")
        #expect(bad.status == 1 && bad.output.contains("another key") && bad.output.contains("+ EC P-384"))
        let oid = try #require(OID(dotted: "1.2.3.4"))
        let certificates = try Self.issue {
            $0.extensions.append(CertificateExtension(identifier: oid, isCritical: false, value: [5, 0]))
        }
        let folder = try Folder()
        let extended = try await Program.run(
            "cert", "diff", try folder.write("1.pem", certificates[0].pem),
            try folder.write("2.pem", certificates[1].pem))
        #expect(extended.output.contains("+ 1.2.3.4"))
        let nobody = try await Program.run("cert", "diff", right, "https://127.0.0.1:1", "--format", "json")
        #expect(nobody.status == 3)
        #expect((try nobody.json()["error"] as? [String: Any])?["phase"] as? String == "connect")
        let missing = try await Program.run("cert", "diff", right, "/nonexistent")
        #expect(missing.status == 3)
        #expect(try await Program.run("cert", "diff", right, right, "--sni", "a.test").status == 2)
        #expect(try await Program.run("cert", "diff", right).status == 2)
    }

    @Test("verify takes a file each, says what openssl verify says, and answers as trust evaluate does")
    func verify() async throws {
        let folder = try Folder()
        let certificates = try Self.issue()
        let leaf = try folder.write("leaf.pem", certificates[0].pem)
        let anchor = try folder.write("anchor.pem", certificates[2].pem)
        let options = ["--anchor", anchor, "--no-system-anchors"]
        let good = try await Program.run(["cert", "verify", leaf, anchor, "--host", "a.test"] + options)
        #expect(good.status == 0, "\(good.output)")
        let peer = try await Tool.finish(
            "openssl", ["verify", "-CAfile", anchor, "-verify_hostname", "a.test", leaf])
        #expect(peer.status == 0)
        let name = try await Program.run(["cert", "verify", leaf, "--host", "x.test"] + options)
        #expect(name.status == 1 && name.output.contains("x.test"))
        let same = try await Program.run(
            ["trust", "evaluate", "--chain", leaf, "--host", "x.test", "--format", "json"] + options)
        let ours = try await Program.run(["cert", "verify", leaf, "--host", "x.test", "--format", "json"] + options)
        #expect(ours.output == same.output && ours.status == same.status)
        let nobody = try await Program.run("cert", "verify", leaf, "--no-system-anchors")
        #expect(nobody.status == 1)
        #expect(try await Program.run("cert", "verify", "/nonexistent").status == 3)
        #expect(try await Program.run("cert", "verify", "https://a.test").status == 2)
    }

    @Test("show draws who has signed whom, and names the issuer that is missing")
    func tree() async throws {
        let stage = try await Stage.shared.value
        let authorities = stage.laboratory.world.authorities
        let leaf = try #require(try stage.laboratory.server(.oneWay).leaf)
        let intermediate = authorities.publicIntermediate.certificate
        let root = try #require(authorities.systemRoots.first)
        let folder = try Folder()
        let names = [root, intermediate, leaf].map { $0.subject.commonName ?? "" }
        let whole = try folder.write("whole.pem", leaf.pem + root.pem + intermediate.pem)
        let run = try await Program.run("cert", "show", whole)
        #expect(
            run.output.contains(
                "2 \(names[0])  signs itself\n└─ 3 \(names[1])\n   └─ 1 \(names[2])"),
            "\(run.output)")
        let json = try await Program.run("cert", "show", whole, "--format", "json").json()
        let chain = try #require((json["files"] as? [[String: Any]])?.first?["chain"] as? [[String: Any]])
        #expect(chain.map { $0["issuer"] as? Int } == [2, nil, 1])
        #expect(chain.map { $0["selfSigned"] as? Bool } == [false, true, false])
        let partial = try await Program.run("cert", "show", try folder.write("partial.pem", leaf.pem + root.pem))
        #expect(partial.output.contains("issuer not in the file: \(intermediate.subject)"))
        // A name is not enough: another authority of the same name has signed nothing here.
        var template = CertificateTemplate.authority(named: "x")
        template.subject = intermediate.subject
        let impostor = try CertificateIssuer.selfSigned(template, key: .generate(.p256)).certificate
        let false_ = try await Program.run("cert", "show", try folder.write("impostor.pem", leaf.pem + impostor.pem))
        #expect(false_.output.contains("issuer not in the file: \(intermediate.subject)"))
    }

    @Test("show --rules apple says what an iPhone would mind, whoever may trust the authority")
    func rules() async throws {
        let folder = try Folder()
        // 825 days are allowed, 826 are not, whoever the issuer.
        for (days, status) in [(825, Int32(0)), (826, 1)] {
            var template = CertificateTemplate.server(names: ["a.test"])
            let start = Date(timeIntervalSinceNow: -86_400)
            template.validity = Validity(from: start, through: start.addingTimeInterval(Double(days) * 86_400 + 7_200))
            if days == 825 {
                template.validity = Validity(from: start, through: start.addingTimeInterval(825 * 86_400 - 1))
            }
            let issuer = try CertificateIssuer.selfSigned(.authority(named: "Own CA"), key: .generate(.p256))
            let leaf = try issuer.issueIdentity(template, key: .generate(.p256)).certificate
            let file = try folder.write("\(days).pem", leaf.pem + issuer.certificate.pem)
            let run = try await Program.run("cert", "show", file, "--rules", "apple")
            #expect(run.status == status, "\(run.output)")
            #expect(run.output.contains("apple.lifetime") == (status == 1))
            #expect(run.output.contains("by the rules 'apple', as a server"))
            let json = try await Program.run("cert", "show", file, "--rules", "apple", "--format", "json").json()
            let opinion = try #require((json["files"] as? [[String: Any]])?.first?["rules"] as? [String: Any])
            #expect(opinion["rules"] as? String == "apple" && opinion["publicAuthority"] as? Bool == false)
            let errors = (opinion["findings"] as? [[String: Any]] ?? []).filter { $0["severity"] as? String == "error" }
            #expect(errors.map { $0["rule"] as? String } == (status == 0 ? [] : ["apple.lifetime"]))
            #expect(run.output.contains("nothing to complain of") == (status == 0))
        }
        let root = try CertificateIssuer.selfSigned(.authority(named: "Own CA"), key: .generate(.p256)).certificate
        let authority = try await Program.run(
            "cert", "show", try folder.write("root.pem", root.pem), "--rules", "apple")
        #expect(authority.status == 0 && authority.output.contains("as an authority"), "\(authority.output)")
        #expect(try await Program.run("cert", "show", "x", "--rules", "pear").status == 2)
    }
}
