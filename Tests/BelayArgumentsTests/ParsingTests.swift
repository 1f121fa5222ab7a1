import BelayArguments
import Testing

@Suite("Parsing")
struct ParsingTests {
    @Test("every property has its default when nothing but the required argument is given")
    func defaults() throws {
        let check = try #require(try parse("check", "u"))
        #expect(check.url == "u" && check.others.isEmpty && check.trust.pins.isEmpty)
        #expect(check.trust.pinning == .publicKey && !check.trust.noSystemAnchors)
        #expect(check.time == nil && check.count == 3 && check.timeout == nil && check.port == nil)
        #expect(check.connectTo == nil && check.strict == nil && !check.quiet && check.colour == nil)
        #expect(check.verbosity == 0 && check.untouched == 7 && check.scratch == nil)
    }

    @Test("values are read from the next argument, after an equals sign, and behind short names")
    func values() throws {
        let check = try #require(
            try parse(
                "check", "--pins", "a", "-pb", "u", "-p", "c", "--pinning=certificate", "-n", "9", "--timeout=2.5",
                "--port", "255", "--connect-to", "h:1", "--strict", "false", "v", "-"))
        #expect(check.trust.pins == ["a", "b", "c"] && check.trust.pinning == .certificate && check.count == 9)
        #expect(check.timeout == 2.5 && check.port == 255 && check.connectTo == Endpoint(host: "h", port: 1))
        #expect(check.strict == false && check.url == "u" && check.others == ["v", "-"])
    }

    @Test("flags are off until given, can be turned off by name, count, and cluster behind one dash")
    func flags() throws {
        let check = try #require(try parse("check", "-vqv", "u", "--no-colour", "--no-system-anchors", "-v"))
        #expect(check.verbosity == 3 && check.quiet && check.colour == false && check.trust.noSystemAnchors)
        #expect(try parse("check", "u", "--colour")?.colour == true)
        #expect(try parse("check", "u", "-vp", "file")?.trust.pins == ["file"])
        #expect(try parse("check", "u", "-vpfile")?.trust.pins == ["file"])
    }

    @Test("as with curl, everything behind a short option's letter is its value, an equals sign too")
    func attached() throws {
        #expect(try parse("check", "u", "-p=b")?.trust.pins == ["=b"])
        #expect(try parse("check", "u", "-p=")?.trust.pins == ["="])
        #expect(try parse("check", "u", "-vp=b=c")?.trust.pins == ["=b=c"])
        #expect(try parse("check", "u", "-p-v", "-p--")?.trust.pins == ["-v", "--"])
        #expect(try parse("check", "u", "-n9")?.count == 9)
        // An accent of its own, which makes one character with the letter before it.
        #expect(try parse("check", "u", "-p\u{301}x")?.trust.pins == ["\u{301}x"])
    }

    @Test("after -- everything is an argument, as it stands")
    func terminator() throws {
        let check = try #require(try parse("check", "-q", "--", "-5", "--pins", "--", "—pins"))
        #expect(check.quiet && check.url == "-5" && check.others == ["--pins", "--", "—pins"])
        #expect(try parse("check", "u", "--")?.url == "u")
        #expect(try parse("--", "check", "u")?.url == "u")
    }

    @Test("a value after an equals sign may begin with a dash, hold more equals signs, or begin with a combining mark")
    func valuesAfterEquals() throws {
        #expect(try parse("check", "u", "--time=-5")?.time == "-5")
        #expect(try parse("check", "u", "--time=a=b=")?.time == "a=b=")
        #expect(try parse("check", "u", "--time=--")?.time == "--")
        #expect(try parse("check", "u", "--time=\u{301}x")?.time == "\u{301}x")
        #expect(try parse("check", "u", "--time", "\u{FFFD}🏳️‍🌈\r\n")?.time == "\u{FFFD}🏳️‍🌈\r\n")
    }

    @Test("commands are found by name at every level")
    func commands() throws {
        let show = try #require(try parse("cert", "show", "a", "--format=x", "b", as: Cert.Show.self))
        #expect(show.files == ["a", "b"] && show.format == "x")
        #expect(try parse(as: Tool.self) != nil)
        #expect(try parse("cert", as: Cert.self) != nil)
    }

    @Test("a command parses by itself, without its parents and subcommands")
    func single() throws {
        #expect(try Check.parse(["u", "-q"]).quiet)
        #expect(try TrustOptions.parse(["--pins", "a"]).pins == ["a"])
        #expect(throws: CommandError.self) { try Tool.parse(["check", "u"]) }
    }

    @Test("options of a parent are read before the command's name, and validated")
    func parentOptions() throws {
        #expect(try Parent.parseAsRoot(["--limit", "3", "child"]) is Parent.Child)
        let error = #expect(throws: CommandError.self) { try Parent.parseAsRoot(["--limit", "30", "child"]) }
        #expect(error?.description == "'--limit' is 9 at most" && error?.commandPath == ["parent"])
        #expect(throws: CommandError.self) { try Parent.parseAsRoot(["child"]) }
    }

    @Test("a property can be changed after parsing, and copies are independent")
    func mutation() throws {
        let original = try Check.parse(["u"])
        var copy = original
        copy.url = "v"
        copy.trust.pins.append("p")
        #expect(original.url == "u" && original.trust.pins.isEmpty)
        #expect(copy.url == "v" && copy.trust.pins == ["p"])
    }

    @Test("a command made without parsing has its defaults")
    func unparsed() {
        #expect(Check().count == 3 && Check().trust.pinning == .publicKey && Check().time == nil)
    }

    @Test("a command of Sendable values is Sendable")
    func sendable() throws {
        struct Shared: ParsableArguments, Sendable {
            @OptionGroup var trust: TrustOptions
            @Argument var files: [String]
            @Flag var quiet = false
        }
        let value: any Sendable = try Shared.parse(["--pins", "a", "b"])
        #expect((value as? Shared)?.files == ["b"])
    }

    private struct Parent: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [Child.self])
        @Option var limit: Int
        mutating func validate() throws { if limit > 9 { throw ValidationError("'--limit' is 9 at most") } }

        struct Child: ParsableCommand {}
    }
}
