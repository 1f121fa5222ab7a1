import BelayCertificates
import BelayLaboratory
import BelayTLS
import TestSupport

/// As much of an HTTP/2 server (RFC 9113) as an honest client needs: it answers every stream, many at a time, with contents that fit
/// into one frame. Heads of requests are not decoded.
struct HTTP2Service: Sendable {
    let service: RawService
    /// How many streams are open.
    private let open = Protected(0)

    init(service: RawService) {
        self.service = service
    }

    /// Types of frames (section 6).
    private enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case resetStream = 3
        case settings = 4
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        case continuation = 9
    }

    private struct Frame {
        let kind: UInt8
        let flags: UInt8
        let stream: Int
        let payload: [UInt8]
    }

    private static let endsStream: UInt8 = 1
    private static let isAcknowledgement: UInt8 = 1
    private static let endsHeaders: UInt8 = 4
    /// REFUSED_STREAM (section 7).
    private static let refusedStream = 7
    /// INTERNAL_ERROR (section 7).
    private static let internalError = 2
    /// 24 bytes (section 3.4).
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    func serve() async throws(TLSError) {
        let (output, writer) = AsyncStream.makeStream(of: [UInt8].self)
        let failure = await withTaskGroup(of: TLSError?.self) { group in
            // One task writes, since many answer.
            group.addTask {
                // Nothing may come before the settings (section 3.4).
                await service.setup.settingsLatch?.wait()
                for await bytes in output {
                    do throws(TLSError) { try await service.connection.write(bytes) } catch { return error }
                }
                if service.setup.turnsDown == .goodbyeAndCut {
                    await service.connection.cut()
                } else {
                    await service.connection.close()
                }
                return nil
            }
            var failure: TLSError?
            do throws(TLSError) { try await read(writer, &group) } catch  where error.reason != .closed {
                failure = error
            } catch {}
            writer.finish()
            if failure != nil { group.cancelAll() }
            for await error in group { failure = failure ?? error }
            return failure
        }
        if let failure { throw failure }
    }

    private func read(
        _ writer: AsyncStream<[UInt8]>.Continuation, _ group: inout TaskGroup<TLSError?>
    ) async throws(TLSError) {
        var buffer: [UInt8] = []
        var contents: [Int: [UInt8]] = [:]
        /// Requests that came before the client had read the settings. They are answered when it says that it has: only then does it
        /// hold to the limit of streams.
        var early: [(stream: Int, request: HTTPRequest)] = []
        var isAgreed = false
        /// The stream whose head goes on in the next frame, and whether it is over with that.
        var unfinished: (stream: Int, ends: Bool)?
        guard try await fill(&buffer, to: Self.preface.count), buffer.starts(with: Self.preface) else { return }
        buffer.removeFirst(Self.preface.count)
        // SETTINGS_MAX_CONCURRENT_STREAMS (section 6.5.2).
        let limit = service.setup.maximumStreams.map { [0, 3] + Self.number($0, bytes: 4) } ?? []
        let settings = Self.frame(.settings, 0, stream: 0, limit)
        writer.yield(settings)
        while let frame = try await next(&buffer) {
            let ended: Int?
            switch Kind(rawValue: frame.kind) {
            case .settings where frame.flags & Self.isAcknowledgement == 0:
                writer.yield(Self.frame(.settings, Self.isAcknowledgement, stream: 0, []))
                ended = nil
            case .settings:
                isAgreed = true
                ended = nil
            case .ping where frame.flags & Self.isAcknowledgement == 0:
                writer.yield(Self.frame(.ping, Self.isAcknowledgement, stream: 0, frame.payload))
                ended = nil
            case .headers:
                if let refusal = service.setup.turnsDown, frame.stream > service.setup.answersFirst {
                    await turnDown(frame.stream, refusal, writer)
                    continue
                }
                guard await isAdmitted(frame.stream, writer) else { continue }
                contents[frame.stream] = []
                let ends = frame.flags & Self.endsStream != 0
                if frame.flags & Self.endsHeaders == 0 { unfinished = (frame.stream, ends) }
                ended = ends && unfinished == nil ? frame.stream : nil
            case .continuation where frame.flags & Self.endsHeaders != 0:
                ended = unfinished?.ends == true ? frame.stream : nil
                unfinished = nil
            case .data:
                // What is left of a stream that was refused.
                guard contents[frame.stream] != nil else { continue }
                contents[frame.stream, default: []] += frame.payload
                for stream in [0, frame.stream] where !frame.payload.isEmpty {
                    writer.yield(
                        Self.frame(.windowUpdate, 0, stream: stream, Self.number(frame.payload.count, bytes: 4)))
                }
                ended = frame.flags & Self.endsStream != 0 ? frame.stream : nil
            case .goAway: return
            default: ended = nil
            }
            if let ended {
                early.append(
                    (ended, HTTPRequest(method: "", target: "", content: contents.removeValue(forKey: ended) ?? [])))
            }
            guard isAgreed || service.setup.refusesStreams else { continue }
            for (stream, request) in early {
                group.addTask {
                    await answer(request, on: stream, writer)
                    return nil
                }
            }
            early.removeAll()
        }
    }

    /// Whether a stream may be opened; one that may not is refused, and nothing of it was processed (section 8.7).
    private func isAdmitted(_ stream: Int, _ writer: AsyncStream<[UInt8]>.Continuation) async -> Bool {
        let limit = service.setup.refusesStreams ? service.setup.maximumStreams ?? .max : .max
        let isAdmitted = open.withLock { open in
            guard open < limit else { return false }
            open += 1
            return true
        }
        guard !isAdmitted else { return true }
        let number = service.number
        await service.journal.update { $0[number].refusedStreams += 1 }
        writer.yield(Self.frame(.resetStream, 0, stream: stream, Self.number(Self.refusedStream, bytes: 4)))
        return false
    }

    private func turnDown(
        _ stream: Int, _ refusal: RawTLSServer.StreamRefusal, _ writer: AsyncStream<[UInt8]>.Continuation
    ) async {
        let number = service.number
        await service.journal.update { $0[number].refusedStreams += 1 }
        guard refusal != .reset else {
            writer.yield(Self.frame(.resetStream, 0, stream: stream, Self.number(Self.refusedStream, bytes: 4)))
            return
        }
        guard refusal != .failure else {
            let reset = Self.frame(.resetStream, 0, stream: stream, Self.number(Self.internalError, bytes: 4))
            let last = Self.number(stream, bytes: 4) + Self.number(0, bytes: 4)
            writer.yield(reset + Self.frame(.goAway, 0, stream: 0, last))
            return
        }
        // The stream was not looked at, and there is no error.
        let last = Self.number(service.setup.answersFirst, bytes: 4) + Self.number(0, bytes: 4)
        writer.yield(Self.frame(.goAway, 0, stream: 0, last))
        writer.finish()
    }

    private func answer(
        _ request: HTTPRequest, on stream: Int, _ writer: AsyncStream<[UInt8]>.Continuation
    ) async {
        let answer = await service.answer(request)
        open.withLock { $0 -= 1 }
        guard !answer.isDropped else { return writer.finish() }
        for part in wireForm(answer, stream: stream) { writer.yield(part) }
        guard answer.closes else { return }
        // The last stream that was served, and no error (section 6.8).
        let payload = Self.number(stream, bytes: 4) + Self.number(0, bytes: 4)
        writer.yield(Self.frame(.goAway, 0, stream: 0, payload))
        writer.finish()
    }

    private func next(_ buffer: inout [UInt8]) async throws(TLSError) -> Frame? {
        guard try await fill(&buffer, to: 9) else { return nil }
        let length = Int(buffer[0]) << 16 | Int(buffer[1]) << 8 | Int(buffer[2])
        guard try await fill(&buffer, to: 9 + length) else { return nil }
        let stream = buffer[5..<9].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        let frame = Frame(kind: buffer[3], flags: buffer[4], stream: stream, payload: Array(buffer[9..<(9 + length)]))
        buffer.removeFirst(9 + length)
        return frame
    }

    private func fill(_ buffer: inout [UInt8], to count: Int) async throws(TLSError) -> Bool {
        while buffer.count < count {
            let bytes = try await service.connection.read()
            await service.count(bytes.count)
            guard !bytes.isEmpty else { return false }
            buffer += bytes
        }
        return true
    }

    /// An answer in parts that those of other streams may come between.
    private func wireForm(_ answer: HTTPAnswer, stream: Int) -> [[UInt8]] {
        let size = service.setup.longestFrame
        let fields = [(":status", "\(answer.status)")] + answer.fields.map { ($0.name.lowercased(), $0.value) }
        // Literal fields without indexing, their names literal as well (RFC 7541, section 6.2.2).
        let block: [UInt8] = fields.flatMap { (name, value) -> [UInt8] in [0] + Self.text(name) + Self.text(value) }
        // A block that is longer than a frame goes on in others, and nothing comes between (RFC 9113, section 6.10).
        var head: [UInt8] = []
        for start in stride(from: 0, to: block.count, by: size) {
            let end = min(start + size, block.count)
            var flags = end == block.count ? Self.endsHeaders : 0
            if start == 0, answer.content.isEmpty { flags |= Self.endsStream }
            head += Self.frame(start == 0 ? .headers : .continuation, flags, stream: stream, Array(block[start..<end]))
        }
        var parts = [head]
        for start in stride(from: 0, to: answer.content.count, by: size) {
            let end = min(start + size, answer.content.count)
            let flags = end == answer.content.count ? Self.endsStream : 0
            parts.append(Self.frame(.data, flags, stream: stream, Array(answer.content[start..<end])))
        }
        if parts.count > 1 { parts[0...1] = [parts[0] + parts[1]] }
        return parts
    }

    /// A string without Huffman codes (RFC 7541, sections 5.1 and 5.2).
    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return length + [UInt8(rest)] + bytes
    }

    private static func frame(_ kind: Kind, _ flags: UInt8, stream: Int, _ payload: [UInt8]) -> [UInt8] {
        number(payload.count, bytes: 3) + [kind.rawValue, flags] + number(stream, bytes: 4) + payload
    }

    private static func number(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
