import BelayTransportSecurity
import Foundation
import Testing

@Suite("property lists in XML")
struct XMLPlistTests {
    private func read(_ text: String) throws -> PlistDocument { try PlistReader().read(Array(text.utf8)) }

    private func fault(_ text: String) -> PlistError? {
        do throws(PlistError) {
            _ = try PlistReader().read(Array(text.utf8))
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

    @Test("UTF-16 and Latin-1 are read; bytes are not told then, lines are")
    func encodings() throws {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<plist>\n<dict><key>ö</key><true/></dict></plist>"
        var wide: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 { wide += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        let member = try #require(try PlistReader().read(wide).root.members?.first)
        #expect(member.key == "ö")
        #expect(member.keyRange == nil)
        #expect(member.keyPosition.line == 3)
        let latin =
            Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><string>".utf8) + [0xF6]
            + Array("</string></plist>".utf8)
        #expect(try PlistReader().read(latin).root.value == .string("ö"))
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
}

extension PlistNode {
    /// The elements of an array.
    var elements: [PlistNode] { if case .array(let elements) = value { elements } else { [] } }
}
