/// Finds the key that somebody may have meant.
enum Spelling {
    /// The key of `level` that `text` is nearest to, else that of another dictionary; nil where none is near.
    static func suggestion(for text: String, at level: TransportSecurityKey.Level) -> String? {
        guard text.utf8.count <= 100 else { return nil }
        let here = nearest(to: text, among: level.keys)
        if let here { return here }
        return nearest(to: text, among: TransportSecurityKey.Level.allCases.flatMap(\.keys))
    }

    /// The nearest of some keys, where it is near enough to be meant: what people type by mistake are single letters, the name
    /// that Xcode shows ("Allow Arbitrary Loads"), and another case.
    static func nearest(to text: String, among keys: [String]) -> String? {
        let given = essence(text)
        guard !given.isEmpty else { return nil }
        var best: (key: String, distance: Int)?
        for key in keys {
            let wanted = essence(key)
            let limit = max(1, min(3, wanted.count / 6))
            let distance = distance(given, wanted, limit)
            if distance <= limit, distance < best?.distance ?? .max { best = (key, distance) }
        }
        return best?.key
    }

    /// Letters and digits in lower case, without the prefix that all keys have.
    private static func essence(_ text: String) -> [UInt8] {
        let units = lowercasedASCII(text).utf8.filter { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) }
        return units.starts(with: Array("ns".utf8)) ? Array(units.dropFirst(2)) : Array(units)
    }

    /// Levenshtein's distance; anything above `limit` where it is more.
    private static func distance(_ left: [UInt8], _ right: [UInt8], _ limit: Int) -> Int {
        guard abs(left.count - right.count) <= limit else { return limit + 1 }
        var row = Array(0...right.count)
        for (index, unit) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let changed = diagonal + (unit == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
