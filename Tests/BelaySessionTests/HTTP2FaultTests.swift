import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import SessionTestSupport
import TestSupport
import Testing

/// Frames as RFC 9113, section 4.1, has them, and what servers do wrong with them.
enum HTTP2Fault: String, CaseIterable, Sendable {
    case contentTooShort, contentTooLong, resetBeforeAnswer, resetInBody, goAwayInBody, closedInBody, closedInHead
    case closedBeforeAnswer, garbage, unreadableHead, http1, hugeFrame, informationalStorm, headerFlood, endlessBody
    case noStatus, unaskedPush, contentFirst, unknownStream, capitals, connectionField, pingFlood, settingsFlood
    case emptyFrames, silence, windowOverflow

    /// Reasons that fit, by the names of their cases; none for those that may be answered in the end.
    var reasons: Set<String> {
        switch self {
        case .contentTooShort: ["truncated", "malformedResponse", "connectionLost"]
        case .contentTooLong, .noStatus, .capitals, .connectionField, .contentFirst:
            ["malformedResponse", "connectionLost"]
        case .resetBeforeAnswer, .resetInBody: ["connectionLost", "malformedResponse"]
        case .goAwayInBody, .closedInBody: ["connectionLost", "truncated", "malformedResponse"]
        case .closedInHead, .closedBeforeAnswer: ["connectionLost"]
        case .garbage, .unreadableHead, .http1, .hugeFrame, .unaskedPush, .unknownStream, .windowOverflow:
            ["malformedResponse", "connectionLost"]
        case .informationalStorm: ["tooManyInformational"]
        case .headerFlood: ["headersTooLarge", "malformedResponse", "connectionLost"]
        case .endlessBody: ["bodyTooLarge"]
        case .silence, .emptyFrames: ["timedOut", "malformedResponse", "connectionLost"]
        case .pingFlood, .settingsFlood: []
        }
    }

    /// Ends by time alone.
    var needsTime: Bool { [.silence, .emptyFrames].contains(self) }

    static func frame(_ type: UInt8, _ flags: UInt8 = 0, stream: UInt32 = 1, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
            + [24, 16, 8, 0].map { UInt8(stream >> UInt32($0) & 255) } + payload
    }

    /// `:status 200`, the static table's number 8 (RFC 7541, appendix A).
    private static let ok: [UInt8] = [0x88]
    /// `:status 103`: a literal under the same name.
    private static let hint: [UInt8] = [0x08, 3] + Array("103".utf8)

    private static func literal(_ name: String, _ value: String) -> [UInt8] {
        [0x00, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    /// An answer as it should be.
    static func good(stream: UInt32) -> [UInt8] {
        frame(1, 4, stream: stream, ok) + frame(0, 1, stream: stream, Array("good".utf8))
    }

    /// What is written in the place of an answer; whether the connection stays.
    func play(_ connection: TLSServerConnection, _ stream: UInt32) async throws(TLSError) -> Bool {
        func send(_ bytes: [UInt8]) async throws(TLSError) { try await connection.write(bytes) }
        func frame(_ type: UInt8, _ flags: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
            Self.frame(type, flags, stream: stream, payload)
        }
        func repeating(_ bytes: [UInt8], _ count: Int) async throws(TLSError) {
            for _ in 0..<count { try await connection.write(bytes) }
        }
        let head = frame(1, 4, Self.ok)
        let content = frame(0, 0, Array("part".utf8))
        let error: [UInt8] = [0, 0, 0, 2]
        switch self {
        case .contentTooShort:
            try await send(frame(1, 4, Self.ok + Self.literal("content-length", "100")) + frame(0, 1, [1]))
        case .contentTooLong:
            try await send(frame(1, 4, Self.ok + Self.literal("content-length", "2")) + frame(0, 1, [1, 2, 3]))
        case .resetBeforeAnswer: try await send(frame(3, 0, error))
        case .resetInBody: try await send(head + content + frame(3, 0, error))
        case .goAwayInBody:
            try await send(head + content + Self.frame(7, stream: 0, [0, 0, 0, 1] + error))
            return false
        case .closedInBody:
            try await send(head + content)
            return false
        case .closedInHead:
            try await send(frame(1, 0, Self.ok))
            return false
        case .closedBeforeAnswer: return false
        case .garbage: try await send((0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
        case .unreadableHead: try await send(frame(1, 4, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
        case .http1: try await send(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour".utf8))
        case .hugeFrame: try await send([0xFF, 0xFF, 0xFF, 0, 0] + Array(head[5..<9]))
        case .informationalStorm: try await repeating(frame(1, 4, Self.hint), 1_000)
        case .headerFlood:
            let lines = (0..<100).flatMap { Self.literal("x-\($0)", String(repeating: "x", count: 100)) }
            try await send(frame(1, 0, Self.ok + lines))
            try await repeating(frame(9, 0, lines), 2_000)
        case .endlessBody:
            try await send(head)
            try await repeating(frame(0, 0, Array(repeating: 0x61, count: 16_384)), 200)
        case .noStatus: try await send(frame(1, 5, Self.literal("x-test", "1")))
        case .unaskedPush: try await send(frame(5, 4, [0, 0, 0, 2, 0x82, 0x84, 0x87]) + head)
        case .contentFirst: try await send(content)
        case .unknownStream: try await send(Self.frame(1, 4, stream: 99, Self.ok))
        case .capitals: try await send(frame(1, 4, Self.ok + Self.literal("X-Test", "1")))
        case .connectionField: try await send(frame(1, 4, Self.ok + Self.literal("connection", "close")))
        case .pingFlood: try await repeating(Self.frame(6, stream: 0, Array(repeating: 7, count: 8)), 5_000)
        case .settingsFlood: try await repeating(Self.frame(4, stream: 0), 5_000)
        case .emptyFrames:
            try await send(head)
            try await repeating(frame(0), 20_000)
        case .silence: break
        case .windowOverflow: try await send(Self.frame(8, stream: 0, [0x7F, 0xFF, 0xFF, 0xFF]))
        }
        if [.pingFlood, .settingsFlood].contains(self) { try await send(Self.good(stream: stream)) }
        return true
    }

    /// Does this to the first request, and answers the others.
    var script: TLSServerConfiguration.Handler {
        let isDone = Protected(false)
        return { connection throws(TLSError) in
            var buffer: [UInt8] = []
            func fill(_ count: Int) async throws(TLSError) -> Bool {
                while buffer.count < count {
                    let part = try await connection.read()
                    if part.isEmpty { return false }
                    buffer += part
                }
                return true
            }
            guard try await fill(24) else { return }
            buffer.removeFirst(24)
            try await connection.write(Self.frame(4, stream: 0))
            while try await fill(9) {
                let length = Int(buffer[0]) << 16 | Int(buffer[1]) << 8 | Int(buffer[2])
                let (type, flags) = (buffer[3], buffer[4])
                let stream = buffer[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                guard try await fill(9 + length) else { return }
                buffer.removeFirst(9 + length)
                if type == 4, flags & 1 == 0 { try await connection.write(Self.frame(4, 1, stream: 0)) }
                guard type == 1 else { continue }
                let isFirst = isDone.withLock { done in
                    defer { done = true }
                    return !done
                }
                if isFirst {
                    guard try await play(connection, stream) else { return }
                } else {
                    try await connection.write(Self.good(stream: stream))
                }
            }
        }
    }
}

@Suite("Servers that are wrong in HTTP/2")
struct HTTP2FaultTests {
    @Test(
        "each ends with a typed error or the right answer, and leaves the session usable",
        arguments: HTTP2Fault.allCases)
    func outcome(_ fault: HTTP2Fault) async throws {
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.script = fault.script
        }
        let session = try Session.tests(server) { $0.maximumBodySize = 1 << 20 }
        // What means the same twice could be sent again; this may not be.
        var request = Request.post("", body: .text("once"))
        if fault.needsTime {
            // Counted from when it is out: the fault is for this request, however busy the machine is.
            request.timeouts.firstByte = .seconds(2)
            request.timeouts.idle = .seconds(2)
        }
        do throws(SessionError) {
            let response = try await session.send(request)
            #expect(String(decoding: response.body, as: UTF8.self) == "good")
            #expect(fault.reasons.isEmpty, "\(response.statusCode) \(response.headers)")
        } catch {
            let name = String("\(error.reason)".prefix { $0.isLetter })
            #expect(fault.reasons.contains(name) || (fault.reasons.isEmpty && name != "other"), "\(error)")
            #expect(!error.remedy.isEmpty)
        }
        #expect(try await session.text() == "good")
        await server.stop()
    }
}
