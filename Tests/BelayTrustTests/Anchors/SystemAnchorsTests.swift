import BelayCertificates
@testable import BelayTrust
import Foundation
import Testing

@Suite("The machine's anchors")
struct SystemAnchorsTests {
    private let world: TestPKI
    init() throws { world = try TestPKI.good.get() }

    @Test("SSL_CERT_FILE is the whole truth, and gives anchors that judge")
    func namedFile() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("bundle.pem", "A comment\n" + world.root.certificate.pem + "\n" + world.leaf.pem)
        let store = try SystemAnchors.load(environment: ["SSL_CERT_FILE": file])
        #expect(store.certificates == [world.root.certificate, world.leaf])
        #expect(store.origin == file)
        let trust = world.trust.with {
            $0.anchors = .empty
            $0.systemAnchors = store
        }
        #expect(trust.evaluate().isTrusted)
    }

    @Test("SSL_CERT_DIR is a list of folders, duplicates counted once")
    func namedFolders() throws {
        let first = try TemporaryFolder()
        let second = try TemporaryFolder()
        try first.write("a.pem", world.root.certificate.pem)
        try second.write("b.crt", world.intermediate.certificate.pem + world.root.certificate.pem)
        try second.write("notes.txt", "nothing here")
        let store = try SystemAnchors.load(environment: ["SSL_CERT_DIR": first.path + ":" + second.path])
        #expect(Set(store.certificates) == [world.root.certificate, world.intermediate.certificate])
        let both = try SystemAnchors.load(
            environment: ["SSL_CERT_DIR": first.path, "SSL_CERT_FILE": second.path + "/b.crt"])
        #expect(both.certificates.count == 2)
    }

    @Test("a place that is named and cannot be used is an error that names it")
    func namedPlaceUnusable() throws {
        let folder = try TemporaryFolder()
        let empty = try folder.write("empty.pem", "")
        for environment in [
            ["SSL_CERT_FILE": "/nonexistent/bundle.pem"], ["SSL_CERT_DIR": "/nonexistent/certs"],
            ["SSL_CERT_FILE": empty], ["SSL_CERT_DIR": empty],
        ] {
            do throws(SystemAnchorsError) {
                _ = try SystemAnchors.load(environment: environment)
                Issue.record("\(environment) gave anchors")
            } catch {
                let place = environment.values.first ?? "?"
                #expect(error.searched == [place])
                #expect(error.description.contains(place))
                #expect(error.description.contains("ca-certificates"))
            }
        }
    }

    @Test("where nothing is found, the error lists every place")
    func nothingFound() {
        let error = SystemAnchorsError(
            searched: SystemAnchors.standardFiles + SystemAnchors.standardFolders, unreadable: nil)
        for place in ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"] {
            #expect(error.description.contains(place))
        }
    }

    @Test("a malformed member is passed over with a note that names file and line, whatever is wrong with it")
    func malformedMembers() throws {
        let good = world.root.certificate.pem
        let block = { (body: String) in "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n" }
        let lines = good.split(separator: "\n").count
        for bad in [
            block("MAA="), block("!!!!"), block(""), "-----BEGIN CERTIFICATE-----\nMAA=\n",
            "-----BEGIN CERTIFICATE-----\nMAA=\n-----END OTHER-----\n",
        ] {
            for text in [good + bad, good + bad + world.intermediate.certificate.pem] {
                let folder = try TemporaryFolder()
                let file = try folder.write("bundle.pem", text)
                let store = try SystemAnchors.load(environment: ["SSL_CERT_FILE": file])
                #expect(store.certificates.first == world.root.certificate)
                #expect(store.certificates.count == (text.hasSuffix(bad) ? 1 : 2), "\(bad)")
                #expect(store.findings.map(\.rule.identifier) == ["anchor.malformed-in-store"])
                #expect(store.findings.first?.severity == .note)
                guard case .file(file, _, let line)? = store.findings.first?.place else {
                    Issue.record("no place: \(store.findings)")
                    continue
                }
                #expect(line.map { $0 > lines && $0 <= lines + 3 } == true, "\(line ?? 0)")
            }
        }
    }

    @Test("this machine's bundle is read to the last certificate")
    func realBundle() throws {
        let path = SystemAnchors.standardFiles[0]
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            print("\(path): not there, its reading is not tested here")
            return
        }
        let store = try SystemAnchors.load(environment: [:])
        #expect(store.origin == path)
        #expect(store.findings.isEmpty)
        #expect(store.certificates.count == text.components(separatedBy: "-----BEGIN CERTIFICATE-----").count - 1)
        for certificate in store.certificates {
            _ = try (certificate.basicConstraints, certificate.keyUsage, certificate.nameConstraints)
            _ = try (certificate.subjectKeyIdentifier, certificate.authorityKeyIdentifier)
            if case .malformed(let reason) = certificate.publicKey.kind { Issue.record("\(certificate): \(reason)") }
            // Each is an anchor by itself; a root of version 1 or with a small key is told by other rules.
            #expect(store.contains(certificate))
        }
        // The count and the names are OpenSSL's too.
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "storeutl", "-noout", "-certs", path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let told = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(told.contains("Total found: \(store.certificates.count)"))
    }
}
