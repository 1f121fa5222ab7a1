import BelayArguments

/// `belay cert`: looking at certificates, and getting them.
struct CertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cert", abstract: "Certificates: what is in them, and those of live servers.",
        subcommands: [
            CertShowCommand.self,
            CertFetchCommand.self,
            CertPinCommand.self,
            CertVerifyCommand.self,
            CertDiffCommand.self,
            CertTriageCommand.self,
            CertConvertCommand.self,
        ])
}
