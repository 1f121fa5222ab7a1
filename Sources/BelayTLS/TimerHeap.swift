/// Deadlines in order, the nearest first.
///
/// Entries are not removed when their wait ends otherwise: they are skipped at the top, and swept out once they outnumber
/// the living ones. Most waits end before their deadline, and removal would cost each of them a search.
struct TimerHeap {
    struct Entry {
        let deadline: Deadline
        let identifier: UInt64
    }

    private var entries: [Entry] = []

    var first: Entry? { entries.first }
    var count: Int { entries.count }

    mutating func insert(
        _ deadline: Deadline, _ identifier: UInt64, liveCount: Int, isLive: (UInt64) -> Bool
    ) {
        if entries.count > 64, entries.count / 2 > liveCount {
            // A sorted array is a heap.
            entries = entries.filter { isLive($0.identifier) }.sorted { $0.deadline < $1.deadline }
        }
        entries.append(Entry(deadline: deadline, identifier: identifier))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].deadline < entries[parent].deadline else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].deadline < entries[smallest].deadline {
                smallest = child
            }
            guard smallest != parent else { return }
            entries.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
