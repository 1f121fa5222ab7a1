import BelaySession
import BelayTLS
import BelayTrust
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("A session and SOCKS 4")
struct SessionSOCKSTests {
    /// SOCKS 4 and 4a (openssh's and curl's reading of both), which Debian's small proxies do not speak: prints its port, then for each
    /// connection the name or address that it was asked for.
    private static let proxy = """
        import socket, struct, threading
        listener = socket.create_server(("127.0.0.1", 0))
        print("port", listener.getsockname()[1], flush=True)
        def text(client):
            value = b""
            while True:
                byte = client.recv(1)
                if byte in (b"", b"\\0"): return value.decode()
                value += byte
        def pump(source, target):
            try:
                while data := source.recv(65536): target.sendall(data)
            except OSError: pass
            try: target.shutdown(socket.SHUT_WR)
            except OSError: pass
        def serve(client):
            version, command, port = struct.unpack(">BBH", client.recv(4, socket.MSG_WAITALL))
            address = client.recv(4, socket.MSG_WAITALL)
            user = text(client)
            asked = text(client) if address[:3] == b"\\0\\0\\0" and address[3] else socket.inet_ntoa(address)
            print("asked", version, command, asked, flush=True)
            server = socket.create_connection(("127.0.0.1", port))
            client.sendall(struct.pack(">BBH4s", 0, 90, port, address))
            threading.Thread(target=pump, args=(client, server), daemon=True).start()
            pump(server, client)
        while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """

    @Test("servers are reached, and judged as without", arguments: ["socks4", "socks4a"])
    func ways(scheme: String) async throws {
        let peer = try await Peer.start("python3", ["-c", Self.proxy]) { $0.contains("\n") }
        let words = await peer.output.split(separator: "\n").first?.split(separator: " ")
        let port = try #require(words?.last.flatMap { UInt16($0) })
        let server = try RawTLSServer()
        // SOCKS 4 has addresses alone, 4a leaves names to the proxy.
        let host = scheme == "socks4" ? "127.0.0.1" : RawTLSServer.host
        let policy = try ConnectionPolicy.tests { $0.expectedName = try .init(RawTLSServer.host) }
        let session = try Session(
            configuration: .tests(at: nil) { $0.proxy = .url("\(scheme)://127.0.0.1:\(port)") }, policy: policy)
        #expect(try await session.text("https://\(host):\(server.port)/") == "answer")
        #expect(await peer.waitForOutput { $0.contains("asked 4 1 \(host)\n") })
        session.policy = try .tests { $0.trust.anchors = .empty }
        let error = try #require(await session.refusal(.get("https://\(host):\(server.port)/")))
        #expect(!error.rules.isEmpty)
        await server.stop()
        #expect(await server.requests.count == 1)
        await peer.stop()
    }
}
