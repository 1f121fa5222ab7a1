import BelayTrust
import Glibc
import Testing

@testable import BelayTLS

/// A client and what it needs, for one test.
struct Bench {
    let loop: EventLoop
    let client: TLSClient
    /// Limits that no test reaches unless it means to.
    var options: TLSOptions

    init(resolver: (any HostResolver)? = nil) throws {
        loop = try EventLoop()
        client = TLSClient(loop: loop, resolver: resolver)
        options = TLSOptions()
        options.timeouts = TLSTimeouts(all: .seconds(60))
    }

    /// A server with a certificate for server.test, or with what is given.
    func server(
        identity: TLSIdentity? = nil, _ change: (inout TLSServerConfiguration) -> Void = { _ in }
    ) throws -> TLSServer {
        var configuration = TLSServerConfiguration(
            identity: try identity ?? TestCertificate.make("server.test").identity())
        configuration.timeouts = TLSTimeouts(all: .seconds(60))
        change(&configuration)
        return try TLSServer(loop: loop, configuration: configuration)
    }

    /// Connects to a server under the name server.test.
    func connect(
        to server: TLSServer, identity: TLSIdentity? = nil, _ change: (inout TLSOptions) -> Void = { _ in }
    ) async throws(TLSError) -> TLSConnection {
        var options = options
        change(&options)
        return try await client.handshake(
            with: TLSEndpoint(host: "server.test", port: 443),
            connectTo: TLSEndpoint(host: "127.0.0.1", port: server.port), options: options, identity: identity
        ) { _ in true }
    }

    /// The error that connecting ends with.
    func failure(
        connectingTo server: TLSServer, identity: TLSIdentity? = nil, _ change: (inout TLSOptions) -> Void = { _ in }
    ) async -> TLSError? {
        do {
            let connection = try await connect(to: server, identity: identity, change)
            await connection.close()
            return nil
        } catch {
            return error
        }
    }
}

extension TLSConnection {
    /// Sends a small request and reads the whole answer.
    func fetch() async throws(TLSError) -> String {
        try await write(Array("GET / HTTP/1.1\r\nHost: server.test\r\n\r\n".utf8))
        return String(decoding: try await readToEnd(), as: UTF8.self)
    }

    func readToEnd() async throws(TLSError) -> [UInt8] {
        var answer: [UInt8] = []
        while case let bytes = try await read(), !bytes.isEmpty { answer += bytes }
        return answer
    }
}

/// How many descriptors of a kind (`socket:`, `anon_inode:`) this process has open.
func openDescriptors(_ kind: String) -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        var target = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/self/fd/\(name)", &target, target.count)
        guard length > 0 else { continue }
        if String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self).hasPrefix(kind) {
            count += 1
        }
    }
    return count
}

extension Bench {
    /// Waits until something holds; at most a minute.
    func waitUntil(_ condition: () -> Bool) async {
        let limit = Deadline(after: .seconds(60))
        while !condition(), !limit.hasPassed {
            _ = await loop.sleep(until: Deadline(after: .milliseconds(1)))
        }
    }

    /// Waits until the task is cancelled, then throws.
    func waitForCancellation() async throws(TLSError) {
        _ = await loop.sleep(until: Deadline(after: .seconds(60)))
        throw TLSError(endpoint: TLSEndpoint(host: "server.test", port: 443), phase: .read, reason: .cancelled)
    }
}
