/// The lines of a header as they came, without their ends: one piece of memory for all.
struct HeaderBlock: Sendable, Hashable {
    private(set) var bytes: [UInt8] = []
    private var ends: [Int] = []

    var count: Int { ends.count }
    var isEmpty: Bool { ends.isEmpty }

    subscript(index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

    mutating func append(_ line: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: line)
        ends.append(bytes.count)
    }

    /// Hands out each line in turn, without copying it.
    func forEach(_ take: (UnsafeBufferPointer<UInt8>) -> Void) {
        bytes.withUnsafeBufferPointer { all in
            var start = 0
            for end in ends {
                take(UnsafeBufferPointer(rebasing: all[start..<end]))
                start = end
            }
        }
    }

    /// The values of a field, in order, without the space around them.
    ///
    /// - Parameter name: in lower case.
    func values(of name: String) -> [ArraySlice<UInt8>] {
        let name = Array(name.utf8)
        return (0..<count).compactMap { index in
            let line = self[index]
            guard line.count > name.count, line[line.startIndex + name.count] == UInt8(ascii: ":"),
                zip(line, name).allSatisfy({ $0 | 0x20 == $1 })
            else { return nil }
            return line.dropFirst(name.count + 1)
        }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// Room for a header of the usual size.
    mutating func reserveUsual() {
        bytes.reserveCapacity(512)
        ends.reserveCapacity(16)
    }
}
