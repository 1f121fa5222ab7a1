import BelayArguments
import CSystem
import Glibc

/// The program: `belay` and the commands below it.
@main
struct BelayCommand: AsyncParsableCommand {
    /// The version of the program.
    static let number = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "belay",
        abstract: "May this app talk to this server, and if not, exactly why?",
        discussion: """
            Exit status: 0 accepted, or answered; 1 refused; 2 wrong use; 3 could not reach or read what was asked about.
            Results go to standard output, everything else to standard error.
            """,
        version: "belay \(number)",
        subcommands: [
            CheckCommand.self, GetCommand.self, TrustCommand.self, CertCommand.self, IdentityCommand.self,
            CACommand.self, CSRCommand.self, AtsCommand.self, LintCommand.self,
            PolicyCommand.self, RulesCommand.self, LabCommand.self, DemoCommand.self,
        ],
        examples: [
            ("belay demo", "See the main job at work on a laboratory of its own; nothing else is needed."),
            ("belay rules", "List what Belay can find fault with."),
        ])

    static func main() async {
        // A connection that got the number of standard output would be sent what is printed.
        guard belay_hold_standard_descriptors() == 0 else { Glibc.exit(ExitStatus.unreadable.rawValue) }
        // libcurl would make the file that this names, though nothing writes keys into it. There is one thread yet.
        unsetenv("SSLKEYLOGFILE")
        await main(nil)
    }
}
