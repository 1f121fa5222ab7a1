import BelayArguments
import Testing

@Suite("Wrong use")
struct WrongUseTests {
    @Test(
        "each mistake ends with status 2 and a message that names the thing and the remedy",
        arguments: [
            // Unknown names.
            (["check", "--pinz", "x"], "unknown option '--pinz'; did you mean '--pins'?", "tool check"),
            (["check", "--pin=x"], "unknown option '--pin'; did you mean '--pins'?", "tool check"),
            (["check", "--PINS", "x"], "unknown option '--PINS'; did you mean '--pins'?", "tool check"),
            (["check", "--no-color"], "unknown option '--no-color'; did you mean '--no-colour'?", "tool check"),
            (["check", "--xyzzy"], "unknown option '--xyzzy'.", "tool check"),
            (["check", "u", "--trac=1"], "unknown option '--trac'.", "tool check"),
            (["check", "-Q"], "unknown option '-Q'; did you mean '-q'?", "tool check"),
            (["check", "-x"], "unknown option '-x'.", "tool check"),
            (["check", "-qx"], "unknown option '-x' in '-qx'.", "tool check"),
            (["check", "-time"], "unknown option '-t' in '-time'; did you mean '--time'?", "tool check"),
            (["check", "-pins", "x"], "option '-p' in '-pins' takes a value; did you mean '--pins'?", "tool check"),
            (["check", "—pins", "x"], "unknown option '—pins'; did you mean '--pins'?", "tool check"),
            (["check", "--=x"], "unknown option '--'.", "tool check"),
            (["check", "---"], "unknown option '---'.", "tool check"),
            (["check", "-="], "unknown option '-='.", "tool check"),
            (["check", "-5"], "unknown option '-5'; if it is an argument, put '--' before it.", "tool check"),
            (["chekc", "u"], "unknown command 'chekc'; did you mean 'check'?", "tool"),
            (["chekc", "--help"], "unknown command 'chekc'; did you mean 'check'?", "tool"),
            (["frobnicate"], "unknown command 'frobnicate'; the commands are check, cert.", "tool"),
            (["cert", "shwo"], "unknown command 'shwo'; did you mean 'show'?", "tool cert"),
            (["help", "cert", "sho"], "unknown command 'sho'; did you mean 'show'?", "tool cert"),
            (["help", "check", "more"], "unexpected argument 'more'.", "tool check"),
            (
                ["--pins", "x", "check"],
                "option '--pins' goes after a command that has it, as in 'tool check --pins'.", "tool"
            ),
            (
                ["--format=x", "cert"],
                "option '--format' goes after a command that has it, as in 'tool cert show --format'.", "tool"
            ),
            // Values.
            (["check", "u", "--time"], "option '--time' needs a value: '--time <time>'.", "tool check"),
            (["check", "u", "-p"], "option '-p' needs a value: '-p <file>'.", "tool check"),
            (["check", "u", "--time", "--"], "option '--time' needs a value: '--time <time>'.", "tool check"),
            (
                ["check", "u", "--time", "--quiet"],
                "option '--time' needs a value: '--time <time>'; the next argument is the option '--quiet'.",
                "tool check"
            ),
            (
                ["check", "u", "--time", "-5"],
                "option '--time' needs a value, and '-5' looks like an option; if it is the value, write '--time=-5'.",
                "tool check"
            ),
            (["check", "u", "--quiet=yes"], "flag '--quiet' takes no value, but was given 'yes'.", "tool check"),
            (["check", "u", "--quiet="], "flag '--quiet' takes no value, but was given ''.", "tool check"),
            (["check", "--help=x"], "flag '--help' takes no value, but was given 'x'.", "tool check"),
            (["--version=2"], "flag '--version' takes no value, but was given '2'.", "tool"),
            (
                ["check", "u", "-p", "-5"],
                "option '-p' needs a value, and '-5' looks like an option; if it is the value, write '-p-5'.",
                "tool check"
            ),
            (["check", "u", "-q=yes"], "flag '-q' takes no value, but was given 'yes'.", "tool check"),
            (["check", "u", "-vq="], "flag '-q' takes no value, but was given ''.", "tool check"),
            (["check", "u", "--time="], "the value of '--time' is empty.", "tool check"),
            (["check", "u", "--pins", ""], "the value of '--pins' is empty.", "tool check"),
            (["check", ""], "the value of '<url>' is empty.", "tool check"),
            (["check", "--", ""], "the value of '<url>' is empty.", "tool check"),
            ([""], "the value of '<command>' is empty.", "tool"),
            (
                ["check", "u", "--port", "256"],
                "invalid value '256' for '--port'; expected a whole number from 0 to 255.", "tool check"
            ),
            (
                ["check", "u", "-n", "9223372036854775808"],
                "invalid value '9223372036854775808' for '--tries'; expected a whole number from "
                    + "-9223372036854775808 to 9223372036854775807.", "tool check"
            ),
            (
                ["check", "u", "--timeout", "1e999"],
                "invalid value '1e999' for '--timeout'; expected a finite number.", "tool check"
            ),
            (
                ["check", "u", "--pinning", "publickey"],
                "invalid value 'publickey' for '--pinning'; did you mean 'public-key'? "
                    + "The values are public-key, certificate, none.", "tool check"
            ),
            (
                ["check", "u", "--pinning=zzz"],
                "invalid value 'zzz' for '--pinning'; the values are public-key, certificate, none.", "tool check"
            ),
            (
                ["check", "u", "--strict", "yes"], "invalid value 'yes' for '--strict'; the values are true, false.",
                "tool check"
            ),
            (
                ["check", "u", "--connect-to", "h"], "invalid value 'h' for '--connect-to': expected host:port.",
                "tool check"
            ),
            // Too many, too few.
            (
                ["check", "u", "--time", "a", "--time=b"],
                "'--time' is given twice ('a' and 'b'), but takes one value.", "tool check"
            ),
            (
                ["check", "u", "-n", "1", "--tries", "1"],
                "'--tries' is given twice ('1' and '1'), but takes one value.", "tool check"
            ),
            (["check", "u", "-q", "--quiet"], "'--quiet' is given twice; once is enough.", "tool check"),
            (["check", "u", "-qq"], "'-q' is given twice; once is enough.", "tool check"),
            (
                ["check", "u", "--colour", "--no-colour"], "'--colour' and '--no-colour' contradict each other.",
                "tool check"
            ),
            (
                ["check", "u", "--no-colour", "--colour"], "'--colour' and '--no-colour' contradict each other.",
                "tool check"
            ),
            (["check"], "missing argument '<url>'.", "tool check"),
            (["cert", "show"], "missing argument '<files>', option '--format <format>'.", "tool cert show"),
            (["secret", "a"], "unexpected argument 'a'.", "tool secret"),
            (["secret", "a", "b", "c", "d", "e"], "unexpected arguments 'a', 'b', 'c' and 2 more.", "tool secret"),
            // The command's own rules.
            (
                ["check", "u", "-p", "a", "--pinning", "none"],
                "'--pins' means nothing with '--pinning none'.", "tool check"
            ),
        ] as [([String], String, String)])
    func mistake(arguments: [String], message: String, command: String) throws {
        let error = #expect(throws: CommandError.self) { try Tool.parseAsRoot(arguments) }
        let found = try #require(error)
        #expect(Tool.fullMessage(for: found) == "tool: error: \(message) See '\(command) --help'.")
        #expect(Tool.exitCode(for: found) == ExitCode(2))
        #expect(found.commandPath.joined(separator: " ") == command)
    }

    @Test("help is shown behind a mistake", arguments: [["--pinz"], ["--time"], ["-n"], ["-q", "-q"], ["--quiet=x"]])
    func helpBehindMistake(arguments: [String]) throws {
        let result = try #require(outcome(["check"] + arguments + ["--help"]))
        #expect(result.status == 0 && result.text.hasPrefix("Judges one server."))
    }

    @Test("behind -- there is no --help")
    func helpBehindTerminator() throws {
        #expect(try #require(outcome("check", "--pinz", "--", "--help")).status == 2)
        #expect(try parse("check", "--", "--help")?.url == "--help")
    }

    @Test("what was typed cannot command the terminal and does not flood it")
    func escapes() throws {
        let colour = try #require(outcome("check", "--\u{1B}[31m"))
        #expect(colour.text == "tool: error: unknown option '--\\u{1B}[31m'. See 'tool check --help'.")
        let reversed = try #require(outcome("chec\u{202E}k\u{0}"))
        #expect(!reversed.text.unicodeScalars.contains("\u{202E}") && !reversed.text.contains("\0"))
        let reason = try #require(outcome("check", "u", "--echo", "a\u{7}\nb"))
        #expect(reason.text.hasPrefix("tool: error: invalid value 'a\\u{7}\\u{A}b' for '--echo': a\\u{7}\nb."))
        let long = try #require(outcome("check", "--" + String(repeating: "x", count: 1_000_000)))
        #expect(long.text.count < 300 && long.status == 2)
    }

    @Test("a missing command prints the list of commands, as an error")
    func missingCommand() async throws {
        var command = try Tool.parseAsRoot(["cert"])
        let error = #expect(throws: CommandError.self) { try command.run() }
        let found = try #require(error)
        #expect(Tool.exitCode(for: found).rawValue == 2)
        #expect(Tool.fullMessage(for: found).contains("error: a command is missing."))
        #expect(Tool.fullMessage(for: found).contains("show  Prints certificates."))
        var root = Tool()
        await #expect(throws: CommandError.self) { try await root.run() }
    }
}
