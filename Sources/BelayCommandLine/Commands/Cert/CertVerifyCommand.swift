import BelayArguments
import BelayCertificates
import BelayTrust

/// `belay cert verify`: is the chain in these files good?
struct CertVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Judge a chain of certificates in files.",
        discussion: """
            The first certificate of the first file is the leaf; all others may be used to find a path to a trusted one. Without --host no \
            name is compared: "trusted" then says only that the chain is good, for whatever name. The answer is that of \
            'belay trust evaluate'; a live server is judged by 'belay check'.
            Exit status: 0 trusted; 1 refused; 2 wrong use; 3 something could not be read.
            """,
        examples: [
            ("belay cert verify chain.pem --host www.example.com", "By the machine's anchors."),
            (
                "belay cert verify server.cer intermediate.cer --anchor ca.pem --no-system-anchors --host test.example.com",
                "By a private authority alone, from a file each."
            ),
            ("belay cert verify chain.pem --time 2027-06-01T00:00:00Z --explain", "Next summer, and why."),
            ("belay cert verify chain.pem --rules apple", "By Apple's rules."),
        ])

    @Argument(help: "Files of certificates, the leaf first; - for standard input.") var file: [String]
    @Option(
        help: ArgumentHelp(
            "The name or address that the leaf must be valid for; without it no name is compared.", valueName: "name"),
        transform: { text in try GivenHost(text) })
    var host: GivenHost?
    @OptionGroup(title: "Policy") var policyOptions: PolicyOptions
    @OptionGroup(title: "Trust") var trustOptions: TrustOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        if host != nil, policyOptions.noDomainValidation {
            throw ValidationError("'--host' means nothing with '--no-domain-validation'")
        }
        if let server = file.first(where: FetchOptions.isServer) {
            throw ValidationError("'\(printable(server))' is a server, which 'belay check' judges; name files here")
        }
        try StandardInput.checkOnce(
            file + policyOptions.pins + trustOptions.anchor + trustOptions.crl
                + [trustOptions.ctLogList].compactMap(\.self))
    }

    func run() throws {
        try ChainJudgement(
            host: host, policyOptions: policyOptions, trustOptions: trustOptions, format: output.format
        ).run(file, option: nil, Console())
    }
}
