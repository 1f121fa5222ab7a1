import COpenSSL

/// Plays a server that misbehaves.
struct TLSScript: Sendable {
    let socket: RawConnection
    let context: TLSContext

    func play(_ misbehaviour: TLSServerConfiguration.Misbehaviour) async {
        // However it ends, the connection is closed after it.
        try? await act(misbehaviour)
    }

    private func act(_ misbehaviour: TLSServerConfiguration.Misbehaviour) async throws(RawConnection.Over) {
        switch misbehaviour {
        case .plainHTTP:
            _ = try await socket.read()
            let answer = httpAnswer("This port speaks plain HTTP.\n", status: "400 Bad Request")
            try await socket.write(Array(answer.utf8))
            try await end()
        case .sends(let bytes):
            try await socket.write(bytes)
            try await end()
        case .silence:
            try await socket.waitForEnd()
        case .hangsInHandshake:
            try await socket.write(firstHalfOfFlight(answering: try await socket.readRecord()))
            try await socket.waitForEnd()
        case .truncates:
            try await socket.write(firstHalfOfFlight(answering: try await socket.readRecord()))
            try await end()
        case .resetsAtOnce:
            socket.socket.resetOnClose()
        case .resets:
            _ = try await socket.readRecord()
            socket.socket.resetOnClose()
        case .drips(let bytes, let pause):
            try await drip(bytes, pause)
        case .endlessHandshake:
            _ = try await socket.readRecord()
            try await socket.write(TLSScript.serverHello)
            // HelloRequest (RFC 5246, section 7.4.1.1), which a client in a handshake ignores: 4,096 of them in a record.
            let requests = TLSScript.records([UInt8](repeating: 0, count: 16_384))
            while true { try await socket.write(requests) }
        case .certificateMessage(let certificates):
            _ = try await socket.readRecord()
            let list = certificates.flatMap { TLSScript.number($0.count, bytes: 3) + $0 }
            let body = TLSScript.number(list.count, bytes: 3) + list
            let message = [UInt8(SSL3_MT_CERTIFICATE)] + TLSScript.number(body.count, bytes: 3) + body
            try await socket.write(TLSScript.serverHello + TLSScript.records(message))
            try await end()
        }
    }

    /// Ends the sending side, and lets the other side end its own: a close with unread bytes would be a reset.
    private func end() async throws(RawConnection.Over) {
        socket.socket.endSending()
        try await socket.waitForEnd()
    }

    private func firstHalfOfFlight(answering hello: [UInt8]) -> [UInt8] {
        guard let session = MemorySession(context: context) else { return [] }
        session.feed(hello)
        session.advance()
        let flight = session.takeOutput()
        return Array(flight.prefix(flight.count / 2))
    }

    private func drip(_ count: Int, _ pause: Duration) async throws(RawConnection.Over) {
        guard let driver = DripDriver(context: context) else { return }
        while true {
            let step = await driver.advance()
            try await socket.drip(step.output, count, pause: pause)
            if step.isOver { return try await end() }
            let input = try await socket.read()
            if input.isEmpty { return }
            await driver.feed(input)
        }
    }

    /// A ServerHello of TLS 1.2 (RFC 5246, section 7.4.1.3) that agrees to TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256.
    private static let serverHello: [UInt8] = {
        let random = [UInt8](repeating: 0x42, count: 32)
        // No session, the suite, no compression, one extension: secure renegotiation (RFC 5746), empty.
        let body: [UInt8] = [3, 3] + random + [0, 0xC0, 0x2F, 0, 0, 5, 0xFF, 0x01, 0, 1, 0]
        return records([UInt8(SSL3_MT_SERVER_HELLO)] + number(body.count, bytes: 3) + body)
    }()

    /// Handshake bytes in records of at most 16,384.
    private static func records(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        var records: [UInt8] = []
        while !rest.isEmpty {
            let fragment = rest.prefix(16_384)
            records += [22, 3, 3] + number(fragment.count, bytes: 2) + fragment
            rest = rest.dropFirst(fragment.count)
        }
        return records
    }

    private static func number(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
