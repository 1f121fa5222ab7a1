/// Tells in which dictionaries a place of a broken XML property list is, so that people find it.
enum XMLKeyPath {
    /// The keys of the dictionaries that are open before a byte, as far as that can be told of a file that cannot be read; none where
    /// the place is not known.
    static func keys(in bytes: [UInt8], before offset: Int?) -> [String] {
        guard let offset, offset <= bytes.count, offset <= 1_048_576 else { return [] }
        var open: [String?] = []
        var key: String?
        var rest = bytes[..<offset]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if rest.starts(with: Array("<!--".utf8)) {
                // Comments may hold anything.
                guard let end = rest.indices.first(where: { rest[$0...].starts(with: Array("-->".utf8)) }) else {
                    break
                }
                rest = rest[(end + 3)...]
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { break }
            let tag = String(decoding: rest[(start + 1)..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            switch tag {
            case "dict", "array":
                open.append(key)
                key = nil
                guard open.count <= 64 else { return [] }
            case "/dict", "/array": _ = open.popLast()
            case "key": key = String(decoding: rest.prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self)
            default: break
            }
        }
        return open.compactMap(\.self)
    }
}
