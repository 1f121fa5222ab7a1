import BelayCertificates
import BelayLaboratory
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@testable import BelaySession

@Suite("Compressed content")
struct ContentCodingTests {
    static let text = String(repeating: "all work and no play makes a dull page\n", count: 3)

    /// The text as other programs compress it.
    enum Sample: String, CaseIterable, Sendable {
        /// gzip 1.12, `gzip -n -9`.
        case gzip
        /// Python 3.11, `zlib.compress(text, 9)`.
        case deflate
        /// Python 3.11, `zlib.compressobj(9, zlib.DEFLATED, -15)`: what some servers call deflate.
        case bare
        /// brotli 1.0.9, `brotli -q 5`.
        case br
        /// zstd 1.5.4, `zstd`.
        case zstd

        var coding: String { self == .bare ? "deflate" : rawValue }

        var bytes: [UInt8] {
            let deflated = "4bccc95128cf2fca5648cc4b51c8cb5728c849ac54c84dcc4e2d564854482905ca1624a6a77225525519"
            let digits =
                switch self {
                case .gzip: "1f8b0800000000000203" + deflated + "000556a35e75000000"
                case .deflate: "78da" + deflated + "00729628a5"
                case .bare: deflated + "00"
                case .br:
                    "a1a0030020506eeb2be9727d98187cdc1044cc5ff001302d744dd9bc3aeb90905db4f5c9df2f12796d5a730405"
                case .zstd:
                    "28b52ffd24757d01007402616c6c20776f726b20616e64206e6f20706c6179206d616b657320612064756c6c2070"
                        + "6167650a01005f85aa2783d04107"
                }
            return stride(from: 0, to: digits.count, by: 2).compactMap { place in
                UInt8(digits.dropFirst(place).prefix(2), radix: 16)
            }
        }
    }

    private static func head(_ codings: String...) -> HeaderBlock {
        var head = HeaderBlock()
        for coding in codings {
            Array("Content-Encoding: \(coding)".utf8).withUnsafeBufferPointer { head.append($0) }
        }
        return head
    }

    /// What comes of content that arrives in pieces; nil where it is more than the limit.
    private static func unpacked(
        _ content: [UInt8], _ codings: String, piece: Int = .max, limit: Int = 1 << 20
    ) throws -> [UInt8]? {
        let unpacker = try #require(try ContentUnpacker(head(codings), limit: limit))
        var unpacked: [UInt8] = []
        var rest = content[...]
        while !rest.isEmpty {
            let fits = try Array(rest.prefix(piece)).withUnsafeBytes { bytes in
                try unpacker.unpack(bytes) { unpacked += $0 }
            }
            guard fits else { return nil }
            rest = rest.dropFirst(piece)
        }
        try unpacker.finish()
        return unpacked
    }

    @Test("What other programs compress is unpacked, in whatever pieces it comes", arguments: Sample.allCases)
    func samples(sample: Sample) throws {
        for piece in [1, 2, 3, 7, .max] {
            let unpacked = try Self.unpacked(sample.bytes, sample.coding, piece: piece)
            #expect(unpacked == Array(Self.text.utf8), "in pieces of \(piece)")
        }
    }

    @Test("Content without its end is an error, wherever it was cut", arguments: Sample.allCases)
    func truncated(sample: Sample) throws {
        for count in 1..<sample.bytes.count {
            #expect(throws: ContentCodingError.truncated(coding: sample.coding), "\(count) bytes") {
                try Self.unpacked(Array(sample.bytes.prefix(count)), sample.coding)
            }
        }
    }

    @Test(
        "Something after the end is an error, in the same piece or the next", arguments: Sample.allCases,
        [1, .max] as [Int])
    func trailing(sample: Sample, piece: Int) throws {
        for garbage in ["x", "\n\n", "garbage and more"] {
            #expect(throws: ContentCodingError.trailing(coding: sample.coding), "\(garbage)") {
                try Self.unpacked(sample.bytes + Array(garbage.utf8), sample.coding, piece: piece)
            }
        }
    }

    @Test("Members of gzip and frames of zstd may follow one another", arguments: [Sample.gzip, .zstd])
    func members(sample: Sample) throws {
        for piece in [1, .max] {
            let unpacked = try Self.unpacked(sample.bytes + sample.bytes, sample.coding, piece: piece)
            #expect(unpacked == Array((Self.text + Self.text).utf8))
        }
    }

    @Test("A byte that was changed never makes other content of gzip, whose sum covers it", arguments: [Sample.gzip])
    func corrupt(sample: Sample) throws {
        for place in 10..<sample.bytes.count {
            var bytes = sample.bytes
            bytes[place] ^= 0x10
            #expect(throws: ContentCodingError.self, "byte \(place)") { try Self.unpacked(bytes, sample.coding) }
        }
    }

    @Test("Codings over one another are undone from the last to the first, and counted")
    func layers() throws {
        // gzip over br over nothing: `brotli -q 5 < text | gzip -n`, its bytes stored.
        let inner = Sample.br.bytes
        let outer = GzipForTests.stored(inner)
        #expect(try Self.unpacked(outer, "br, gzip") == Array(Self.text.utf8))
        #expect(throws: ContentCodingError.truncated(coding: "br")) {
            try Self.unpacked(GzipForTests.stored(inner.dropLast()), "br, identity, gzip")
        }
        #expect(throws: ContentCodingError.tooMany(limit: 5)) {
            try Self.unpacked(outer, "gzip, gzip, gzip, gzip, gzip, gzip")
        }
        #expect(throws: ContentCodingError.unknown(coding: "compress")) { try Self.unpacked(outer, "compress") }
        #expect(try ContentUnpacker(Self.head("identity"), limit: 1) == nil)
        #expect(try ContentUnpacker(HeaderBlock(), limit: 1) == nil)
    }

    @Test("No layer makes more than the limit, though nothing may come of it in the end")
    func bombs() throws {
        #expect(try Self.unpacked(Sample.gzip.bytes, "gzip", limit: 117)?.count == 117)
        for sample in Sample.allCases {
            #expect(try Self.unpacked(sample.bytes, sample.coding, limit: 116) == nil)
        }
        // 100,000 empty blocks of deflate, which unpack to nothing, and are themselves compressed.
        let nothing = GzipForTests.header + (0..<10_000).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] as [UInt8] }
        #expect(try Self.unpacked(GzipForTests.stored(nothing), "gzip, gzip", limit: 40_000) == nil)
        #expect(throws: ContentCodingError.truncated(coding: "gzip")) {
            try Self.unpacked(GzipForTests.stored(nothing), "gzip, gzip", limit: 60_000)
        }
    }

    @Test("Windows of zstd that cost more than 8 MiB are refused")
    func windows() throws {
        // The head of a frame with a window of 128 MiB (RFC 8878, section 3.1.1.1.2), and a block of zeros: `zstd --long=27`.
        let bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x88, 0x64, 0x00, 0x00, 0x10, 0x00]
        #expect(throws: ContentCodingError.corrupt(coding: "zstd")) { try Self.unpacked(bytes, "zstd") }
    }

    // MARK: Over a connection

    private static func answer(_ fields: [(name: String, value: String)], _ content: [UInt8], status: Int = 200) throws
        -> RawTLSServer
    {
        try RawTLSServer { $0.answer = { _, _ in HTTPAnswer(status, fields, content: content) } }
    }

    @Test("A response that its server cut short is an error, though its length is right", arguments: Sample.allCases)
    func lengths(sample: Sample) async throws {
        let server = try Self.answer([("Content-Encoding", sample.coding)], Array(sample.bytes.dropLast(4)))
        let error = try #require(await Session.tests(server).refusal())
        guard case .contentCoding(.truncated(coding: sample.coding)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.appleCode == -1016)
        #expect("\(error)".contains("its end is missing"))
        await server.stop()
    }

    @Test("Content that is no content is none, whatever its coding: HEAD, 204, and nothing at all")
    func empty() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { request, _ in
                let status = request.target == "/none" ? 204 : 200
                return HTTPAnswer(
                    status, [("Content-Encoding", "gzip")],
                    content: request.target == "/some" ? Sample.gzip.bytes : [])
            }
        }
        let session = try Session.tests(server)
        #expect(try await session.text("some") == Self.text)
        #expect(try await session.send(.head("some")).body.isEmpty)
        #expect(try await session.send(.get("none")).body.isEmpty)
        #expect(try await session.text("empty").isEmpty)
        await server.stop()
    }

    @Test("A part of compressed content is left as it is")
    func parts() async throws {
        let server = try Self.answer(
            [("Content-Encoding", "gzip"), ("Content-Range", "bytes 3-5/61")], [8, 0, 0], status: 206)
        #expect(try await Session.tests(server).send(.get("", headers: ["Range": "bytes=3-5"])).body == [8, 0, 0])
        await server.stop()
    }

    @Test("A session that does not decompress says so, and leaves content as it came")
    func raw() async throws {
        let server = try Self.answer([("Content-Encoding", "gzip")], Sample.gzip.bytes)
        #expect(try await Session.tests(server) { $0.decompresses = false }.send(.get("")).body == Sample.gzip.bytes)
        _ = try await Session.tests(server).send(.get(""))
        await server.stop()
        #expect(await server.requests.map { $0["accept-encoding"] } == [nil, "gzip, deflate, br, zstd"])
    }
}

/// The format of gzip (RFC 1952) around bytes as they are.
private enum GzipForTests {
    static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    static func stored(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
        }
        let count = UInt16(bytes.count)
        func little(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        return header + [1] + little(count) + little(~count) + bytes + little(~remainder) + little(UInt32(bytes.count))
    }
}
