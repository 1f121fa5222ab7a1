import BelayCertificates
import BelayLint
import BelayTrust
import Foundation
import TestSupport
import Testing

@Suite("Lint: files of pins")
struct PinFileTests {
    private func lint(_ texts: String..., certificates: [Certificate] = []) -> [String] {
        let files = texts.enumerated().map {
            LintInput.Document(name: "\($0).txt", bytes: Array($1.utf8), isPins: true)
        }
        return Linter(certificates: certificates).lint(pins: files).flatMap(\.findings).map {
            "\($0.file):\($0.line ?? 0) \($0.rule.identifier)"
        }
    }

    /// A certificate that OpenSSL made: valid for some days, an authority or not.
    private func certificate(days: Int, isAuthority: Bool) throws -> (Certificate, [UInt8]) {
        let pem = try Tool.succeed(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                "/dev/null", "-days",
                "\(days)", "-subj", "/CN=pins.test", "-addext",
                "basicConstraints=critical,CA:\(isAuthority ? "TRUE" : "FALSE")",
            ]
        ).output
        return (try #require(try Certificate.read(bytes: pem, name: "pem").first), pem)
    }

    @Test(
        "each mistake in a line is found at its line",
        arguments: [
            // SHA-256 of nothing, as `openssl dgst -sha256 -binary /dev/null | base64` prints it.
            ("sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "lint.pin-of-nothing"),
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "lint.placeholder-pin"),
            ("sha1/Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "lint.pin-not-sha256"),
            ("da39a3ee5e6b4b0d3255bfef95601890afd80709", "lint.pin-not-sha256"),
            ("OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlb", "lint.pin-not-sha256"),
            ("pin-sha256=\"nonsense\"", "lint.pin-encoding"),
            ("dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Mw==", "lint.pin-encoding"),
            ("what is this", "lint.pin-encoding"), (Plist.two, "lint.duplicate-pin"),
        ] as [(String, String)])
    func lines(_ line: String, _ rule: String) {
        #expect(lint("# pins\n\n\(Plist.two)\nsha256/\(Plist.one)\n  \(line)\n") == ["0.txt:5 \(rule)"])
    }

    @Test("every usual spelling of a pin is fine, and a set may be spread over files")
    func fine() {
        let hexadecimal = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
        #expect(lint(hexadecimal, "pin-sha256=\"\(Plist.two)\";") == [])
        #expect(lint("sha256//" + Plist.one, Plist.two) == [])
    }

    @Test("one pin has no backup, none refuses everybody, and a repetition in another file is none")
    func set() {
        #expect(lint(Plist.one) == ["0.txt:1 lint.single-pin"])
        #expect(lint("# nothing\n") == ["0.txt:0 lint.no-pins"])
        #expect(lint(Plist.one, Plist.one) == ["0.txt:1 lint.single-pin", "1.txt:1 lint.duplicate-pin"])
    }

    @Test("the hash of a certificate is told from that of its key where the certificate is beside it")
    func certificateHash() throws {
        let (certificate, pem) = try certificate(days: 365, isAuthority: false)
        let hash = certificate.fingerprint.base64Text
        #expect(lint("\(hash)\n\(Plist.one)") == [])
        #expect(lint("\(hash)\n\(Plist.one)", certificates: [certificate]) == ["0.txt:1 lint.certificate-hash"])
        let beside = lint("\(hash)\n\(Plist.one)", String(decoding: pem, as: UTF8.self))
        #expect(beside == ["0.txt:1 lint.certificate-hash"])
        #expect(lint("\(certificate.pin)\n\(Plist.one)", certificates: [certificate]) == [])
    }

    @Test("leaves that are replaced often are not pinned alone; a reserve or an authority's key makes it good")
    func shortLived() throws {
        let (leaf, pem) = try certificate(days: 90, isAuthority: false)
        let (authority, _) = try certificate(days: 90, isAuthority: true)
        let text = String(decoding: pem, as: UTF8.self)
        #expect(lint(text) == ["0.txt:0 lint.single-pin", "0.txt:0 lint.short-lived-leaf-pin"])
        #expect(
            lint("\(leaf.pin)", certificates: [leaf]) == [
                "0.txt:1 lint.single-pin", "0.txt:1 lint.short-lived-leaf-pin",
            ])
        #expect(lint(text, Plist.one) == [])
        #expect(lint("\(leaf.pin)\n\(authority.pin)", certificates: [leaf, authority]) == [])
    }

    @Test("files that hold no pins are said to, and never passed over")
    func unreadable() {
        #expect(lint("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n") == ["0.txt:0 lint.pin-file"])
        let binary = LintInput.Document(name: "x", bytes: [0, 1, 2, 3], isPins: true)
        #expect(Linter().lint(pins: [binary]).map(\.isReadable) == [false])
    }

    @Test("the command tells pins by their content, takes folders of them, and certificates beside them")
    func command() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (certificate, pem) = try certificate(days: 365, isAuthority: false)
        let server = try folder.write("server.cer", pem)
        let pins = try folder.write("list.txt", "# ours\n\(certificate.fingerprint.base64Text)\n\(Plist.one)\n")
        let both = try await Program.run("lint", pins, server)
        #expect(
            both.status == 1 && both.output.contains("lint.certificate-hash")
                && both.output.contains("\(certificate.pin)"))
        #expect(try await Program.run("lint", pins).status == 0)
        let option = try await Program.run("lint", "--pins", pins, "--certificates", server)
        #expect(option.status == 1 && !option.output.contains("effective policy"))
        // Of the folder only the certificate counts for --pins.
        let whole = try await Program.run("lint", folder.path)
        #expect(whole.output.contains("lint.pin-file-ignored") && whole.output.contains("lint.certificate-hash"))
        #expect(try await Program.run("lint", "--pins", folder.path).output == whole.output)
        #expect(try await Program.run("lint").status == 2)
        // What is no pin at all is one where it was said to be.
        let text = try folder.write("notes", "nothing of the kind\n")
        #expect(try await Program.run("lint", "--pins", text).output.contains("lint.pin-encoding"))
        #expect(try await Program.run("lint", text).output.contains("lint.unreadable"))
    }
}
