import BelayCertificates
import BelayLaboratory
import BelayTLS
import BelayTrust
import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// What the session is tried on is tried first on clients that nobody doubts.
@Suite("The servers that the session is tried on")
struct RawServerTests {
    private static func curl(_ server: RawTLSServer, _ arguments: [String]) async throws -> Tool.Result {
        let anchors = try SharedWorld.anchorsFile()
        return try await Tool.finish(
            "curl",
            [
                "--silent", "--show-error", "--noproxy", "*", "--cacert", anchors, "--max-time", "30", "--connect-to",
                "::127.0.0.1:\(server.port)",
            ] + arguments)
    }

    @Test("curl gets answers over HTTP/1.1 on one connection, and what it sent is counted")
    func http1() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { request, _ in .text("\(request.method) \(request.target) \(request.content.count)\n") }
        }
        let url = "https://\(RawTLSServer.host)"
        let place = ["--next", "--silent", "--cacert", try SharedWorld.anchorsFile(), "--connect-to"]
        var arguments = ["\(url)/a"]
        for more in [["--data", "12345", "\(url)/b"], ["--head", "\(url)/c"]] {
            arguments += place + ["::127.0.0.1:\(server.port)"] + more
        }
        let result = try await Self.curl(server, arguments)
        await server.stop()
        #expect(result.text.hasPrefix("GET /a 0\nPOST /b 5\nHTTP/1.1 200"), "\(result)")
        let connections = await server.connections
        #expect(connections.flatMap(\.requests).map(\.method) == ["GET", "POST", "HEAD"])
        #expect(connections.flatMap(\.requests).allSatisfy { $0["host"] == RawTLSServer.host })
        // A request is at least its line and its host.
        #expect(server.bytes > 3 * "GET /a HTTP/1.1\r\nHost: server.test\r\n\r\n".utf8.count)
        #expect(connections.map(\.bytes).reduce(0, +) == server.bytes)
        #expect(connections.first?.serverName == RawTLSServer.host)
        #expect(connections.allSatisfy { $0.hasEnded && !$0.isResumed && $0.version == .tls13 })
    }

    @Test("curl gets answers over HTTP/2, many at a time, large uploads among them")
    func http2() async throws {
        let latch = Latch()
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2", "http/1.1"]
            setup.answer = { request, connection in
                // The last of them lets all go.
                if connection.requests.count == 8 { await latch.open() }
                return .text("\(connection.applicationProtocol ?? "none") \(request.content.count)\n").waiting(
                    for: latch)
            }
        }
        let folder = try TemporaryFolder()
        let file = try folder.write("upload", [UInt8](repeating: 7, count: 300_000))
        let result = try await Self.curl(
            server, ["--http2", "--parallel", "--data-binary", "@\(file)", "https://\(RawTLSServer.host)/[1-8]"])
        await server.stop()
        #expect(result.text == String(repeating: "h2 300000\n", count: 8), "\(result)")
        #expect(await server.requests.count == 8)
        #expect(server.bytes > 8 * 300_000)
    }

    @Test(
        "A session of TLS is resumed as the server allows it, and not otherwise",
        arguments: [TLSVersion.tls12, .tls13], RawTLSServer.Resumption.allCases)
    func resumption(version: TLSVersion, resumption: RawTLSServer.Resumption) async throws {
        // With a client certificate, since a server that wants one must not fail where it is spared.
        let server = try RawTLSServer { setup in
            setup.versions = version...version
            setup.resumption = resumption
            setup.clients = .require(try SharedWorld.demand())
        }
        let folder = try TemporaryFolder()
        let identity = try SharedWorld.client("Somebody")
        let client = try folder.write("client.pem", identity.pem())
        let chain = try folder.write("chain.pem", identity.chain.map(\.pem).joined())
        let session = folder("session")
        let request = Array("GET / HTTP/1.1\r\nHost: \(RawTLSServer.host)\r\nConnection: close\r\n\r\n".utf8)
        let canResume = resumption == .tickets || (resumption == .identifiers && version == .tls12)
        for more in [["-sess_out", session], canResume ? ["-sess_in", session] : []] {
            let result = try await Tool.finish(
                "openssl",
                [
                    "s_client", "-connect", "127.0.0.1:\(server.port)", "-servername", RawTLSServer.host, "-ign_eof",
                    "-cert", client, "-key", client, "-cert_chain", chain,
                ] + more, input: request)
            #expect(result.text.contains("answer"), "\(result)")
        }
        // Where nothing can be resumed there is nothing to keep. (OpenSSL writes TLS 1.2's session down even where it is of no use.)
        if version == .tls13 { #expect(FileManager.default.fileExists(atPath: session) == canResume) }
        await server.stop()
        let connections = await server.connections
        #expect(connections.map(\.isResumed) == [false, canResume])
        #expect(connections.map { $0.clientChain.count } == [2, canResume ? 0 : 2])
        #expect(connections.map(\.bytes) == [request.count, request.count])
    }
}

@Suite("The laboratory's servers that are wrong in HTTP")
struct HTTPFaultTests {
    private static func curl(_ fault: HTTPFault, _ more: [String] = []) async throws -> ForeignClient.Visit {
        let laboratory = try await Laboratory.start(
            on: EventLoop(), servers: [.http(fault)], in: SharedWorld.get())
        let anchors = try SharedWorld.anchorsFile()
        let visit = try await ForeignClient.curl.curl(
            laboratory.server(.http(fault)), anchors: anchors, ["--max-time", "20", "--compressed"] + more)
        await laboratory.stop()
        return visit
    }

    @Test(
        "curl gets the answer of those that have one",
        arguments: HTTPFault.allCases.filter { if case .answer = $0.outcome { true } else { false } })
    func answers(_ fault: HTTPFault) async throws {
        let visit = try await Self.curl(fault)
        #expect(visit.status == 0 && visit.all.contains("\r\n\r\n" + HTTPFault.content), "\(visit)")
    }

    /// Numbers of curl's manual, section "exit codes".
    @Test(
        "curl fails at those that leave no doubt, for the reason that they are made for",
        arguments: [
            (HTTPFault.resetAfterHandshake, [35, 52, 55, 56]), (.resetBeforeAnswer, [56]), (.resetInHeaders, [56]),
            (.resetInBody, [56]), (.closedBeforeAnswer, [52, 56]), (.truncatedBody, [18]), (.hugeLength, [18, 56]),
            (.bareBody, [1]), (.futureVersion, [1]), (.hugeHeader, [27, 56]), (.headerFlood, [27, 56]),
            (.chunkSizeNonsense, [56]), (.chunkSizeOverflow, [56]), (.chunkWithoutEnd, [56]),
            (.chunksWithoutEnd, [18, 56]),
            (.corruptCompression, [61, 23]), (.manyEncodings, [61]), (.unknownEncoding, [61]), (.redirectToFile, [1]),
            (.redirectLoop, [47]), (.redirectChain, [47]),
        ] as [(HTTPFault, [Int32])])
    func failures(_ fault: HTTPFault, _ expected: [Int32]) async throws {
        let visit = try await Self.curl(fault, ["--location", "--max-redirs", "5"])
        #expect(expected.contains(visit.status), "\(visit.status): \(visit.all.suffix(300))")
    }

    @Test("The compressed zeros are zeros, and so many as they claim")
    func bomb() async throws {
        let folder = try TemporaryFolder()
        let script = """
            import sys, zlib
            decoder, count = zlib.decompressobj(31), 0
            for piece in [sys.stdin.buffer.read()]:
                data = decoder.decompress(piece)
                assert not data.strip(b"\\0"), "not zero"
                count += len(data)
            print(count)
            """
        let program = try folder.write("inflate.py", script)
        let laboratory = try await Laboratory.start(
            on: EventLoop(), servers: [.http(.compressionBomb)], in: SharedWorld.get())
        let anchors = try SharedWorld.anchorsFile()
        let server = try laboratory.server(.http(.compressionBomb))
        let body = folder("body")
        // Python reads the first of it: enough, as it goes on in the same way.
        let fetch =
            "curl --silent --noproxy '*' --cacert '\(anchors)' --connect-to '::127.0.0.1:\(server.address.port)' "
            + "'https://\(server.host)/' | head -c 1000000 >'\(body)'; python3 '\(program)' <'\(body)'"
        let result = try await Tool.finish("sh", ["-c", fetch])
        await laboratory.stop()
        let count = try #require(Int(result.text.trimmingCharacters(in: .newlines)), "\(result)")
        #expect(count > 150 * 1_000_000)
    }
}
