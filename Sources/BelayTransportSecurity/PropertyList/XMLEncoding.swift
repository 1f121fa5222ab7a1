/// The encoding of an XML document (XML 1.0, section 4.3.3 and appendix F): what its first bytes show, and what it declares.
///
/// UTF-8, UTF-16, Latin-1 and ASCII are read. What else there is would need tables from outside, which the document would choose.
struct XMLEncoding {
    /// Why the document is not read; nil where it is.
    private(set) var problem: String?
    /// Expat's name of the encoding that the document declares by another one.
    private(set) var otherName: String?
    /// Whether it is UTF-8 by its first bytes and by its declaration.
    private(set) var isUTF8: Bool

    private let hasUTF8Mark: Bool
    /// Whether it is UTF-16.
    let isWide: Bool

    /// Looks at the first four bytes.
    init(firstBytes bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        let hasMark = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
        let isBare = bytes == [0x00, 0x3C, 0x00, 0x3F] || bytes == [0x3C, 0x00, 0x3F, 0x00]
        isWide = hasMark || isBare
        isUTF8 = !isWide
        hasUTF8Mark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let isUTF32 = bytes == [0xFF, 0xFE, 0x00, 0x00] || bytes.starts(with: [0x00, 0x00])
        if isUTF32 || !isWide && bytes.contains(0) {
            problem =
                "it is neither in UTF-8 nor in UTF-16 with a byte-order mark or an XML declaration; "
                + "convert it with plutil -convert xml1, or with iconv"
        }
    }

    /// Takes the name that the document declares.
    mutating func declare(_ name: String) {
        let upper = name.uppercased()
        guard let known = Self.known[upper] else {
            problem =
                "it is in the encoding '\(name)', which is not read; convert it with plutil -convert xml1, "
                + "or with iconv -f \(name) -t UTF-8 and encoding=\"UTF-8\" in its first line"
            return
        }
        if isWide != known.hasPrefix("UTF-16") || hasUTF8Mark && known != "UTF-8" {
            let found = isWide ? "in UTF-16" : hasUTF8Mark ? "in UTF-8 by its byte-order mark" : "not"
            problem = "it says that it is in the encoding '\(name)', and is \(found); correct its first line"
            return
        }
        isUTF8 = known == "UTF-8"
        otherName = known == upper ? nil : known
    }

    /// Names of encodings in capitals, the usual aliases among them, and Expat's for each.
    private static let known = [
        "UTF-8": "UTF-8", "UTF8": "UTF-8", "UTF-16": "UTF-16", "UTF16": "UTF-16", "UTF-16LE": "UTF-16LE",
        "UTF-16BE": "UTF-16BE", "ISO-8859-1": "ISO-8859-1", "ISO8859-1": "ISO-8859-1", "ISO_8859-1": "ISO-8859-1",
        "LATIN1": "ISO-8859-1", "LATIN-1": "ISO-8859-1", "ISO-LATIN-1": "ISO-8859-1", "US-ASCII": "US-ASCII",
        "ASCII": "US-ASCII",
    ]
}
