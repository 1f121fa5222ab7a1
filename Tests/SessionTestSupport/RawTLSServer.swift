import BelayCertificates
import BelayLaboratory
import BelayTLS
import BelayTrust
import TestSupport

/// A server on loopback that counts what it receives: the bytes that came out of TLS, connection by connection, before anybody has
/// made sense of them. So "not one byte of HTTP" can be seen.
///
/// ```swift
/// let server = try RawTLSServer()
/// …
/// await server.stop()
/// #expect(await server.connections.map(\.bytes) == [0])
/// ```
package final class RawTLSServer: Sendable {
    /// The host that its certificate is for, unless told otherwise.
    package static let host = "server.test"

    /// How it behaves.
    package struct Setup: Sendable {
        package var identity: Identity
        package var versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
        package var resumption = Resumption.none
        /// The protocols of ALPN, best first: `h2`, `http/1.1`.
        package var protocols = ["http/1.1"]
        package var cipherSuites = CipherSuiteSelection.standard
        /// How many streams of HTTP/2 it takes at a time; nil for as many as come.
        package var maximumStreams: Int?
        /// What its settings of HTTP/2, which come first of all, wait for.
        package var settingsLatch: Latch?
        /// Whether it refuses streams beyond that from the start, as nginx does, and not only once the client knows the limit.
        package var refusesStreams = false
        /// The longest frames of HTTP/2 that it sends; no client takes longer ones unasked (RFC 9113, section 4.2).
        package var longestFrame = 16_384
        /// How it turns down every stream of HTTP/2 without having looked at it; nil where it does not.
        package var turnsDown: StreamRefusal?
        /// The last stream of each connection that it answers all the same.
        package var answersFirst = 0
        package var clients = TLSServerConfiguration.ClientAuthentication.none
        package var interfaces = TLSServerConfiguration.Interfaces.loopbackIPv4
        package var answer: @Sendable (HTTPRequest, Connection) async -> HTTPAnswer = { _, _ in .text("answer") }
        /// What it does with a connection instead of answering requests; what it reads is not counted then.
        package var script: TLSServerConfiguration.Handler?
        package var misbehaviour: TLSServerConfiguration.Misbehaviour?
        package var agreesToExtendedMasterSecret = true
        package var timestampList: [UInt8]?
        package var stapledResponse: [UInt8]?
    }

    /// How streams of HTTP/2 are turned down that were not looked at.
    package enum StreamRefusal: Sendable, CaseIterable {
        /// RST_STREAM with REFUSED_STREAM (RFC 9113, section 8.7).
        case reset
        /// GOAWAY that names an earlier stream or none (RFC 9113, section 6.8), and an end of the connection with TLS's goodbye.
        case goodbye
        /// The same without TLS's goodbye.
        case goodbyeAndCut
        /// RST_STREAM with INTERNAL_ERROR, and a GOAWAY behind it that names the stream: it may have been looked at.
        case failure
    }

    /// How sessions of TLS can be resumed.
    package enum Resumption: Sendable, CaseIterable {
        case none
        /// By tickets; under TLS 1.3 there is nothing else.
        case tickets
        /// By identifiers, which TLS 1.2 has.
        case identifiers
    }

    /// A connection after its handshake.
    package struct Connection: Sendable {
        /// Its place among the server's connections.
        package let number: Int
        package let version: TLSVersion
        package let isResumed: Bool
        package let serverName: String?
        package let applicationProtocol: String?
        /// Empty where a session was resumed, too.
        package let clientChain: [[UInt8]]
        /// Bytes that came out of TLS.
        package internal(set) var bytes = 0
        /// Requests that were whole. Those of HTTP/2 are counted, and their heads not decoded.
        package internal(set) var requests: [HTTPRequest] = []
        /// Streams of HTTP/2 that were refused: more than the limit.
        package internal(set) var refusedStreams = 0
        package internal(set) var hasEnded = false

        init(number: Int, _ connection: TLSServerConnection) {
            self.number = number
            version = connection.version
            isResumed = connection.isResumed
            serverName = connection.serverName
            applicationProtocol = connection.applicationProtocol
            clientChain = connection.clientChain
        }
    }

    private let server: TLSServer
    private let journal: Journal<[Connection]>

    private static let loop = Result { try EventLoop() }

    /// Starts a server.
    package init(
        _ names: [String] = [RawTLSServer.host], _ change: (inout Setup) throws -> Void = { _ in }
    ) throws {
        var setup = Setup(identity: try SharedWorld.server(names))
        try change(&setup)
        let journal = Journal<[Connection]>([])
        self.journal = journal
        var configuration = TLSServerConfiguration(identity: try TLSIdentity(setup.identity))
        configuration.interfaces = setup.interfaces
        configuration.minimumVersion = setup.versions.lowerBound
        configuration.maximumVersion = setup.versions.upperBound
        configuration.applicationProtocols = setup.protocols
        configuration.cipherSuites = setup.cipherSuites
        configuration.clientAuthentication = setup.clients
        configuration.sendsTickets = setup.resumption == .tickets
        configuration.remembersSessions = setup.resumption == .identifiers
        configuration.misbehaviour = setup.misbehaviour
        configuration.agreesToExtendedMasterSecret = setup.agreesToExtendedMasterSecret
        configuration.timestampList = setup.timestampList
        configuration.stapledResponse = setup.stapledResponse
        configuration.timeouts = TLSTimeouts(all: .seconds(60))
        configuration.handler = { [setup] connection throws(TLSError) in
            let number = await journal.add { Connection(number: $0, connection) }
            let service = RawService(number: number, connection: connection, journal: journal, setup: setup)
            do throws(TLSError) { try await service.serve() } catch {
                await journal.update { $0[number].hasEnded = true }
                throw error
            }
            await journal.update { $0[number].hasEnded = true }
        }
        server = try TLSServer(loop: try RawTLSServer.loop.get(), configuration: configuration)
    }

    package var port: UInt16 { server.port }

    /// The connections whose handshakes succeeded, in their order.
    package var connections: [Connection] { get async { await journal.value } }

    /// All requests that were whole.
    package var requests: [HTTPRequest] { get async { await connections.flatMap(\.requests) } }

    /// All bytes that came out of TLS.
    package var bytes: Int { server.statistics.applicationBytesReceived }

    /// TCP connections and completed handshakes, among others.
    package var statistics: TLSServerStatistics { server.statistics }

    /// Waits until the connections are as wanted; whether that was so within half a minute.
    package func wait(until isMet: @escaping @Sendable ([Connection]) -> Bool) async -> Bool {
        await journal.wait(until: isMet)
    }

    /// Waits until its figures are as wanted; whether that was so within half a minute.
    package func waitForStatistics(_ isMet: @escaping @Sendable (TLSServerStatistics) -> Bool) async -> Bool {
        await server.wait(until: isMet)
    }

    /// Waits until so many connections have come to their end, in whatever way.
    package func waitUntilServed(_ count: Int) async -> Bool { await server.waitUntilServed(count) }

    /// Ends all connections; nothing listens any more.
    package func stop() async { await server.stop() }
}

extension Journal where Value == [RawTLSServer.Connection] {
    /// Adds a connection; returns its place.
    func add(_ make: @Sendable (Int) -> RawTLSServer.Connection) -> Int {
        let number = value.count
        update { $0.append(make(number)) }
        return number
    }
}

/// Serves one connection.
struct RawService: Sendable {
    let number: Int
    let connection: TLSServerConnection
    let journal: Journal<[RawTLSServer.Connection]>
    let setup: RawTLSServer.Setup

    func serve() async throws(TLSError) {
        if let script = setup.script {
            try await script(connection)
        } else if connection.applicationProtocol == "h2" {
            try await HTTP2Service(service: self).serve()
        } else {
            try await serveHTTP1()
        }
    }

    func count(_ bytes: Int) async {
        let number = number
        await journal.update { $0[number].bytes += bytes }
    }

    /// Writes a request down, and asks for the answer.
    func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        let number = number
        await journal.update { $0[number].requests.append(request) }
        let answer = await setup.answer(request, await journal.value[number])
        await answer.latch?.wait()
        return answer
    }

    private func serveHTTP1() async throws(TLSError) {
        var reader = HTTPRequestReader(connection: connection) { await count($0.count) }
        while let request = try await reader.next() {
            let answer = await answer(request)
            if answer.isDropped { return }
            try await connection.write(answer.wireForm(head: request.method == "HEAD"))
            if answer.closes || request["connection"]?.lowercased() == "close" { return }
        }
    }
}
