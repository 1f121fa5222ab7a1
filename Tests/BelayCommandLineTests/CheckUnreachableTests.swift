import BelayLaboratory
import BelayTLS
import Foundation
import Testing

@Suite("belay check: servers that cannot be reached")
struct CheckUnreachableTests {
    @Test(
        "each failure names the host, the phase and what happened, on standard error, with status 3",
        arguments: [
            (LaboratoryServer.Kind.truncates, ["TLS handshake", "closed the connection in the middle"]),
            (.resets, ["TLS handshake", "reset"]), (.plainHTTP, ["plain HTTP", "HTTPS port"]),
            (.garbage, ["does not speak TLS", "de ad be ef"]), (.endlessHandshake, ["did not end within"]),
        ])
    func misbehaviour(_ kind: LaboratoryServer.Kind, _ words: [String]) async throws {
        let stage = try await Stage.shared.value
        let run = try await stage.check(kind)
        #expect(run.status == 3 && run.output.isEmpty)
        let host = try stage.laboratory.server(kind).host
        for word in words + [host] { #expect(run.errors.contains(word), "\(run.errors)") }
        let report = try await stage.check(kind, "--format", "json")
        let json = try report.json()
        #expect(report.status == 3 && json["trusted"] as? Bool == false && json["result"] as? String == "invalid")
        #expect((json["error"] as? [String: Any])?["phase"] as? String == "handshake")
        #expect(try JSONSchema(named: "check.schema.json").faults(in: json) == [])
    }

    @Test(
        "a server that hangs at its first word or in the middle is given up after the limit",
        arguments: [
            LaboratoryServer.Kind.silent, .hangs,
        ])
    func hangs(_ kind: LaboratoryServer.Kind) async throws {
        let stage = try await Stage.shared.value
        let server = try stage.laboratory.server(kind)
        let run = try await Program.run(
            "check", "https://\(server.host)", "--connect-to", "\(server.target)", "--timeout", "0.3")
        #expect(run.status == 3 && run.errors.contains("TLS handshake") && run.errors.contains("no end after"))
    }

    @Test("a host whose queue of connections is full is given up in the phase of connecting")
    func hangsInConnect() async throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> UInt16 in
                guard bind(listener, generic, length) == 0, listen(listener, 0) == 0 else { return 0 }
                getsockname(listener, generic, &length)
                return UInt16(
                    bigEndian: generic.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port })
            }
        }
        defer { close(listener) }
        try #require(port > 0)
        // Nobody accepts: the kernel keeps one or two and drops the rest.
        var clients: [Int32] = []
        defer { for client in clients { close(client) } }
        for _ in 0..<8 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            clients.append(client)
            withUnsafePointer(to: &address) { pointer in
                _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, length) }
            }
        }
        let run = try await Program.run("check", "https://127.0.0.1:\(port)", "--timeout", "0.5")
        #expect(run.status == 3 && run.errors.contains("connecting") && run.errors.contains("no end after"), "\(run)")
    }

    @Test("a port where nothing listens, and a name that does not resolve")
    func refusedAndUnknown() async throws {
        let run = try await Program.run("check", "https://127.0.0.1:1")
        #expect(run.status == 3 && run.errors.contains("connecting") && run.errors.contains("refused"))
        let unknown = try await Program.run("check", "https://no-such-host.invalid")
        #expect(unknown.status == 3 && unknown.errors.contains("does not resolve"))
        #expect(unknown.errors.contains("no-such-host.invalid"))
    }
}
