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
        #expect(check.verbosity == 0 && check.untouched == 7)
    }

    @Test("values are read from the next argument, after an equals sign, and behind short names")
    func values() throws {
        let check = try #require(
            try parse(
                "check", "--pins", "a", "-p=b", "u", "-p", "c", "--pinning=certificate",
                "-n", "9", "--timeout=2.5", "--port", "255", "--connect-to", "h:1", "--strict", "false", "v", "-"))
        #expect(check.trust.pins == ["a", "b", "c"] && check.trust.pinning == .certificate && check.count == 9)
        #expect(check.timeout == 2.5 && check.port == 255 && check.connectTo == Endpoint(host: "h", port: 1))
        #expect(check.strict == false && check.url == "u" && check.others == ["v", "-"])
    }
}
