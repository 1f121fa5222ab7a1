import Glibc

/// Cuts a stream of bytes into lines of a bounded length.
struct LineSplitter {
    /// A line of the stream.
    enum Line: Equatable {
        /// The bytes without the line break.
        case bytes([UInt8])
        /// It was longer than the limit; its bytes are gone.
        case tooLong
    }

    /// The most bytes of a line.
    let limit: Int
    private var pending: [UInt8] = []
    private var isSkipping = false
    private(set) var lines: [Line] = []

    init(limit: Int) { self.limit = limit }

    /// Takes bytes as they come; complete lines are added to ``lines``.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        guard var start = bytes.baseAddress else { return }
        var count = bytes.count
        while count > 0, let end = memchr(start, 0x0A, count) {
            let length = UnsafeRawPointer(end) - start
            take(UnsafeRawBufferPointer(start: start, count: length))
            endLine()
            start = UnsafeRawPointer(end) + 1
            count -= length + 1
        }
        take(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The stream has ended: what is left is a line, unless nothing is.
    mutating func finish() {
        if isSkipping || !pending.isEmpty { endLine() }
    }

    /// Hands out the complete lines.
    mutating func takeLines() -> [Line] {
        defer { lines.removeAll(keepingCapacity: true) }
        return lines
    }

    private mutating func take(_ part: UnsafeRawBufferPointer) {
        guard !isSkipping else { return }
        guard pending.count + part.count <= limit else {
            isSkipping = true
            pending = []
            return
        }
        pending.append(contentsOf: part)
    }

    private mutating func endLine() {
        lines.append(isSkipping ? .tooLong : .bytes(pending))
        isSkipping = false
        pending.removeAll(keepingCapacity: false)
    }
}
