import BelayTransportSecurity
import Foundation
import Testing

@Suite("property lists in XML")
struct XMLPlistTests {
    private func read(_ text: String) throws -> PlistDocument { try PlistReader().read(Array(text.utf8)) }

    private func fault(_ text: String) -> PlistError? { fault(bytes: Array(text.utf8)) }

    private func fault(bytes: [UInt8]) -> PlistError? {
        do throws(PlistError) {
            _ = try PlistReader().read(bytes)
            return nil
        } catch {
            return error
        }
    }

    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    @Test("every kind of value is read, with the place where its tag begins and the bytes that it takes")
    func everyKind() throws {
        let text =
            Self.head + """
                <dict>
                  <!-- a comment -->
                  <key>schön</key> <string>a &amp; b&#x21;<![CDATA[<c>]]></string>
                  <key>n</key><integer> -0x10 </integer><key>r</key><real>1.5</real>
                  <key>b</key><true/><key>c</key><false></false>
                  <key>d</key><data> AQ ID </data><key>t</key><date>2026-01-02T03:04:05Z</date>
                  <key>a</key><array><dict/><string/></array>
                </dict>
                </plist>
                """
        let document = try read(text)
        #expect(document.format == .xml)
        let members = try #require(document.root.members)
        #expect(members.map(\.key) == ["schön", "n", "r", "b", "c", "d", "t", "a"])
        #expect(
            members.map(\.node.value) == [
                .string("a & b!<c>"), .integer(-16), .real(1.5), .boolean(true), .boolean(false), .data([1, 2, 3]),
                .date("2026-01-02T03:04:05Z"), .array(members[7].node.elements),
            ])
        #expect(members[7].node.elements.map(\.value) == [.dictionary([]), .string("")])
        // Columns count characters: the ö before it is one.
        #expect(members[0].keyPosition == PlistPosition(line: 6, column: 3, offset: members[0].keyRange?.lowerBound))
        #expect(members[0].node.position.column == 20)
        let bytes = Array(text.utf8)
        func slice(_ range: Range<Int>?) -> String { range.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "-" }
        #expect(slice(members[0].keyRange) == "<key>schön</key>")
        #expect(slice(members[0].node.range) == "<string>a &amp; b&#x21;<![CDATA[<c>]]></string>")
        #expect(slice(members[3].node.range) == "<true/>")
        #expect(slice(members[4].node.range) == "<false></false>")
        #expect(slice(members[7].node.range) == "<array><dict/><string/></array>")
        #expect(members[7].node.position.line == 10)
        #expect(slice(document.root.range).hasPrefix("<dict>\n"))
    }

    @Test("a value ends in the line in which its end tag does, whatever ends lines", arguments: ["\n", "\r\n", "\r"])
    func endLines(_ end: String) throws {
        let text = "<plist>\n<dict\n>\n<key>a</key>\n<string>b\nc</string\n><key>d</key><true\n/></dict>\n</plist>"
            .replacingOccurrences(of: "\n", with: end)
        let root = try read(text).root
        #expect(root.position.line == 2 && root.endLine == 8)
        #expect(root.members?.map(\.keyPosition.line) == [4, 7])
        #expect(root.members?.map(\.node.position.line) == [5, 7])
        #expect(root.members?.map(\.node.endLine) == [7, 8])
        // Line ends within text are line feeds (XML 1.0, section 2.11).
        #expect(root.members?.first?.node.value == .string("b\nc"))
    }

    @Test("places are right behind the first 64 KiB, behind a mark of the byte order, and with CR LF")
    func places() throws {
        let filler = String(repeating: "<string>0123456789</string>\r\n", count: 9_000)
        let text = "\u{FEFF}<plist><array>\r\n" + filler + "<true/></array></plist>"
        let elements = try read(text).root.elements
        let last = try #require(elements.last)
        #expect(last.position.line == 9_002)
        #expect(last.position.column == 1)
        let bytes = Array(text.utf8)
        #expect(last.range.map { String(decoding: bytes[$0], as: UTF8.self) } == "<true/>")
    }

    @Test("a key that is named twice is there twice")
    func duplicates() throws {
        let members = try read("<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>").root.members
        #expect(members?.map(\.key) == ["a", "a"])
        #expect(members?.map(\.node.value) == [.boolean(true), .boolean(false)])
    }

    @Test("a root without <plist> around it is a property list, as it is for Apple's systems")
    func bareRoot() throws {
        #expect(try read("<dict><key>a</key><true/></dict>").root.members?.count == 1)
        #expect(try read(" \n<array/>").root.value == .array([]))
    }

    /// The same property list in UTF-16.
    private func wide(_ text: String, mark: Bool = true, bigEndian: Bool = false) -> [UInt8] {
        ((mark ? "\u{FEFF}" : "") + text).utf16.flatMap { unit in
            let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            return bigEndian ? bytes.reversed() : bytes
        }
    }

    @Test("UTF-16 and Latin-1 are read; bytes are not told then, lines are", arguments: [false, true])
    func encodings(isBigEndian: Bool) throws {
        let body = "\n<plist>\n<dict><key>ö😀</key><true/></dict\n></plist>"
        for (declaration, mark) in [
            ("<?xml version=\"1.0\" encoding=\"UTF-16\"?>", true),
            ("<?xml version=\"1.0\" encoding=\"UTF-16\"?>", false),
            ("<?xml version=\"1.0\"?>", true),
            ("<?xml version=\"1.0\" encoding=\"UTF-16\(isBigEndian ? "BE" : "LE")\"?>", true),
        ] {
            let root = try PlistReader().read(wide(declaration + body, mark: mark, bigEndian: isBigEndian)).root
            let member = try #require(root.members?.first)
            #expect(member.key == "ö😀")
            #expect(member.keyRange == nil && member.node.range == nil)
            #expect(member.keyPosition.line == 3 && root.endLine == 4)
        }
        for name in ["ISO-8859-1", "iso-8859-1", "latin1"] {
            let latin =
                Array("<?xml version=\"1.0\" encoding=\"\(name)\"?><plist><string>".utf8) + [0xF6]
                + Array("</string></plist>".utf8)
            let root = try PlistReader().read(latin).root
            #expect(root.value == .string("ö") && root.range == nil)
        }
        for name in ["utf-8", "UTF8", "utf8"] {
            let root = try read("<?xml version=\"1.0\" encoding=\"\(name)\"?>\n<plist><string>ö😀</string></plist>").root
            #expect(root.value == .string("ö😀") && root.position.column == 8)
        }
        #expect(
            try read("<?xml version=\"1.0\" encoding=\"ascii\"?><plist><string>o</string></plist>").root.string == "o")
    }

    @Test("an encoding that is not read is named, with what to do")
    func otherEncodings() throws {
        for name in ["windows-1252", "Shift_JIS", "EBCDIC-CP-US", "UTF-32", "UTF-7"] {
            let error = try #require(fault("<?xml version=\"1.0\" encoding=\"\(name)\"?><plist><true/></plist>"))
            guard case .encoding = error.reason else {
                Issue.record("\(error)")
                continue
            }
            #expect(error.description.contains("'\(name)'") && error.description.contains("iconv -f \(name) -t UTF-8"))
            #expect(error.description.contains("plutil -convert xml1") && error.position.line == 1)
        }
    }

    @Test("a document that is not in the encoding that it says is refused")
    func contradictions() throws {
        func isEncodingFault(_ bytes: [UInt8]) -> Bool {
            do throws(PlistError) {
                _ = try PlistReader().read(bytes)
                return false
            } catch {
                guard case .encoding = error.reason else { return false }
                return true
            }
        }
        let body = "<plist><true/></plist>"
        func declared(_ name: String) -> String { "<?xml version=\"1.0\" encoding=\"\(name)\"?>" + body }
        for name in ["ISO-8859-1", "latin1", "US-ASCII", "UTF-16", "windows-1252"] {
            #expect(isEncodingFault(Array(("\u{FEFF}" + declared(name)).utf8)), "\(name)")
        }
        #expect(isEncodingFault(Array(declared("UTF-16").utf8)))
        for name in ["UTF-8", "utf8", "ISO-8859-1", "UTF-16BE"] {
            #expect(
                isEncodingFault(wide(declared(name))) && isEncodingFault(wide(declared(name), mark: false)), "\(name)")
        }
        #expect(isEncodingFault(wide(declared("UTF-16LE"), bigEndian: true)))
        // Without a mark and a declaration nothing says that it is UTF-16; UTF-32 is not read at all.
        #expect(isEncodingFault(wide(body, mark: false)))
        #expect(isEncodingFault([0xFF, 0xFE, 0, 0] + body.utf8.flatMap { [$0, 0, 0, 0] }))
        // Bytes that are not what the document is in.
        #expect(fault(bytes: Array("<plist><string>".utf8) + [0xF6] + Array("</string></plist>".utf8)) != nil)
        #expect(fault(bytes: Array("<plist><string>".utf8) + [0xC0, 0x80] + Array("</string></plist>".utf8)) != nil)
        #expect(
            fault(bytes: Array("<plist><string>".utf8) + [0xED, 0xA0, 0x80] + Array("</string></plist>".utf8)) != nil)
        #expect(fault("<?xml version=\"1.0\" encoding=\"US-ASCII\"?><plist><string>ö</string></plist>") != nil)
    }

    @Test(
        "what is not a property list is refused, with the line",
        arguments: [
            ("<plist><dict>\n<key>a</key></dict></plist>", 2), ("<plist><dict>\n<true/></dict></plist>", 2),
            ("<plist><dict><key>a</key>\n<key>b</key><true/></dict></plist>", 2),
            ("<plist>\n<true/>\n<true/></plist>", 3), ("<plist>\n</plist>", 1),
            ("<plist><array>\nx</array></plist>", 2),
            ("<plist>\n<integer>x</integer></plist>", 2),
            ("<plist>\n<integer>9223372036854775808</integer></plist>", 2),
            ("<plist>\n<real>1,5</real></plist>", 2), ("<plist>\n<data>a</data></plist>", 2),
            ("<plist>\n<set/></plist>", 2), ("<plist>\n<string><true/></string></plist>", 2),
            ("<plist><dict>\n<key>a</key><true>x</true></dict></plist>", 2),
            ("<plist>\n<dict></plist>", 2), ("<plist>\n<x:dict xmlns:x='u'/></plist>", 2), ("<plist>\n<dict>", 2),
            ("<plist>\n<x:true/></plist>", 2), ("<plist><array>\n \nx\n</array></plist>", 3),
            ("<?xml version=\"2.0\"?>\n<plist><true/></plist>", 1),
            ("\n<?xml version=\"1.0\"?><plist><true/></plist>", 2),
            ("<plist><true/></plist>\n\nx", 3), ("<plist a='1'\n a='2'><true/></plist>", 2),
            ("<plist><string>\u{1}</string></plist>", 1), ("<plist><string>\n&#0;</string></plist>", 2),
            ("<plist><key>\na</key></plist>", 1), ("<plist/><plist/>", 1), ("<plist>\n&nbsp;<true/></plist>", 2),
        ])
    func malformed(text: String, line: Int) throws {
        let error = try #require(fault(text), "\(text)")
        #expect(error.position.line == line, "\(error)")
    }

    @Test("entities are refused where they are declared, before one could grow")
    func entities() throws {
        let bomb = """
            <!DOCTYPE plist [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <plist><string>&b;</string></plist>
            """
        #expect(fault(bomb)?.reason == .entity("a"))
        #expect(fault("<!DOCTYPE plist [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><plist/>")?.reason == .entity("x"))
        #expect(fault("<!DOCTYPE plist [<!ENTITY % x \"y\">]><plist><true/></plist>")?.reason == .entity("x"))
        let external = "<!DOCTYPE plist SYSTEM \"http://127.0.0.1:1/x.dtd\"><plist><string>&y;</string></plist>"
        #expect(fault(external)?.reason == .entity("y"))
    }

    @Test(
        "every entity that is declared, and every one that is used and not XML's own, is refused by name",
        arguments: [
            // Declared: of each kind, and XML's own ones as well.
            ("[<!ENTITY x \"\">]", "<true/>"), ("[<!ENTITY x PUBLIC \"p\" \"s\">]", "<true/>"),
            ("[<!ENTITY % x SYSTEM \"s\">%x;]", "<true/>"), ("[<!ENTITY lt \"&#38;#60;\">]", "<string>&lt;</string>"),
            ("[<!NOTATION n SYSTEM \"n\"><!ENTITY x SYSTEM \"s\" NDATA n>]", "<true/>"),
            // Used: in text, in attributes, in the defaults of attributes, as part of the document type.
            ("", "<string>&x;</string>"), ("", "<string a='&lt;&#65;&x;'/>"), ("", "<string xmlns:a='&x;'/>"),
            ("[<!ATTLIST string a CDATA \"&x;\">]", "<string/>"), ("[%x;]", "<true/>"),
            ("[%x;<!ENTITY y \"z\">]", "<string>&y;</string>"), ("[<!ELEMENT plist (%x;)>]", "<true/>"),
        ])
    func everyEntity(subset: String, value: String) {
        // Behind Apple's document type, which may declare anything, in the document's own, and without one.
        let apple = "PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\""
        for type in ["<!DOCTYPE plist \(apple) \(subset)>", "<!DOCTYPE plist \(subset)>", ""]
        where !type.isEmpty || subset.isEmpty {
            for declaration in ["", "<?xml version=\"1.0\" standalone=\"yes\"?>"] {
                let text = declaration + type + "<plist>" + value + "</plist>"
                let expected = PlistError.Reason.entity(subset.contains(" lt ") ? "lt" : "x")
                #expect(fault(text)?.reason == expected, "\(text): \(fault(text)?.description ?? "read")")
                #expect(fault(bytes: wide(text))?.reason == expected, "UTF-16: \(text)")
            }
        }
    }

    @Test("what looks like an entity and is none is no fault")
    func noEntities() throws {
        let subset = """
            [<!-- &x; %y; --><?p &x; %y;?><!NOTATION n SYSTEM "a&b;"><!ELEMENT plist ANY>
            <!ATTLIST plist version CDATA "&amp;1%">]
            """
        let text =
            "<!DOCTYPE plist SYSTEM \"http://127.0.0.1:1/?a=1&b;%x;\" \(subset)><plist a='&quot;'>"
            + "<!-- &x; --><?p &x;?><string><![CDATA[&x;]]>&apos;</string></plist>"
        #expect(try read(text).root.value == .string("&x;'"))
        #expect(try PlistReader().read(wide(text)).root.value == .string("&x;'"))
    }

    @Test(
        "what is not well-formed is said in words that help",
        arguments: [
            ("<plist>\n<dict>\n</plist>", "found </plist>, expected </dict> for <dict> in line 2 (line 3)"),
            ("<plist>\n<dict>", "found the end of the file, expected </dict> for <dict> in line 2"),
            ("<plist><string>a & b</string></plist>", "found & that is no reference, expected &amp;"),
            ("<plist><string>http://a/?b=1&c=2</string></plist>", "found & that is no reference, expected &amp;"),
            ("<plist><string>a < b</string></plist>", "found < that begins no tag, expected &lt;"),
            ("<plist><string>]]></string></plist>", "found ]]> in text, expected ]]&gt;"),
            ("<plist><!-- a -- b --><true/></plist>", "found -- in a comment"),
            ("<plist><string>\u{7}</string></plist>", "found the control character 7"),
            ("<plist><!-- <true/></plist>", "found the end of the file inside a tag, comment"),
            ("<plist><x:true/></plist>", "found <x:true>, expected an element of property lists"),
        ])
    func words(text: String, words: String) throws {
        let error = try #require(fault(text))
        #expect(error.description.contains(words), "\(error)")
        #expect(fault(bytes: wide(text))?.description.contains(words) == true, "UTF-16")
    }

    @Test("depth, number of values and size are bounded")
    func limits() throws {
        func nested(_ depth: Int) -> String {
            "<plist>" + String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
                + "</plist>"
        }
        #expect(throws: Never.self) { try self.read(nested(60)) }
        #expect(fault(nested(100_000))?.reason == .tooDeep(limit: 64))
        var limits = PlistLimits()
        limits.values = 3
        limits.bytes = 100
        let reader = PlistReader(limits: limits)
        #expect(throws: Never.self) { try reader.read(Array("<plist><array><true/><true/></array></plist>".utf8)) }
        #expect(throws: PlistError.self) {
            try reader.read(Array("<plist><array><true/><true/><true/></array></plist>".utf8))
        }
        #expect(throws: PlistError.self) { try reader.read([UInt8](repeating: 0x20, count: 101)) }
    }

    @Test("what must be whole to be understood is bounded, and takes no time out of proportion")
    func markupLimits() throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 10_100_000)
        for (start, end) in [
            ("<plist><!--", "--><true/></plist>"), ("<plist a='", "'><true/></plist>"), ("<?p ", ""), ("<p", ""),
        ] {
            let words = fault(bytes: Array(start.utf8) + long + Array(end.utf8))?.description
            #expect(words?.contains("more than 10 MB") == true, "\(start): \(words ?? "read")")
        }
        // Text is read part by part.
        let text = try PlistReader().read(Array("<plist><string>".utf8) + long + Array("</string></plist>".utf8)).root
            .string
        #expect(text?.utf8.count == long.count)
        // A parser that compares every attribute with every other one needs minutes for this.
        let attributes = (0..<200_000).map { " a\($0)=''" }.joined()
        #expect(try read("<plist\(attributes)><true/></plist>").root.value == .boolean(true))
    }
}

extension PlistNode {
    /// The elements of an array.
    var elements: [PlistNode] { if case .array(let elements) = value { elements } else { [] } }
}
