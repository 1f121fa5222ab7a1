import BelayArguments
import Testing

@Suite("Mistakes in declarations")
struct DeclarationTests {
    struct SameName: ParsableCommand {
        @Option var a: String?
        @Flag(name: .customLong("a")) var b = false
    }

    struct SameInGroup: ParsableCommand {
        @OptionGroup var trust: TrustOptions
        @Option var pins: String?
    }

    struct SameAsInversion: ParsableCommand {
        @Flag(inversion: .prefixedNo) var colour: Bool?
        @Flag var noColour = false
    }

    struct AfterList: ParsableCommand {
        @Argument var files: [String]
        @Argument var last: String
    }

    struct Nameless: ParsableCommand {
        @Option(name: []) var a: String?
    }

    struct BadName: ParsableCommand {
        @Option(name: .customLong("a=b")) var a: String?
    }

    struct ArgumentsAndCommands: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [Secret.self])
        @Argument var file: String?
    }

    struct LostKey: ParsableCommand {
        @Option var a: String?
        @Option var b: String?
        enum CodingKeys: String, CodingKey { case a }
    }

    @Test(
        "each is reported as the program's own, with status 70, and does not crash",
        arguments: [
            (SameName.self, "'--a' is declared twice"), (SameInGroup.self, "'--pins' is declared twice"),
            (SameAsInversion.self, "'--no-colour' is declared twice"),
            (AfterList.self, "arguments follow '<files>', which takes all"), (Nameless.self, "'a' has no name"),
            (BadName.self, "'--a=b' cannot be a name"),
            (
                ArgumentsAndCommands.self,
                "'arguments-and-commands' has subcommands, so '<file>' could not be told from them"
            ), (LostKey.self, "the coding keys leave out 'b'"),
        ] as [(any ParsableCommand.Type, String)])
    func mistakes(command: any ParsableCommand.Type, problem: String) throws {
        let error = #expect(throws: CommandError.self) { try command.parseAsRoot([]) }
        let found = try #require(error)
        #expect(found.description.contains("a mistake in this program") && found.description.contains(problem))
        #expect(command.exitCode(for: found).rawValue == 70)
        #expect(!command.helpMessage().isEmpty)
    }
}
