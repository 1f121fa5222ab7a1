import BelayArguments

/// `belay identity`: files with certificates and private keys.
struct IdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract:
            "Files with certificates and keys: what is in them, who can open them; and how to make others of them.",
        subcommands: [IdentityInspectCommand.self, IdentityReencryptCommand.self])
}
