import BelayArguments
import BelayCertificates
import BelayTransportSecurity
import BelayTrust
import FoundationEssentials
import Glibc

/// `belay trust evaluate --ndjson` and `belay ats decide --ndjson`: answers cases as they come, in their order.
///
/// Input is read in large pieces, and everything that is complete is answered before more is waited for, so that whoever
/// writes one case and waits gets its answer, and whoever writes many loses no time. Cases are judged on all processors; a
/// batch bounds what is in memory.
struct CaseStream {
    let console: Console
    /// Who answers a line.
    let judge: any LineJudge
    /// The most bytes of a line.
    var lineLimit = 16 << 20

    private static let pieceSize = 256 << 10
    /// The most lines that are judged between two writes.
    private static let batchSize = 256
    /// Below this many lines, starting tasks costs more than it gains.
    private static let parallelFrom = 8

    /// Answers until the input ends.
    ///
    /// - Returns: whether every line was a case.
    func run(reading descriptor: Int32 = STDIN_FILENO) async throws -> Bool {
        var splitter = LineSplitter(limit: lineLimit)
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        var lineNumber = 0
        var isClean = true
        while true {
            let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw console.fail("standard input: \(strerror(errno).map { String(cString: $0) } ?? "cannot be read")")
            }
            if count == 0 { splitter.finish() }
            piece.withUnsafeBytes { splitter.feed(UnsafeRawBufferPointer(rebasing: $0[..<max(count, 0)])) }
            let lines = splitter.takeLines().map { line in
                lineNumber += 1
                return (lineNumber, line)
            }
            var start = 0
            while start < lines.count {
                let end = min(start + Self.batchSize, lines.count)
                let answers = try await Self.answers(to: Array(lines[start..<end]), judge)
                isClean = isClean && answers.allSatisfy(\.isCase)
                var output: [UInt8] = []
                output.reserveCapacity(answers.reduce(0) { $0 + $1.bytes.count })
                for answer in answers { output.append(contentsOf: answer.bytes) }
                try console.write(output)
                start = end
            }
            if count == 0 { return isClean }
        }
    }

    private static func answers(
        to lines: [(number: Int, line: LineSplitter.Line)], _ judge: any LineJudge
    ) async throws -> [LineAnswer] {
        let workers = min(ProcessInfo.processInfo.activeProcessorCount, lines.count / (parallelFrom / 2))
        guard workers > 1 else { return try lines.map { try judge.answer($0.line, number: $0.number) } }
        return try await withThrowingTaskGroup(of: (Int, [LineAnswer]).self) { group in
            // Small shares, so that one hard case does not leave the other workers idle.
            let share = max(lines.count / (workers * 4), 1)
            for start in stride(from: 0, to: lines.count, by: share) {
                let part = Array(lines[start..<min(start + share, lines.count)])
                group.addTask {
                    (start, try part.map { try judge.answer($0.line, number: $0.number) })
                }
            }
            var parts: [(Int, [LineAnswer])] = []
            for try await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }
}

/// Answers lines of cases, from any thread.
protocol LineJudge: Sendable {
    /// Answers a line that is not blank.
    ///
    /// - Throws: ``LineRefusal`` where it is no case.
    func answer(_ line: [UInt8]) throws -> [UInt8]
}

/// A line that is no case.
struct LineRefusal: Error {
    /// The case's name, where it could be read.
    let id: String?
    /// What is wrong.
    let message: String
}

/// A line of output.
struct LineAnswer: Sendable {
    /// JSON and a line break; nothing for a blank line.
    let bytes: [UInt8]
    /// Whether the line was a case.
    let isCase: Bool
}

extension LineJudge {
    /// Answers a line. A blank one is passed over, as most programs that write lines leave one somewhere.
    func answer(_ line: LineSplitter.Line, number: Int) throws -> LineAnswer {
        guard case .bytes(let bytes) = line else {
            return try refused(LineRefusal(id: nil, message: "the line is longer than 16 MiB"), number)
        }
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return LineAnswer(bytes: [], isCase: true) }
        do {
            return LineAnswer(bytes: try answer(bytes) + [0x0A], isCase: true)
        } catch let refusal as LineRefusal {
            return try refused(refusal, number)
        }
    }

    private func refused(_ refusal: LineRefusal, _ number: Int) throws -> LineAnswer {
        let report = RefusalReport(id: refusal.id, error: RefusalReport.Fault(line: number, message: refusal.message))
        return LineAnswer(bytes: try JSONText.encode(report) + [0x0A], isCase: false)
    }
}

/// Judges trust cases.
final class TrustCaseJudge: LineJudge {
    private let cache = TrustCache()
    private let systemAnchors = Protected<Result<AnchorStore, SystemAnchorsError>?>(nil)

    func answer(_ line: [UInt8]) throws -> [UInt8] {
        let trustCase: TrustCase
        do throws(TrustCaseError) {
            trustCase = try TrustCase(json: line, systemAnchors: loadSystemAnchors, cache: cache)
        } catch {
            throw LineRefusal(id: error.id, message: error.message)
        }
        return try JSONText.encode(trustCase.evaluate())
    }

    /// The machine's anchors, loaded when the first case wants them.
    private func loadSystemAnchors() throws(SystemAnchorsError) -> AnchorStore {
        let loaded = systemAnchors.withLock { stored in
            if let stored { return stored }
            let made = Result { () throws(SystemAnchorsError) in try SystemAnchors.load() }
            stored = made
            return made
        }
        return try loaded.get()
    }
}

/// Answers questions about App Transport Security.
struct TransportSecurityCaseJudge: LineJudge {
    func answer(_ line: [UInt8]) throws -> [UInt8] {
        let read: TransportSecurityCase
        do throws(TransportSecurityCaseError) {
            read = try TransportSecurityCase(json: line)
        } catch {
            throw LineRefusal(id: error.id, message: error.message)
        }
        return try JSONText.encode(read.answer())
    }
}

/// A refused line in JSON.
private struct RefusalReport: Encodable {
    let id: String?
    let error: Fault

    struct Fault: Encodable {
        let line: Int
        let message: String
    }

    private enum Key: String, CodingKey { case id, error }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(error, forKey: .error)
    }
}
