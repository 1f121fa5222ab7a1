import BelayTrust

/// A connection as the server sees it.
public struct TLSServerConnection: Sendable {
    /// The client's address and port.
    public let peerAddress: String
    /// The negotiated version.
    public let version: TLSVersion
    /// The negotiated suite.
    public let cipherSuite: CipherSuite
    /// The name the client asked for (SNI); nil when it sent none.
    public let serverName: String?
    /// The protocol chosen by ALPN; nil when none was.
    public let applicationProtocol: String?
    /// Whether the client resumed an earlier session.
    public let isResumed: Bool
    /// The certificates the client sent: DER, the leaf first. Empty when it sent none, and where it resumed a session.
    public let clientChain: [[UInt8]]

    private let stream: TLSStream
    private let timeouts: TLSTimeouts
    private let state: TLSServerState

    init(
        _ handshake: TLSStream.Handshake, peerAddress: String, stream: TLSStream, timeouts: TLSTimeouts,
        state: TLSServerState
    ) {
        self.peerAddress = peerAddress
        version = handshake.negotiated.version
        cipherSuite = handshake.negotiated.cipherSuite
        serverName = handshake.requestedServerName
        applicationProtocol = handshake.negotiated.applicationProtocol
        isResumed = handshake.isResumed
        clientChain = handshake.evidence.chain
        self.stream = stream
        self.timeouts = timeouts
        self.state = state
    }

    /// Reads at least one byte and at most `count`. Empty when the client has ended the connection in order.
    public func read(upTo count: Int = 16_384) async throws(TLSError) -> [UInt8] {
        let bytes = try await stream.read(upTo: count, within: timeouts.transfer)
        state.update { $0.applicationBytesReceived += bytes.count }
        return bytes
    }

    /// Writes all of `bytes`.
    public func write(_ bytes: [UInt8]) async throws(TLSError) {
        try await stream.write(bytes, within: timeouts.transfer)
        state.update { $0.applicationBytesSent += bytes.count }
    }

    /// Breaks the connection off (RST): what the client has not read by then may be lost to it. Nothing can be read or written
    /// any more.
    public func reset() async {
        await stream.reset()
    }

    /// Ends the connection of TCP in order, but without TLS's goodbye: as somebody would who cuts an answer short. Nothing can be
    /// read or written any more.
    public func cut() async {
        await stream.cut()
    }

    /// Says goodbye and closes, for handlers that go on after it.
    package func close() async {
        await stream.close(within: timeouts.close)
    }

    /// The usual handler: reads a request head and answers with what the server saw, as text, over HTTP/1.1.
    public static let answerWithSummary: TLSServerConfiguration.Handler = { connection throws(TLSError) in
        var request: [UInt8] = []
        let end: [UInt8] = [13, 10, 13, 10]
        while !request.contains(end) {
            let bytes = try await connection.read()
            guard !bytes.isEmpty, request.count < 65_536 else { return }
            request += bytes
        }
        let line = String(decoding: request.prefix { $0 != 13 }, as: UTF8.self)
        try await connection.write(Array(httpAnswer(connection.summary(of: line)).utf8))
    }

    private func summary(of requestLine: String) -> String {
        """
        request: \(requestLine)
        version: \(version)
        cipher suite: \(cipherSuite)
        server name: \(serverName ?? "none")
        application protocol: \(applicationProtocol ?? "none")
        client certificates: \(clientChain.count)

        """
    }
}

/// A small answer over HTTP/1.1.
func httpAnswer(_ body: String, status: String = "200 OK") -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n"
        + "Connection: close\r\n\r\n\(body)"
}
