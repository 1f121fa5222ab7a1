import BelayArguments
import Testing

@Suite("Help")
struct HelpTests {
    @Test("the help lists usage, arguments, titled groups with defaults and values, options, and examples")
    func whole() {
        let expected = """
            Judges one server.

            Usage: tool check [options] <url> [<others> ...]

            Connects once.
              kept   as it is

            Arguments:
              <url>     Where to connect.
              <others>  More places. (repeatable)

            Trust:
              -p, --pins <file>    What to pin. (repeatable)
              --pinning <pinning>  How pins are compared. (values: public-key, certificate,
                                   none; default: public-key)
              --no-system-anchors  Do not use the machine's trust store.

            Other options:
              --time <time>              Evaluate as of then.
              -n, --tries <tries>        How often. (default: 3)
              --timeout <timeout>        Most seconds.
              --port <port>              A port.
              --connect-to <connect-to>  Dial here.
              --echo <echo>              Always wrong.
              --strict <strict>          A switch with a value. (values: true, false)
              -q, --quiet                Say less.
              --colour, --no-colour      Draw in colour.
              -v                         Say more. (repeatable)
              -h, --help                 Show this help.

            Examples:
              tool check https://example.com
                  Judge example.com.
              tool check --pins a.pem URL
            """
        #expect(Tool.helpMessage(for: Check.self, columns: 80) == expected)
    }

    @Test("the help of the program lists its commands but not the hidden ones, and its version option")
    func root() {
        let expected = """
            Judges servers.

            Usage: tool <command>

            Commands:
              check  Judges one server.
              cert   Looks at certificates.

            Options:
              --version   Show the version.
              -h, --help  Show this help.

            See 'tool help <command>' for one command.
            """
        #expect(Tool.helpMessage(columns: 80) == expected)
    }

    @Test(
        "help is asked for by option, by letter and by command",
        arguments: [
            (["--help"], "tool"), (["-h"], "tool"), (["help"], "tool"), (["help", "--help"], "tool"),
            (["--help", "check"], "tool"), (["check", "--help"], "tool check"), (["help", "check"], "tool check"),
            (["check", "u", "-h", "--bogus"], "tool check"), (["check", "-qh"], "tool check"),
            (["help", "cert", "show"], "tool cert show"), (["cert", "help", "show"], "tool cert show"),
            (["help", "secret"], "tool secret"), (["cert", "help"], "tool cert"),
        ] as [([String], String)])
    func requests(arguments: [String], command: String) throws {
        let result = try #require(outcome(arguments))
        #expect(result.status == 0)
        let usage = result.text.split(separator: "\n").first { $0.hasPrefix("Usage: ") }
        #expect(try #require(usage).hasPrefix("Usage: \(command)"))
        #expect(!result.text.contains("error"))
    }

    @Test(
        "the version is printed at every level",
        arguments: [["--version"], ["check", "--version"], ["cert", "--version"]])
    func version(arguments: [String]) throws {
        let result = try #require(outcome(arguments))
        #expect(result == (0, "1.2.3"))
    }

    @Test("without a version there is no such option")
    func noVersion() {
        #expect(throws: CommandError.self) { try Cert.parseAsRoot(["--version"]) }
        #expect(!Cert.helpMessage().contains("--version"))
    }

    @Test("required options are part of the usage line and marked")
    func required() {
        let text = Tool.helpMessage(for: Cert.Show.self, columns: 80)
        #expect(text.contains("Usage: tool cert show --format <format> <files> ..."))
        #expect(text.contains("How to print. (required)"))
        #expect(Check.usageString() == "check [options] <url> [<others> ...]")
    }

    @Test("hidden options are listed only on request")
    func hidden() {
        #expect(!Check.helpMessage().contains("--trace"))
        #expect(Check.helpMessage(includeHidden: true).contains("--trace"))
    }

    @Test("lines keep to the width, whatever it is", arguments: [Int.min, -1, 0, 30, 40, 57, 80, 100, 200, Int.max])
    func width(columns: Int) {
        let text = Wide.helpMessage(columns: columns)
        let limit = max(columns, 30)
        for line in text.split(separator: "\n") where !line.contains("https://") {
            #expect(line.count <= limit, "\(line)")
        }
        #expect(text.contains("https://example.com/a/very/long/address/that/must/not/be/broken/in/two"))
        let words = Wide.sentence.split(separator: " ")
        #expect(text.split(whereSeparator: \.isWhitespace).filter { words.contains($0) }.count >= 2 * words.count)
    }

    @Test("an option may take the names of help for itself")
    func ownHelp() throws {
        struct Dial: ParsableCommand {
            @Option(name: .shortAndLong) var host: String
        }
        #expect(try Dial.parse(["-h", "a"]).host == "a")
        #expect(Dial.helpMessage(columns: 80).contains("  --help  "))
        let error = #expect(throws: CommandError.self) { try Dial.parse(["--help"]) }
        #expect(Dial.exitCode(for: try #require(error)).isSuccess)
    }

    private struct Wide: ParsableCommand {
        static let sentence = "The quick brown fox jumps over the lazy dog again and again until evening."
        static let configuration = CommandConfiguration(
            abstract: sentence, discussion: "See https://example.com/a/very/long/address/that/must/not/be/broken/in/two"
        )
        @Option(help: ArgumentHelp("\(sentence)", discussion: "Short.", valueName: "x")) var aRatherLongOption: String?
        @Flag(help: "Short.") var flag = false
    }
}
