import BelayArguments
import Testing

@Suite("Exit status and messages of what a command throws")
struct OutcomeTests {
    struct Broken: Error, CustomStringConvertible { var description: String { "the disk is\u{1B}[2J full" } }

    private struct Picky: ParsableCommand {
        @Argument var what: String
        mutating func validate() throws {
            switch what {
            case "clean": throw CleanExit.message("bye")
            case "three": throw ExitCode(3)
            default: throw Broken()
            }
        }
    }

    @Test("an exit code ends with its status and prints nothing")
    func exitCode() {
        #expect(Tool.exitCode(for: ExitCode(3)) == ExitCode(3) && Tool.fullMessage(for: ExitCode(3)).isEmpty)
        #expect(ExitCode.success.isSuccess && ExitCode.failure.rawValue == 1)
        #expect(ExitCode.validationFailure.rawValue == 2)
    }

    @Test("any other error ends with status 1 and its description")
    func otherError() {
        #expect(Tool.exitCode(for: Broken()) == .failure)
        #expect(Tool.fullMessage(for: Broken()) == "tool: error: the disk is\\u{1B}[2J full")
        #expect(Tool.message(for: Broken()) == "the disk is\u{1B}[2J full")
    }

    @Test("a validation error is wrong use")
    func validation() {
        let error = ValidationError("'--a' and '--b' exclude each other")
        #expect(Tool.exitCode(for: error).rawValue == 2)
        #expect(Tool.message(for: error) == "'--a' and '--b' exclude each other")
        #expect(
            Tool.fullMessage(for: error) == "tool: error: '--a' and '--b' exclude each other. See 'tool --help'.")
        #expect(Tool.fullMessage(for: ValidationError("Why?")) == "tool: error: Why? See 'tool --help'.")
        #expect(Tool.fullMessage(for: ValidationError("a\nb")) == "tool: error: a\nb.\nSee 'tool --help'.")
    }

    @Test("a clean exit prints its message, or the help of a command, with status 0")
    func cleanExit() {
        #expect(Tool.exitCode(for: CleanExit.message("done")).isSuccess)
        #expect(Tool.fullMessage(for: CleanExit.message("done")) == "done")
        #expect(Tool.fullMessage(for: CleanExit.helpRequest()) == Tool.helpMessage())
        #expect(Tool.fullMessage(for: CleanExit.helpRequest(Cert.Show.self)).contains("Usage: tool cert show"))
        #expect(Tool.fullMessage(for: CleanExit.helpRequest(Cert())).contains("Usage: tool cert"))
    }

    @Test("validate() may end the program cleanly or with a status of its own")
    func validate() {
        func result(_ what: String) -> (Int32, String) {
            do {
                _ = try Picky.parseAsRoot([what])
                return (0, "ran")
            } catch {
                return (Picky.exitCode(for: error).rawValue, Picky.fullMessage(for: error))
            }
        }
        #expect(result("clean") == (0, "bye"))
        #expect(result("three") == (3, ""))
        #expect(result("x") == (2, "picky: error: the disk is\\u{1B}[2J full. See 'picky --help'."))
    }

    @Test("a command without work shows its help")
    func nothingToRun() {
        struct Idle: ParsableCommand {}
        var idle = Idle()
        let error = #expect(throws: CleanExit.self) { try idle.run() }
        #expect(error.map { Idle.exitCode(for: $0) } == .success)
    }

    @Test("running a command that succeeds returns, synchronous or not")
    func runs() async {
        await Tool.main(["check", "u"])
        Quick.main([])
        await QuickRoot.main(["quick"])
    }

    private struct Quick: ParsableCommand {
        mutating func run() throws {}
    }

    private struct QuickRoot: AsyncParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [Quick.self])
    }
}
