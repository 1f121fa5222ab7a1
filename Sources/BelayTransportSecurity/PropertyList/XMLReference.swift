/// References to entities in markup.
enum XMLReference {
    /// The first entity that markup refers to and XML does not define itself; nil where there is none.
    static func firstUndefined(in markup: some Collection<UInt8>) -> String? {
        var rest = markup[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            rest = rest[start...].dropFirst()
            let name = name(rest)
            if !name.hasPrefix("#"), !predefined.contains(name) { return name }
        }
        return nil
    }

    /// The name that bytes begin with, up to its semicolon.
    static func name(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.prefix(256).prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
    }

    /// XML 1.0, section 4.6.
    private static let predefined = ["amp", "lt", "gt", "apos", "quot"]
}
