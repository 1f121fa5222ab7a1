import BelaySession
import BelayLaboratory
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

@Suite("belay get and a proxy that wants a password")
struct ProxyPasswordTests {
    /// Takes CONNECT from who gives the password, and answers 407 to everybody else; prints its port.
    private static let proxy = """
        import base64, socket, threading
        listener = socket.create_server(("127.0.0.1", 0))
        print("port", listener.getsockname()[1], flush=True)
        wanted = "Proxy-Authorization: Basic " + base64.b64encode(b"ada:geheim").decode()
        def pump(source, target):
            try:
                while data := source.recv(65536): target.sendall(data)
            except OSError: pass
            try: target.shutdown(socket.SHUT_WR)
            except OSError: pass
        def serve(client):
            head = b""
            while b"\\r\\n\\r\\n" not in head:
                data = client.recv(65536)
                if not data: return
                head += data
            if wanted not in head.decode():
                answer = "407 No\\r\\nProxy-Authenticate: Basic realm=way\\r\\nContent-Length: 0"
                client.sendall(("HTTP/1.1 " + answer + "\\r\\n\\r\\n").encode())
                client.close()
                return
            host, port = head.decode().split(" ")[1].rsplit(":", 1)
            server = socket.create_connection((host, int(port)))
            client.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
            threading.Thread(target=pump, args=(client, server), daemon=True).start()
            pump(server, client)
        while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """

    @Test("the password of its URL is given to the proxy and nobody else; without one it is said what is wanted")
    func password() async throws {
        let peer = try await Peer.start("python3", ["-c", Self.proxy]) { $0.contains("\n") }
        let words = await peer.output.split(separator: "\n").first?.split(separator: " ")
        let port = try #require(words?.last.flatMap { UInt16($0) })
        let server = try RawTLSServer(["127.0.0.1"])
        func get(_ user: String) async throws -> Program.Run {
            try await Program.run(
                [
                    "get", "https://127.0.0.1:\(server.port)/", "-v", "--no-system-anchors", "--anchor",
                    SharedWorld.anchorsFile(),
                ], environment: ["https_proxy": "http://\(user)127.0.0.1:\(port)"])
        }
        let good = try await get("ada:geheim@")
        #expect(good.status == 0 && good.output == "answer", "\(good.errors)")
        #expect(!good.errors.contains("geheim"))
        for user in ["", "ada:falsch@"] {
            let refused = try await get(user)
            #expect(refused.status == 3, "\(refused.errors)")
            #expect(refused.errors.contains("wants a user name and password") && refused.errors.contains("https_proxy"))
            #expect(!refused.errors.contains("falsch"))
        }
        await server.stop()
        #expect(await server.requests.map { $0["proxy-authorization"] } == [nil])
        await peer.stop()
    }
}
