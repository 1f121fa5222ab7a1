import CExpat

/// Why an XML document is not read, and in which line.
struct XMLFault {
    let reason: Reason
    let line: Int

    enum Reason {
        /// Its encoding, in words.
        case encoding(String)
        /// Its version of XML.
        case version(String)
        /// Something in it, up to its end, is longer than is read.
        case tooLong(limit: Int)
        /// An end tag of another element than the open one.
        case mismatch(String)
        /// Bytes that mean nothing where they stand; those before them say more.
        case invalid([UInt8], behind: [UInt8], isUTF8: Bool)
        /// What else Expat refuses.
        case code(XML_Error)
    }

    /// What was found, and what was expected instead.
    ///
    /// - Parameter open: the element that is open, and its line.
    func words(open: (name: String, line: Int?)?) -> (found: String, expected: String) {
        let end = open.map { open in "</\(open.name)>" + (open.line.map { " for <\(open.name)> in line \($0)" } ?? "") }
        switch reason {
        case .encoding(let problem): return (problem, "UTF-8")
        case .version(let version): return ("version '\(version)' of XML", "1.0")
        case .tooLong(let limit):
            return ("a tag, comment or the like of more than \(limit / 1_000_000) MB", "a shorter one")
        case .mismatch(let name): return ("</\(name)>", end ?? "no end tag")
        case .invalid(let ahead, let behind, let isUTF8): return Self.words(ahead, behind, isUTF8)
        case .code(XML_ERROR_NO_ELEMENTS): return ("the end of the file", end ?? "an element")
        case .code(let code): return Self.words(code)
        }
    }

    /// What is wrong with bytes that mean nothing.
    private static func words(
        _ ahead: [UInt8], _ behind: [UInt8], _ isUTF8: Bool
    ) -> (found: String, expected: String) {
        guard let first = ahead.first else { return ("the end of the file", "the rest of a character") }
        if let start = behind.lastIndex(of: UInt8(ascii: "&")), behind[(start + 1)...].allSatisfy(isNameUnit) {
            return ("& that is no reference", "&amp; for the character &")
        }
        if behind.last == UInt8(ascii: "<") { return ("< that begins no tag", "&lt; for the character <") }
        if behind.suffix(2).elementsEqual("]]".utf8) { return ("]]> in text", "]]&gt;") }
        if behind.suffix(2).elementsEqual("--".utf8) { return ("-- in a comment", "its end or other characters") }
        if first < 0x20 { return ("the control character \(first)", "characters that XML has") }
        let character = String(decoding: ahead.prefix(4), as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
        guard first < 0x80 || isUTF8 && character != "\u{FFFD}" else {
            return (
                "bytes that are not in the encoding of the document",
                "UTF-8, or an XML declaration that names the encoding"
            )
        }
        return ("'\(character)' where it means nothing", "well-formed XML")
    }

    private static func isNameUnit(_ unit: UInt8) -> Bool {
        switch unit {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "#"), 0x80...:
            true
        default: false
        }
    }

    private static func words(_ code: XML_Error) -> (found: String, expected: String) {
        switch code {
        case XML_ERROR_NO_MEMORY: ("more than there is memory for", "a smaller file")
        case XML_ERROR_SYNTAX: ("something that has no place here", "well-formed XML")
        case XML_ERROR_UNCLOSED_TOKEN: ("the end of the file inside a tag, comment or reference", "its end")
        case XML_ERROR_UNCLOSED_CDATA_SECTION: ("the end of the file inside <![CDATA[", "]]>")
        case XML_ERROR_PARTIAL_CHAR: ("the end of the file inside a character", "the rest of it")
        case XML_ERROR_DUPLICATE_ATTRIBUTE: ("an attribute twice in one tag", "every attribute once")
        case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: ("something behind the last end tag", "the end of the file")
        case XML_ERROR_BAD_CHAR_REF: ("a reference to a character that XML does not have", "one that it has")
        case XML_ERROR_MISPLACED_XML_PI:
            ("<?xml ?> behind the beginning of the file", "it at the very beginning, or not at all")
        case XML_ERROR_XML_DECL: ("a malformed XML declaration", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        case XML_ERROR_UNKNOWN_ENCODING:
            ("an encoding that it is not in", "the encoding of the document in its first line")
        case XML_ERROR_PUBLICID: ("a public identifier with characters that it cannot have", "Apple's or none")
        default:
            (XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue) of Expat", "well-formed XML")
        }
    }
}
