import BelayCertificates
import BelayTLS
import Glibc

/// The servers of a soak, in a process of their own, so that what they need is not counted: nginx for good traffic, and servers that
/// break off in every phase.
enum SoakServers {
    /// Starts all servers, prints one line that says where they are, and ends with its standard input.
    static func run(folder: String) async throws {
        let authority = try CertificateIssuer.selfSigned(.authority(named: "Soak Root"), key: .generate(.p256))
        let good = try authority.issueIdentity(.server(names: ["127.0.0.1"]), key: .generate(.p256))
        let elsewhere = try CertificateIssuer.selfSigned(.authority(named: "Another Root"), key: .generate(.p256))
        let stranger = try elsewhere.issueIdentity(.server(names: ["127.0.0.1"]), key: .generate(.p256))
        try Scratch.write(authority.certificate.pem, to: folder + "/anchors.pem")

        var nginx: [(String, Nginx)] = []
        defer { for (_, server) in nginx { server.stop() } }
        for (name, kind) in [
            ("http1", Workload.Server.keepsConnections11), ("http2", .keepsConnections2),
            ("resumed", .closesConnectionsAndResumes),
        ] {
            nginx.append((name, try kind.start(good)))
        }
        let loop = try EventLoop()
        let identity = try TLSIdentity(good)
        var servers: [(String, TLSServer)] = []
        func add(_ name: String, _ change: (inout TLSServerConfiguration) throws -> Void) throws {
            var configuration = TLSServerConfiguration(identity: identity)
            configuration.handler = SoakHandler.serve
            try change(&configuration)
            servers.append((name, try TLSServer(loop: loop, configuration: configuration)))
        }
        try add("faulty") { _ in }
        try add("faulty12") { $0.maximumVersion = .tls12 }
        try add("stranger") { $0.identity = try TLSIdentity(stranger) }
        try add("resets") { $0.misbehaviour = .resets }
        try add("truncates") { $0.misbehaviour = .truncates }
        try add("silent") { $0.misbehaviour = .silence }
        try add("hangs") { $0.misbehaviour = .hangsInHandshake }
        try add("plain") { $0.misbehaviour = .plainHTTP }

        let ports = nginx.map { "\($0)=\($1.port)" } + servers.map { "\($0)=\($1.port)" }
        emit("\((ports + ["pin=\(good.certificate.pin)"]).joined(separator: " "))\n")
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, 0) == 0 { try await Task.sleep(for: .milliseconds(100)) }
        for (_, server) in servers { await server.stop() }
    }
}

/// Answers over HTTP/1.1; the path says how badly.
enum SoakHandler {
    static let serve: TLSServerConfiguration.Handler = { connection throws(TLSError) in
        var unread: [UInt8] = []
        while let request = try await next(&unread, connection) {
            guard try await answer(request, connection) else { return }
        }
    }

    private struct Request {
        let path: String
        let body: [UInt8]
    }

    /// The next request of the connection; nil at its end.
    private static func next(
        _ unread: inout [UInt8], _ connection: TLSServerConnection
    ) async throws(TLSError) -> Request? {
        let mark: [UInt8] = [13, 10, 13, 10]
        var end = unread.firstRange(of: mark)
        while end == nil {
            let bytes = try await connection.read()
            guard !bytes.isEmpty, unread.count < 65_536 else { return nil }
            unread += bytes
            end = unread.firstRange(of: mark)
        }
        guard let end else { return nil }
        let lines = String(decoding: unread[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let length = lines.lazy.compactMap { line -> Int? in
            let lower = line.lowercased()
            guard lower.hasPrefix("content-length:") else { return nil }
            return Int(lower.dropFirst(15).drop { $0 == " " })
        }.first
        let total = end.upperBound + (length ?? 0)
        while unread.count < total {
            let bytes = try await connection.read()
            guard !bytes.isEmpty else { return nil }
            unread += bytes
        }
        let path = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
        defer { unread.removeFirst(total) }
        return Request(path: path, body: Array(unread[end.upperBound..<total]))
    }

    /// Whether the connection may go on.
    private static func answer(_ request: Request, _ connection: TLSServerConnection) async throws(TLSError) -> Bool {
        func send(_ head: String, _ body: Int = 0) async throws(TLSError) {
            try await connection.write(Array(head.utf8) + [UInt8](repeating: 0x78, count: body))
        }
        let ok = "HTTP/1.1 200 OK\r\n"
        switch request.path {
        case "/good": try await send(ok + "Content-Length: 1024\r\n\r\n", 1_024)
        case "/echo":
            try await send(ok + "Content-Length: \(request.body.count)\r\n\r\n")
            try await connection.write(request.body)
        case "/status": try await send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\n", 5)
        case "/redirect": try await send("HTTP/1.1 302 Found\r\nLocation: /good\r\nContent-Length: 0\r\n\r\n")
        case "/hangup": return false
        case "/truncate":
            try await send(ok + "Content-Length: 10000\r\n\r\n", 3_000)
            return false
        case "/stall":
            try await send(ok + "Content-Length: 10000\r\n\r\n", 3_000)
            _ = try await connection.read()
            return false
        case "/garbage":
            try await send("\u{1}\u{2}nothing that anybody could take for HTTP\r\n\r\n")
            return false
        case "/chunks":
            try await send(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nnonsense\r\n")
            return false
        case "/flood":
            try await send(ok)
            for number in 0..<20_000 { try await send("X-Flood-\(number): xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n") }
            return false
        case "/huge":
            try await send(ok + "Content-Length: 4000000\r\n\r\n", 4_000_000)
        default: try await send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        }
        return true
    }
}
