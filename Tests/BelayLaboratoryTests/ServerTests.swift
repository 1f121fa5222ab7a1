import BelayCertificates
import BelayLaboratory
import BelayTLS
import BelayTrust
import Foundation
import Testing

@Suite("The laboratory's servers")
struct ServerTests {
    @Test("each server behaves as its description says", arguments: LaboratoryServer.Kind.allCases)
    func behaviour(_ kind: LaboratoryServer.Kind) async throws {
        try await Bench.run([kind]) { bench in
            switch kind.expectation {
            case .policyTable:
                // What its verdicts must be is the table's business; here, that it sends what the situation says.
                let connection = try await bench.connect(to: kind)
                guard case .situation(let letter) = kind else { throw Unexpected() }
                #expect(connection.evidence.chain == bench.world.situation(letter).chain)
                await connection.close()
            case .accepted:
                let connection = try await bench.connect(to: kind)
                let verdict = try bench.verdict(on: connection.evidence)
                #expect(verdict.result == .unspecified, "\(verdict.findings)")
                await connection.close()
            case .acceptedWithFinding(let rule):
                let connection = try await bench.connect(to: kind)
                let verdict = try bench.verdict(on: connection.evidence)
                #expect(verdict.result == .unspecified)
                #expect(verdict.rules.contains(rule))
                await connection.close()
            case .acceptedWithIdentity:
                try await expectIdentity(bench, kind)
            case .refused(let rule):
                let connection = try await bench.connect(to: kind)
                let verdict = try bench.verdict(on: connection.evidence)
                #expect(!verdict.isTrusted)
                #expect(verdict.errors.contains(rule), "\(verdict.findings)")
                await connection.close()
            case .noConnection(let failure):
                let limit: Duration = failure == .timeout ? .milliseconds(300) : .seconds(60)
                let error = try #require(await bench.failure(connectingTo: kind, limit: limit))
                #expect(failure.matches(error), "\(error)")
            }
        }
    }

    private struct Unexpected: Error {}

    private func expectIdentity(_ bench: Bench, _ kind: LaboratoryServer.Kind) async throws {
        let identity = try TLSIdentity(bench.world.client)
        let connection = try await bench.connect(to: kind, identity: identity)
        #expect(try bench.verdict(on: connection.evidence).isTrusted)
        _ = try await connection.confirm(within: .seconds(60))
        #expect(connection.sentClientCertificate)
        await connection.close()
        await #expect(throws: TLSError.self) {
            let refused = try await bench.connect(to: kind)
            _ = try await refused.confirm(within: .seconds(60))
        }
    }

    @Test("names of servers are unique and can be labels of hosts")
    func names() {
        let names = LaboratoryServer.Kind.allCases.map(\.id)
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(
                name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } && !name.isEmpty && name.utf8.count < 64)
        }
        #expect(Set(LaboratoryServer.Kind.allCases).count == names.count)
        for kind in LaboratoryServer.Kind.allCases {
            guard case .refused(let rule) = kind.expectation else { continue }
            #expect(RuleCatalogue.rule(rule) != nil, "\(rule)")
        }
    }

    @Test("a server offers its versions and suites, and no others")
    func versions() async throws {
        try await Bench.run([.tls10, .tls11, .tls12, .tls13, .forwardSecrecy, .staticRSA]) { bench in
            for (kind, version) in [
                (LaboratoryServer.Kind.tls10, TLSVersion.tls10), (.tls11, .tls11), (.tls12, .tls12), (.tls13, .tls13),
                (.forwardSecrecy, .tls12), (.staticRSA, .tls12),
            ] {
                let connection = try await bench.connect(to: kind) { $0.minimumVersion = .tls10 }
                #expect(connection.evidence.version == version, "\(kind.id)")
                #expect(connection.evidence.cipherSuite.hasForwardSecrecy == (kind != .staticRSA), "\(kind.id)")
                await connection.close()
            }
        }
    }

    @Test("the large certificates are as large as they say")
    func sizes() async throws {
        try await Bench.run([.hugeCertificate, .manyNames]) { bench in
            let huge = try #require(bench.laboratory.server(.hugeCertificate).chain.first)
            #expect((250_000...260_000).contains(huge.count))
            let many = try #require(try bench.laboratory.server(.manyNames).leaf)
            #expect(try many.subjectAlternativeNames?.count == 10_000)
        }
    }

    @Test("the keys of the leaves are what they say")
    func keys() async throws {
        try await Bench.run([.rsa3072, .p384, .p521, .ed25519, .oneWay]) { bench in
            let found = try bench.laboratory.servers.map { try #require($0.leaf).publicKey.description }
            #expect(found == ["RSA 3072", "EC P-384", "EC P-521", "Ed25519", "EC P-256"])
        }
    }

    @Test("asking for a server that was not started is an error that names it")
    func notStarted() async throws {
        try await Bench.run([.oneWay]) { bench in
            #expect(throws: LaboratoryError.notStarted(.mutual)) { try bench.laboratory.server(.mutual) }
            #expect(bench.laboratory.address(of: .mutual) == nil)
            #expect(bench.laboratory.address(of: .oneWay)?.host == "127.0.0.1")
        }
    }
}

@Suite("The end of the laboratory")
struct StopTests {
    @Test("stopping ends connections that are open, and nothing listens any more")
    func stop() async throws {
        try await Bench.run([.oneWay, .silent]) { bench in
            let connection = try await bench.connect(to: .oneWay)
            await bench.laboratory.stop()
            // The server's end is an end of stream, or a reset.
            #expect((try? await connection.read(within: .seconds(60)).isEmpty) != false)
            #expect(await bench.failure(connectingTo: .oneWay)?.reason == .refused)
        }
    }

    @Test("stopping releases every socket, also those of servers in the middle of misbehaving")
    func sockets() async throws {
        let loop = try EventLoop()
        let laboratory = try await Laboratory.start(on: loop)
        let client = TLSClient(loop: loop)
        let ports = Set(laboratory.servers.map(\.address.port))
        var options = TLSOptions()
        options.timeouts = TLSTimeouts(all: .milliseconds(200))
        for server in laboratory.servers {
            let connection = try? await client.handshake(
                with: server.endpoint, connectTo: server.target, options: options)
            await connection?.close()
        }
        #expect(try socketsHeld(on: ports) >= ports.count)
        await laboratory.stop()
        #expect(try socketsHeld(on: ports) == 0)
    }

    /// How many sockets a process holds on these local ports, as the kernel tells (proc(5), /proc/net/tcp): a connection
    /// that only lingers has no inode any more.
    private func socketsHeld(on ports: Set<UInt16>) throws -> Int {
        // Reading it as a file of a known size would end after the first page.
        let handle = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
        let table = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        return table.split(separator: "\n").dropFirst().count { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, let port = fields[1].split(separator: ":").last else { return false }
            return UInt16(port, radix: 16).map(ports.contains) == true && fields[9] != "0"
        }
    }
}
