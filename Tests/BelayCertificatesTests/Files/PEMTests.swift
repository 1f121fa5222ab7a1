import BelayCertificates
import Foundation
import Testing

@Suite("PEM")
struct PEMTests {
    private let certificate: Certificate
    private let other: Certificate

    init() throws {
        let world = try World.ecdsa.get()
        certificate = world.server.certificate
        other = world.root.certificate
    }

    @Test("What is written is what OpenSSL writes, to the byte")
    func writesLikeOpenSSL() throws {
        let written = try Tool.openssl("x509", "-inform", "DER", input: certificate.der).text
        #expect(certificate.pem == written)
    }

    @Test(
        "Lengths around a full line of 48 bytes are wrapped as coreutils' base64 wraps them",
        arguments: [1, 47, 48, 49, 96, 97])
    func wrapsLines(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let body = try Tool.run("base64", ["-w", "64"], input: bytes).text
        #expect(PEM.encode(label: "X", der: bytes) == "-----BEGIN X-----\n\(body)-----END X-----\n")
        #expect(try PEM.blocks(in: PEM.encode(label: "X", der: bytes).bytes).map(\.der) == [bytes])
    }

    @Test(
        "Windows line ends, old Mac line ends and a byte order mark are read", arguments: ["\n", "\r\n", "\r"],
        ["", "\u{FEFF}"])
    func readsLineEnds(lineEnd: String, mark: String) throws {
        let text = mark + (certificate.pem + "\n" + other.pem).replacingOccurrences(of: "\n", with: lineEnd)
        let blocks = try PEM.blocks(in: text.bytes)
        #expect(blocks.map(\.der) == [certificate.der, other.der])
        #expect(blocks.map(\.label) == ["CERTIFICATE", "CERTIFICATE"])
        #expect(blocks.first?.line == 1)
        // The first block, an empty line, then the second.
        #expect(blocks.last?.line == certificate.pem.split(separator: "\n").count + 2)
    }

    @Test("Text before, between and after blocks is passed over, hyphens in it too")
    func passesOverText() throws {
        let text = """
            Bag Attributes - see ----- above
                friendlyName: host.test
            ---BEGIN nothing---
            a line with -----BEGIN CERTIFICATE----- in its middle
            \(certificate.pem)
            # --- the root ---
            \(other.pem)
            -- the end
            """
        let blocks = try PEM.blocks(in: text.bytes)
        #expect(blocks.map(\.der) == [certificate.der, other.der])
        #expect(blocks.first?.line == 5)
    }

    @Test("Indentation, blanks at line ends and a missing last line end are read")
    func toleratesBlanks() throws {
        let lines = certificate.pem.split(separator: "\n").map { "   \($0) \t" }
        #expect(try PEM.blocks(in: lines.joined(separator: "\n").bytes).map(\.der) == [certificate.der])
        #expect(try PEM.blocks(in: Array(certificate.pem.bytes.dropLast())).map(\.der) == [certificate.der])
    }

    @Test("All in one line, as environment variables hold it, is read")
    func toleratesOneLine() throws {
        let body = Data(certificate.der).base64EncodedString()
        let text = "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----"
        #expect(try PEM.blocks(in: text.bytes).map(\.der) == [certificate.der])
    }

    @Test("RFC 1421 headers are read, continued ones too")
    func readsHeaders() throws {
        let text = """
            -----BEGIN RSA PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-256-CBC,
             10F206184371574AEDC1FFEB3896D675

            AAEC
            -----END RSA PRIVATE KEY-----
            """
        let block = try #require(try PEM.blocks(in: text.bytes).first)
        #expect(block.headers.map(\.name) == ["Proc-Type", "DEK-Info"])
        #expect(block.headers.map(\.value) == ["4,ENCRYPTED", "AES-256-CBC,10F206184371574AEDC1FFEB3896D675"])
        #expect(block.der == [0, 1, 2])
    }

    @Test("A text without blocks has none")
    func readsNothing() throws {
        #expect(try PEM.blocks(in: []).isEmpty)
        #expect(try PEM.blocks(in: "no certificate here\n-----\n".bytes).isEmpty)
    }

    static let damaged: [(String, PEMError)] = [
        ("\n-----BEGIN A-----\nAAEC\n", .unterminated(label: "A", line: 2)),
        ("-----BEGIN A-----\nAAEC\n-----BEGIN A-----\nAAEC\n-----END A-----\n", .unterminated(label: "A", line: 1)),
        ("-----BEGIN A-----\nAAEC\n-----END B-----\n", .mismatchedEnd(begun: "A", ended: "B", line: 3)),
        ("AAEC\n-----END A-----\n", .endWithoutBegin(label: "A", line: 2)),
        ("-----BEGIN A----\nAAEC\n-----END A-----\n", .malformedBoundary(line: 1)),
        ("-----BEGIN A-----x\nAAEC\n-----END A-----\n", .malformedBoundary(line: 1)),
        ("-----BEGIN A-----\nAAEC\n-----END A--", .malformedBoundary(line: 3)),
        ("-----BEGIN A-----\r\nAAEC\r\nAA*C\r\n-----END A-----\r\n", .invalidBase64(label: "A", line: 3)),
        ("-----BEGIN A-----\nAAEC\nAAE\n-----END A-----\n", .invalidBase64(label: "A", line: 3)),
        ("-----BEGIN A-----\nAA==\nAAEC\n-----END A-----\n", .invalidBase64(label: "A", line: 3)),
        ("-----BEGIN A-----\nAA\u{2014}C\n-----END A-----\n", .invalidBase64(label: "A", line: 2)),
        ("\n\n-----BEGIN A-----\n\n-----END A-----\n", .empty(label: "A", line: 3)),
        (
            "-----BEGIN A-----\nAAEC\n-----END A-----\n-----BEGIN A-----\n-----END A-----",
            .empty(label: "A", line: 4)
        ),
    ]

    @Test("A damaged block is an error with its line", arguments: damaged)
    func refusesDamage(text: String, expected: PEMError) {
        #expect(throws: expected) { try PEM.blocks(in: text.bytes) }
        #expect(expected.description.contains("line \(expected.line)"))
    }

    @Test("The machine's bundle has as many blocks as grep counts, and OpenSSL decodes the first to the same bytes")
    func readsBundle() throws {
        let path = "/etc/ssl/certs/ca-certificates.crt"
        let count = try Tool.run("grep", ["-c", "^-----BEGIN CERTIFICATE-----", path]).text
        let blocks = try PEM.blocks(in: FileReading.bytes(ofFile: path))
        #expect(blocks.count == Int(count.trimmingCharacters(in: .newlines)))
        let first = try Tool.openssl("x509", "-in", path, "-outform", "DER").output
        #expect(blocks.first?.der == first)
    }
}
