import Testing

@testable import BelayArguments

@Suite("Parts")
struct UnitTests {
    @Test(
        "names become kebab-case",
        arguments: [
            ("pins", "pins"), ("infoPlist", "info-plist"), ("serverURLFile", "server-url-file"), ("URL", "url"),
            ("sha256Pin", "sha256-pin"), ("noTLS", "no-tls"), ("a_b", "a-b"), ("Check", "check"), ("", ""),
        ])
    func kebab(name: String, expected: String) { #expect(kebabCase(name) == expected) }

    /// The first distances are the textbook's; a swap of neighbours is one edit.
    @Test(
        "the edit distance counts insertions, deletions, replacements and swaps",
        arguments: [
            ("kitten", "sitting", 3), ("saturday", "sunday", 3), ("", "abc", 3), ("abc", "", 3), ("", "", 0),
            ("chekc", "check", 1), ("pinz", "pins", 1), ("ca", "abc", 3), ("same", "same", 0),
        ])
    func distance(first: String, second: String, expected: Int) {
        #expect(editDistance(Array(first), Array(second)) == expected)
        #expect(editDistance(Array(second), Array(first)) == expected)
    }

    @Test("a suggestion is near or an unambiguous beginning, and else there is none")
    func suggestions() {
        let names = ["--pins", "--pinning", "--format", "--time", "--timeout"]
        #expect(nearest(to: "--pinz", among: names) == "--pins")
        #expect(nearest(to: "--pining", among: names) == "--pinning")
        #expect(nearest(to: "--form", among: names) == "--format")
        #expect(nearest(to: "--tmieout", among: names) == "--timeout")
        #expect(nearest(to: "--x", among: names) == nil)
        #expect(nearest(to: "--fingers", among: names) == nil)
        #expect(nearest(to: "", among: names) == nil)
        #expect(nearest(to: "--pi", among: names) == nil)
        #expect(nearest(to: String(repeating: "p", count: 65), among: names) == nil)
    }

    @Test("arguments are UTF-8 or an error that shows the bytes")
    func unicode() throws {
        #expect(try Terminal.decode([Array("é".utf8), []]) == ["é", ""])
        for bytes: [UInt8] in [[0x63, 0xE9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80]] {
            #expect(throws: CommandError.Reason.self) { try Terminal.decode([Array("a".utf8), bytes]) }
        }
        let error = #expect(throws: CommandError.Reason.self) {
            try Terminal.decode([Array("a".utf8), [0x63, 0xE9, 0x1B]])
        }
        #expect(
            error?.description == "argument 2 is not valid UTF-8: 'c\\xE9\\x1B'; if it names a file, rename that")
    }

    @Test("the width is COLUMNS within reason")
    func columns() {
        #expect(Terminal.columns(setting: "60") == 60)
        #expect(Terminal.columns(setting: "5000") == 100)
        for setting in [nil, "", "0", "-5", "wide", "99999999999999999999"] {
            #expect((1...100).contains(Terminal.columns(setting: setting)))
        }
    }

    @Test("numbers are read strictly")
    func numbers() {
        #expect(Int(argument: "-9223372036854775808") == .min && Int(argument: "+7") == 7)
        for text in ["", " 1", "1 ", "1.0", "0x1", "1_000", "９", "9223372036854775808", "--1"] {
            #expect(Int(argument: text) == nil)
        }
        #expect(Double(argument: "-1.5e3") == -1500 && Float(argument: "0.5") == 0.5)
        for text in ["", "nan", "inf", "-infinity", "1e999", "1,5", " 1", "0x5", "0x1p3"] {
            #expect(Double(argument: text) == nil)
        }
        #expect(UInt8(argument: "256") == nil && UInt8(argument: "-1") == nil && UInt16(argument: "65535") == 65535)
        #expect(Float(argument: "1e39") == nil)
    }

    @Test("an enumeration lists its raw values")
    func enumerations() {
        #expect(Pinning.allValueStrings == ["public-key", "certificate", "none"])
        #expect(Pinning(argument: "public-key") == .publicKey && Pinning(argument: "publicKey") == nil)
        #expect(Level.allValueStrings == ["1", "5"] && Level(argument: "5") == .high && Level(argument: "x") == nil)
        #expect(Bool(argument: "true") == true && Bool(argument: "TRUE") == nil)
    }

    private enum Level: Int, CaseIterable, ExpressibleByArgument {
        case low = 1
        case high = 5
    }
}
