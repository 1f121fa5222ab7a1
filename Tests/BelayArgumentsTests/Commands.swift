import BelayArguments

/// A command tree with one of everything, for the tests of this module.
struct Tool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tool", abstract: "Judges servers.", version: "1.2.3",
        subcommands: [Check.self, Cert.self, Secret.self])
}

enum Pinning: String, CaseIterable, ExpressibleByArgument {
    case publicKey = "public-key"
    case certificate, none
}

struct TrustOptions: ParsableArguments, Sendable {
    @Option(name: .shortAndLong, help: ArgumentHelp("What to pin.", valueName: "file")) var pins: [String] = []
    @Option(help: "How pins are compared.") var pinning = Pinning.publicKey
    @Flag(help: "Do not use the machine's trust store.") var noSystemAnchors = false

    mutating func validate() throws {
        if pinning == .none, !pins.isEmpty { throw ValidationError("'--pins' means nothing with '--pinning none'") }
    }
}

struct Endpoint: Equatable {
    struct Malformed: Error, CustomStringConvertible { var description: String { "expected host:port" } }
    var host: String
    var port: UInt16

    init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

    init(parsing text: String) throws {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]) else { throw Malformed() }
        self.init(host: String(parts[0]), port: port)
    }
}

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Judges one server.", discussion: "Connects once.\n  kept   as it is",
        examples: [("tool check https://example.com", "Judge example.com."), ("tool check --pins a.pem URL", "")])

    @Argument(help: "Where to connect.") var url: String
    @Argument(help: "More places.") var others: [String] = []
    @OptionGroup(title: "Trust") var trust: TrustOptions
    @Option(help: "Evaluate as of then.") var time: String?
    @Option(name: [.customShort("n"), .customLong("tries")], help: "How often.") var count = 3
    @Option(help: "Most seconds.") var timeout: Double?
    @Option(help: "A port.") var port: UInt8?
    @Option(help: "Dial here.", transform: Endpoint.init(parsing:)) var connectTo: Endpoint?
    @Option(help: "Always wrong.", transform: { text -> Int in throw ValidationError(text) }) var echo: Int?
    @Option(help: "A switch with a value.") var strict: Bool?
    @Flag(name: .shortAndLong, help: "Say less.") var quiet = false
    @Flag(inversion: .prefixedNo, help: "Draw in colour.") var colour: Bool?
    @Flag(name: .customShort("v"), help: "Say more.") var verbosity: Int
    @Option(help: ArgumentHelp(visibility: .hidden)) var trace: String?
    var untouched = 7
    var scratch: [String]?

    mutating func run() async throws {
        if url == "refused" { throw ExitCode(1) }
    }
}

struct Cert: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Looks at certificates.", subcommands: [Show.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints certificates.")
        @Argument(help: "The files.") var files: [String]
        @Option(help: "How to print.") var format: String
    }
}

struct Secret: ParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)
    mutating func run() throws { throw CleanExit.message("done") }
}

/// What the program would print and end with, or nil where it would run.
func outcome(_ arguments: String...) -> (status: Int32, text: String)? { outcome(arguments) }

func outcome(_ arguments: [String]) -> (status: Int32, text: String)? {
    do {
        _ = try Tool.parseAsRoot(arguments)
        return nil
    } catch {
        return (Tool.exitCode(for: error).rawValue, Tool.fullMessage(for: error))
    }
}

func parse<Command: ParsableCommand>(_ arguments: String..., as type: Command.Type = Check.self) throws -> Command? {
    try Tool.parseAsRoot(arguments) as? Command
}
