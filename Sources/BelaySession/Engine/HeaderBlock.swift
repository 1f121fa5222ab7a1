import Glibc

/// The lines of a header as they came: one piece of memory for all.
struct HeaderBlock: Sendable, Hashable {
    /// Each line ends with a line feed, which no line holds otherwise.
    private var bytes: [UInt8] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds a line, without its end.
    mutating func append(_ line: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: line)
        bytes.append(0x0A)
        count += 1
    }

    /// Hands out each line in turn, without its end and without copying it.
    func forEach(_ take: (UnsafeBufferPointer<UInt8>) -> Void) {
        bytes.withUnsafeBufferPointer { all in
            var start = 0
            while start < all.count, let base = all.baseAddress, let end = memchr(base + start, 0x0A, all.count - start)
            {
                let length = UnsafeRawPointer(base + start).distance(to: end)
                take(UnsafeBufferPointer(start: base + start, count: length))
                start += length + 1
            }
        }
    }

    /// The values of a field, in order, with the space around them.
    ///
    /// - Parameter name: in lower case.
    func values(of name: StaticString) -> [[UInt8]] {
        var values: [[UInt8]] = []
        let length = name.utf8CodeUnitCount
        forEach { line in
            guard line.count > length, line[length] == 0x3A,
                (0..<length).allSatisfy({ line[$0].asciiLowercased == name.utf8Start[$0] })
            else { return }
            values.append(Array(line[(length + 1)...]))
        }
        return values
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Room for a header of the usual size.
    mutating func reserveUsual() {
        bytes.reserveCapacity(512)
    }
}
