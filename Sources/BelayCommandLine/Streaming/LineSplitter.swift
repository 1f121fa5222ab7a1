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
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0A) {
            take(rest[..<end])
            endLine()
            rest = rest[(end + 1)...]
        }
        take(rest)
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

    private mutating func take(_ part: Slice<UnsafeRawBufferPointer>) {
        guard !isSkipping else { return }
        guard pending.count + part.count <= limit else {
            isSkipping = true
            pending = []
            return
        }
        pending.append(contentsOf: UnsafeRawBufferPointer(rebasing: part))
    }

    private mutating func endLine() {
        lines.append(isSkipping ? .tooLong : .bytes(pending))
        isSkipping = false
        pending.removeAll(keepingCapacity: false)
    }
}
