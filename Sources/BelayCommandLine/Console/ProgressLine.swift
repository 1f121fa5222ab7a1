import Glibc

/// A line on standard error that counts up while something takes its time. Nothing is drawn unless that is a terminal.
struct ProgressLine: Sendable {
    private let steps: AsyncStream<Void>.Continuation
    private let drawing: Task<Void, Never>

    /// Starts at none of `total`.
    init(total: Int, _ unit: String) {
        let (stream, steps) = AsyncStream.makeStream(of: Void.self)
        self.steps = steps
        let isTerminal = isatty(STDERR_FILENO) == 1
        drawing = Task {
            var count = 0
            for await _ in stream {
                count += 1
                guard isTerminal, count == total || count.isMultiple(of: 8) else { continue }
                Self.write("\r\(count) of \(total) \(unit)")
            }
            // Takes the line away again: what counts is the result.
            if isTerminal && count > 0 { Self.write("\r\u{1B}[K") }
        }
    }

    /// One more is done; any thread may say so.
    func step() { steps.yield() }

    /// Takes the line away.
    func end() async {
        steps.finish()
        await drawing.value
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
