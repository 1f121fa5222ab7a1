import BelayTransportSecurity
import Testing

@Suite("property lists in the old style")
struct OldStylePlistTests {
    private func read(_ text: String) throws -> PlistNode { try PlistReader().read(Array(text.utf8)).root }

    @Test("dictionaries, arrays, data, and strings with and without quotes are read; nothing is a number")
    func everyKind() throws {
        let text = """
            // a comment
            {
              a = YES; /* another */
              "b c" = ( 1, "t\\tw\\U00f6\\101", 'q"' , );
              d = <0fBd 77>;
              e = { f.g/h = $x-y_z; }
            }
            """
        let document = try PlistReader().read(Array(text.utf8))
        #expect(document.format == .oldStyle)
        let members = try #require(document.root.members)
        #expect(members.map(\.key) == ["a", "b c", "d", "e"])
        #expect(members[0].node.value == .string("YES"))
        #expect(members[1].node.elements.map(\.string) == ["1", "t\twöA", "q\""])
        #expect(members[2].node.value == .data([0x0F, 0xBD, 0x77]))
        #expect(members[3].node.members?.map(\.key) == ["f.g/h"])
        #expect(members[3].node.members?.first?.node.string == "$x-y_z")
        #expect(members[1].keyPosition.line == 4)
        #expect(members[1].keyPosition.column == 3)
        #expect(members[1].node.position.column == 11)
        let bytes = Array(text.utf8)
        func slice(_ range: Range<Int>?) -> String { range.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "-" }
        #expect(slice(members[1].keyRange) == "\"b c\"")
        #expect(slice(members[1].node.range) == "( 1, \"t\\tw\\U00f6\\101\", 'q\"' , )")
        #expect(slice(members[2].node.range) == "<0fBd 77>")
        #expect(slice(members[3].node.members?.first?.node.range) == "$x-y_z")
    }

    @Test("a file of strings is a dictionary; a key alone stands for itself")
    func strings() throws {
        let members = try read("a = b;\n\"c\";\n").members
        #expect(members?.map(\.key) == ["a", "c"])
        #expect(members?.map(\.node.string) == ["b", "c"])
        #expect(try read("alone").value == .string("alone"))
        #expect(try read("<00 ff>").value == .data([0, 0xFF]))
    }

    @Test("UTF-16 with a mark is read")
    func wide() throws {
        var bytes: [UInt8] = [0xFE, 0xFF]
        for unit in "{ a = \"ö\";\n b = c; }".utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
        let members = try PlistReader().read(bytes).root.members
        #expect(members?.first?.node.string == "ö")
        #expect(members?.last?.keyPosition == PlistPosition(line: 2, column: 2))
        #expect(members?.last?.keyRange == nil)
    }

    @Test(
        "what is not well-formed is refused, with the line",
        arguments: [
            ("{\n a = ; }", 2), ("{ a\n b; }", 2), ("{ a = b", 1), ("( a\n b )", 2), ("{ a = \"b; }", 1), ("{} x", 1),
            ("{ a = <0>; }", 1), ("{ a = \"\\200\"; }", 1), ("{ a = \"\\UD800\"; }", 1), ("{ /* }", 1),
            ("{ \"a\": 1 }", 1),
            ("{ = a; }", 1), ("[ ]", 1),
        ])
    func malformed(text: String, line: Int) throws {
        do throws(PlistError) {
            _ = try PlistReader().read(Array(text.utf8))
            Issue.record("\(text) was read")
        } catch {
            #expect(error.position.line == line, "\(text): \(error)")
        }
    }

    @Test("nothing at all, bytes that are no text, and depth are refused")
    func limits() {
        func reason(_ bytes: [UInt8]) -> PlistError.Reason? {
            do throws(PlistError) {
                _ = try PlistReader().read(bytes)
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(reason([]) == .empty)
        #expect(reason(Array(" \n".utf8)) == .empty)
        #expect(reason(Array("// a".utf8)) == .empty)
        #expect(reason([0x7B, 0xC3, 0x28]) == .encoding("it is neither UTF-8 nor UTF-16 with a mark"))
        #expect(reason([UInt8](repeating: UInt8(ascii: "("), count: 100_000)) == .tooDeep(limit: 64))
    }
}
