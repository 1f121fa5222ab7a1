import BelayTrust
import Glibc
import Testing

@testable import BelayTLS

@Suite("Resolving and connecting")
struct ConnectingTests {
    @Test("localhost resolves to loopback addresses, with the port asked for")
    func localhost() async throws {
        let loop = try EventLoop()
        let addresses = try await SystemResolver(loop: loop).addresses(
            of: "localhost", port: 8443, within: .seconds(60))
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy { ["127.0.0.1", "::1"].contains($0.host) && $0.port == 8443 })
        #expect(Set(addresses).count == addresses.count)
    }

    @Test("a name that cannot be is not resolved, and the error has the resolver's words")
    func unknownName() async throws {
        let bench = try Bench()
        do throws(TLSError) {
            // RFC 6761, section 6.4: names under .invalid never exist.
            _ = try await bench.client.handshake(
                with: TLSEndpoint(host: "no..such.invalid", port: 443), options: bench.options)
            Issue.record("it resolved")
        } catch {
            #expect(error.phase == .resolve)
            guard case .notResolved(let text) = error.reason else {
                Issue.record("\(error)")
                return
            }
            #expect(!text.isEmpty)
            #expect(error.description.contains("no..such.invalid"))
        }
    }

    @Test("more lookups than threads all get their answer")
    func manyLookups() async throws {
        let loop = try EventLoop()
        let resolver = SystemResolver(loop: loop, maximumThreads: 2)
        let answered = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask { try await !resolver.addresses(of: "localhost", port: 1, within: .seconds(60)).isEmpty }
            }
            var count = 0
            for try await isAnswered in group where isAnswered { count += 1 }
            return count
        }
        #expect(answered == 40)
    }

    @Test("an address that refuses is followed by the next one")
    func fallback() async throws {
        // The server listens on 127.0.0.1 only: ::1 refuses its port.
        let bench = try Bench(resolver: FixedResolver { [.loopbackIPv6(port: $0), .loopbackIPv4(port: $0)] })
        let server = try bench.server()
        let connection = try await bench.client.handshake(
            with: TLSEndpoint(host: "server.test", port: server.port), options: bench.options)
        #expect(connection.evidence.peerAddress == "127.0.0.1:\(server.port)")
        #expect(try await connection.fetch().contains("server name: server.test\n"))
        await connection.close()
        await server.stop()
    }

    @Test("an address that does not answer is not waited for when another one does")
    func silentAddress() async throws {
        let loop = try EventLoop()
        let full = try FullListener(loop: loop)
        let silent = SocketAddress.loopbackIPv4(port: full.port)
        let bench = try Bench(resolver: FixedResolver { [silent, .loopbackIPv6(port: $0)] })
        let server = try bench.server { $0.interfaces = .loopbackIPv6 }
        let connection = try await bench.client.handshake(
            with: TLSEndpoint(host: "server.test", port: server.port), options: bench.options)
        #expect(connection.evidence.peerAddress == "[::1]:\(server.port)")
        await connection.close()
        await server.stop()
    }

    @Test("when every address refuses, the host refuses")
    func allRefuse() async throws {
        let bench = try Bench(resolver: FixedResolver { [.loopbackIPv6(port: $0), .loopbackIPv4(port: $0)] })
        let server = try bench.server()
        await server.stop()
        do throws(TLSError) {
            _ = try await bench.client.handshake(
                with: TLSEndpoint(host: "server.test", port: server.port), options: bench.options)
            Issue.record("connected to nobody")
        } catch {
            #expect(error.reason == .refused)
            #expect(error.phase == .connect)
        }
    }

    @Test("a name without addresses is not resolved")
    func noAddress() async throws {
        let bench = try Bench(resolver: FixedResolver { _ in [] })
        do throws(TLSError) {
            _ = try await bench.client.handshake(with: TLSEndpoint(host: "server.test", port: 443))
            Issue.record("connected to nobody")
        } catch {
            guard case .notResolved = error.reason else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("the families alternate, the preferred one first")
    func interleaving() throws {
        let texts = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1", "192.0.2.2"]
        let addresses = try texts.map { try #require(SocketAddress(literal: $0, port: 443)) }
        #expect(
            Dialer.interleaved(addresses).map(\.host)
                == ["2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "2001:db8::3"])
    }

    @Test("addresses are read and written as in URLs")
    func addressText() {
        #expect(SocketAddress(literal: "[2001:DB8:0::1]", port: 443)?.description == "[2001:db8::1]:443")
        #expect(SocketAddress(literal: "192.0.2.1", port: 8443)?.description == "192.0.2.1:8443")
        #expect(SocketAddress(literal: "example.com", port: 443) == nil)
        #expect(SocketAddress(literal: "192.0.2", port: 443) == nil)
        #expect(SocketAddress(bytes: [1, 2, 3], port: 443) == nil)
        #expect(SocketAddress(bytes: [192, 0, 2, 1], port: 443) == SocketAddress(literal: "192.0.2.1", port: 443))
    }

    @Test("an endpoint keeps what was written beside its normal form")
    func endpoint() throws {
        // RFC 5891's example name in A-label form.
        let endpoint = try TLSEndpoint("B\u{FC}cher.TEST.", port: 443)
        #expect(endpoint.hostLiteral == "B\u{FC}cher.TEST.")
        #expect(endpoint.host == "xn--bcher-kva.test")
        #expect(try TLSEndpoint("[::1]", port: 8443).description == "[::1]:8443")
        #expect(throws: ServerNameError.self) { try TLSEndpoint("a b", port: 443) }
    }

    @Test("the zone of a link-local address leads there, and is neither sent nor compared")
    func zone() async throws {
        let endpoint = try TLSEndpoint(url: "https://[fe80::1%25lo]:8443/path")
        #expect(endpoint.description == "[fe80::1%lo]:8443" && endpoint.hostLiteral == "fe80::1%25lo")
        #expect(endpoint.serverName == nil)
        #expect(try ServerName(endpoint.host).description == "fe80::1")
        #expect(throws: EndpointError.self) { try TLSEndpoint(url: "https://[::1%25lo]/") }
        let resolver = SystemResolver(loop: try EventLoop())
        let addresses = try await resolver.addresses(of: endpoint.nameToResolve, port: 8443, within: .seconds(60))
        #expect(addresses.map(\.scope) == [if_nametoindex("lo")] && addresses.map(\.host) == ["fe80::1"])
    }

    @Test("what may hold a password is not repeated where a URL is no endpoint")
    func secrets() {
        for url in ["https:///ada:secret@host", "https://ada:secret@host/", "https://host:secret/"] {
            do throws(EndpointError) {
                _ = try TLSEndpoint(url: url)
                Issue.record("\(url) was read")
            } catch {
                #expect(!error.description.contains("secret"), "\(error)")
            }
        }
    }

    @Test("a trailing dot that was written keeps search domains out of the lookup")
    func trailingDot() {
        #expect(TLSEndpoint(hostLiteral: "a.test.", host: "a.test", port: 1).nameToResolve == "a.test.")
        #expect(TLSEndpoint(hostLiteral: "a.test", host: "a.test", port: 1).nameToResolve == "a.test")
    }
}

/// Gives the same answer to every question.
private struct FixedResolver: HostResolver {
    let answer: @Sendable (UInt16) -> [SocketAddress]

    init(_ answer: @escaping @Sendable (UInt16) -> [SocketAddress]) {
        self.answer = answer
    }

    func addresses(of host: String, port: UInt16, within limit: Duration) async throws(ResolutionError)
        -> [SocketAddress]
    {
        answer(port)
    }
}
