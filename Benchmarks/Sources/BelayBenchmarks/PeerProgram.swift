import CPeers
import Glibc

/// A verifier in a process of its own that does what it is told and measures itself, so that its start counts nothing and its
/// figures are its own: see `Benchmarks/Peers`.
final class PeerProgram {
    /// What the program says it is, with its version.
    let description: String
    private let process: Int32
    private let conversation: Int32
    private var unread: [UInt8] = []

    /// Starts a program with a file of certificates, and waits for its first line.
    init(_ arguments: [String]) throws {
        var conversation: Int32 = -1
        process = try Scratch.withArguments(arguments) { peer_start_talking($0, &conversation) }
        guard process > 0 else { throw BenchmarkError("\(arguments[0]) cannot be started") }
        self.conversation = conversation
        do {
            description = try Self.line(from: conversation, &unread)
        } catch {
            Self.end(process, conversation)
            throw BenchmarkError("\(arguments.joined(separator: " ")): \(error)")
        }
    }

    deinit { Self.end(process, conversation) }

    /// A job of this program's.
    func job(_ job: String, includes: String) -> Job {
        Job(measuredBy: { try self.cost(job, $0) }, name: description, includes: includes)
    }

    private func cost(_ job: String, _ repetitions: Int) throws -> Cost {
        let command = "\(job) \(repetitions)\n"
        guard peer_say(conversation, command, command.utf8.count) == 1 else {
            throw BenchmarkError("\(description) has ended")
        }
        let answer = try Self.line(from: conversation, &unread)
        let seconds = answer.split(separator: " ").compactMap { Double($0) }
        guard seconds.count == 2 else { throw BenchmarkError("\(description): \(answer)") }
        return Cost(wall: seconds[1], processor: seconds[0])
    }

    private static func line(from conversation: Int32, _ unread: inout [UInt8]) throws -> String {
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                defer { unread.removeSubrange(...end) }
                let line = String(decoding: unread[..<end], as: UTF8.self)
                guard !line.hasPrefix("error:") else { throw BenchmarkError(line) }
                return line
            }
            let count = read(conversation, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw BenchmarkError("ended without an answer") }
            unread += piece[..<count]
        }
    }

    private static func end(_ process: Int32, _ conversation: Int32) {
        // The end of its input ends it.
        close(conversation)
        _ = peer_wait(process)
    }
}
