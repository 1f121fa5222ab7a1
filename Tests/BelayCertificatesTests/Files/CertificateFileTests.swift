import BelayCertificates
import Foundation
import Testing

@Suite("Certificate files")
struct CertificateFileTests {
    private let world: World.Members
    private let folder: TemporaryFolder
    private var leaf: Certificate { world.server.certificate }

    init() throws {
        world = try World.ecdsa.get()
        folder = try TemporaryFolder()
    }

    @Test(
        "The suffix does not matter, the content does", arguments: ["a.cer", "a.crt", "a.pem", "a.der", "a.txt", "a"])
    func readsByContent(name: String) throws {
        #expect(try Certificate.read(contentsOf: folder.write(name, leaf.der)) == [leaf])
        #expect(try Certificate.read(contentsOf: folder.write(name, leaf.pem)) == [leaf])
        #expect(try Certificate.read(contentsOf: folder.write(name, Data(leaf.der).base64EncodedString())) == [leaf])
    }

    @Test("A file with Windows line ends, with and without byte order mark, loads", arguments: ["", "\u{FEFF}"])
    func readsWindowsFiles(mark: String) throws {
        let text = mark + leaf.pem.replacingOccurrences(of: "\n", with: "\r\n")
        #expect(try Certificate.read(contentsOf: folder.write("pin.cer", text)) == [leaf])
        let base64 = mark + Data(leaf.der).base64EncodedString(options: [.lineLength64Characters]) + "\r\n"
        #expect(try Certificate.read(contentsOf: folder.write("pin.cer", base64)) == [leaf])
    }

    @Test("All certificates of a file are read in order, what openssl prints around them passed over")
    func readsSeveral() throws {
        let printed = try world.server.certificates.map {
            try Tool.openssl("x509", "-text", "-inform", "DER", input: $0.der).text
        }
        let file = try folder.write("chain.pem", printed.joined(separator: "\n"))
        #expect(try Certificate.read(contentsOf: file) == world.server.certificates)
    }

    @Test("A web server's file with key, parameters and certificates gives the certificates")
    func readsBesideKey() throws {
        let parameters = try Tool.openssl("ecparam", "-name", "prime256v1").text
        let file = try folder.write("server.pem", parameters + world.server.pem().text)
        #expect(try Certificate.read(contentsOf: file) == world.server.certificates)
    }

    @Test("Text with one certificate makes a certificate, text with two does not")
    func readsText() throws {
        #expect(try Certificate(pemOrBase64: leaf.pem) == leaf)
        #expect(try Certificate(pemOrBase64: Data(leaf.der).base64EncodedString()) == leaf)
        #expect(throws: CertificateFileProblem.notACertificate(found: "2 certificates where one is expected")) {
            try Certificate(pemOrBase64: leaf.pem + world.root.certificate.pem)
        }
        #expect(throws: CertificateFileProblem.empty) { try Certificate(pemOrBase64: " ") }
    }

    private func problem(_ bytes: [UInt8]) throws -> CertificateFileProblem? {
        let file = try folder.write("pin.cer", bytes)
        do throws(CertificateFileError) {
            _ = try Certificate.read(contentsOf: file)
            return nil
        } catch {
            #expect(error.file == file)
            #expect(error.description.hasPrefix(file + ": "))
            return error.problem
        }
    }

    @Test("An empty file, and one of white space, is called empty")
    func refusesEmpty() throws {
        #expect(try problem([]) == .empty)
        #expect(try problem(" \r\n\n".bytes) == .empty)
    }

    @Test("Other things that OpenSSL makes are named: keys, requests, revocation lists, PKCS#12")
    func namesOtherThings() throws {
        let key = try folder.write("key.pem", world.server.privateKey.pkcs8PEM())
        let certificate = try folder.write("leaf.pem", leaf.pem)
        let list = try world.root.issue(RevocationListTemplate(thisUpdate: Date(), nextUpdate: Date() + 60))
        for form in ["PEM", "DER"] {
            let request = try Tool.openssl("req", "-new", "-key", key, "-subj", "/CN=a.test", "-outform", form).output
            #expect(try problem(request) == .notACertificate(found: "a certificate signing request"))
            let publicKey = try Tool.openssl("pkey", "-in", key, "-pubout", "-outform", form).output
            #expect(try problem(publicKey) == .notACertificate(found: "a public key"))
            let privateKey = try Tool.openssl("pkey", "-in", key, "-outform", form).output
            #expect(try problem(privateKey) == .notACertificate(found: "a private key"))
            let traditional = try Tool.openssl("ec", "-in", key, "-outform", form).output
            #expect(try problem(traditional) == .notACertificate(found: "a private key"))
            let crl = try Tool.openssl("crl", "-inform", "DER", "-outform", form, input: list).output
            #expect(try problem(crl) == .notACertificate(found: "a revocation list (CRL)"))
        }
        let identity = try Tool.openssl(
            "pkcs12", "-export", "-inkey", key, "-in", certificate, "-passout", "pass:secret"
        ).output
        #expect(try problem(identity) == .identityFile)
        let encrypted = try Tool.openssl(
            "pkcs8", "-topk8", "-in", key, "-passout", "pass:secret", "-outform", "DER"
        ).output
        #expect(try problem(encrypted) == .notACertificate(found: "an encrypted private key"))
        let trusted = try Tool.openssl("x509", "-in", certificate, "-trustout").output
        #expect(try problem(trusted) == .notACertificate(found: "an OpenSSL trusted certificate"))
    }

    @Test("Other files that people take for certificates are named")
    func namesOtherFiles() throws {
        func found(_ bytes: [UInt8]) throws -> String {
            guard case .notACertificate(let found) = try problem(bytes) else { return "" }
            return found
        }
        #expect(try found("put the pins here\n".bytes) == "text without a block of PEM")
        #expect(try found("<!DOCTYPE html><html>not found</html>".bytes) == "an HTML page")
        #expect(try found([0x50, 0x4B, 3, 4, 20, 0]) == "a ZIP archive")
        #expect(try found((0..<64).map { UInt8(200 + $0 % 50) }) == "binary data of no known kind")
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian] {
            let data = try #require(leaf.pem.data(using: encoding))
            #expect(try found(Array(data)).contains("UTF-16"))
        }
    }

    @Test("A truncated file says how many bytes there are and how many there should be")
    func refusesTruncated() throws {
        for count in [leaf.der.count - 1, leaf.der.count / 2, 40] {
            let bytes = Array(leaf.der.prefix(count))
            #expect(try problem(bytes) == .truncated(bytes: count, expected: leaf.der.count))
        }
        let text = Array(leaf.pem.bytes.prefix(200))
        #expect(try problem(text) == .damagedText(.unterminated(label: "CERTIFICATE", line: 1)))
    }

    @Test("A truncation at any byte is an error, never a crash and never a certificate")
    func refusesAnyTruncation() throws {
        for count in 0..<leaf.der.count {
            #expect(throws: CertificateFileError.self) {
                try Certificate.read(bytes: Array(leaf.der.prefix(count)), name: "a")
            }
        }
    }

    @Test("A malformed certificate tells the byte, and the line where it stands in text")
    func refusesMalformed() throws {
        #expect(try problem(leaf.der + [0]) == .malformed(DERError(.trailingData, at: leaf.der.count), line: nil))
        let text = world.root.certificate.pem + PEM.encode(label: "CERTIFICATE", der: leaf.der + [0])
        let line = world.root.certificate.pem.split(separator: "\n").count + 1
        #expect(try problem(text.bytes) == .malformed(DERError(.trailingData, at: leaf.der.count), line: line))
    }

    @Test("What would be ignored beside certificates is refused with its line")
    func refusesStrangers() throws {
        let publicKey = PEM.encode(label: "PUBLIC KEY", der: leaf.publicKey.der)
        let line = leaf.pem.split(separator: "\n").count + 1
        #expect(try problem((leaf.pem + publicKey).bytes) == .alsoHolds("a public key", line: line))
    }

    @Test("A key under the label of a certificate is seen through")
    func refusesWrongLabel() throws {
        let text = try PEM.encode(label: "CERTIFICATE", der: world.server.privateKey.pkcs8DER().bytes)
        let problem = try problem(text.bytes)
        #expect(problem == .notACertificate(found: "a private key under the label of a certificate"))
    }

    @Test("A missing file, a folder and an oversized file are told in the system's words or with the limit")
    func refusesUnreadable() throws {
        func unreadable(_ path: String) -> FileReadingError? {
            do throws(CertificateFileError) { _ = try Certificate.read(contentsOf: path) } catch {
                if case .unreadable(let reason) = error.problem { return reason }
            }
            return nil
        }
        #expect(unreadable(folder("none.cer")) == .refused("No such file or directory"))
        #expect(unreadable(folder.path) == .isFolder)
        // Sparse: it takes no room.
        let large = try folder.write("large.cer", [])
        try #require(try Tool.run("truncate", ["-s", "17M", large]).status == 0)
        #expect(unreadable(large) == .tooLarge(limit: 16 * 1_048_576))
        #expect(unreadable("/dev/zero") == .tooLarge(limit: 16 * 1_048_576))
    }

    @Test("A file in /proc, whose size is told as zero, is read whole")
    func readsFilesWithoutSize() throws {
        #expect(try !FileReading.bytes(ofFile: "/proc/self/status").isEmpty)
    }
}
