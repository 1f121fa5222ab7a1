import BelayArguments
import BelayCertificates
import BelayTrust
import FoundationEssentials

/// `belay trust`: chains that are at hand already.
struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Certificate chains, without a connection.",
        subcommands: [TrustEvaluateCommand.self])
}

/// `belay trust evaluate`: judges a chain from a file, or any number of cases on standard input.
struct TrustEvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Judge certificate chains offline: one from files, or many as NDJSON.",
        discussion: """
            With --chain: exit status 0 trusted, 1 refused. Without --host no name is compared: "trusted" then says only that \
            the chain is good, for whatever name. With --info-plist the chain is held to what an app demands of the host; what \
            only a connection shows (the TLS version, the suite) is listed as not checked: 'belay check' asks the server itself.
            With --ndjson: one case a line on standard input, one answer a line on standard output, in order and at once; \
            blank lines are passed over. Exit status 0 when every line was answered, whatever the verdicts; 3 when a line \
            was no case.
            """,
        examples: [
            ("belay trust evaluate --chain chain.pem --host www.example.com", "By the machine's anchors."),
            (
                "belay trust evaluate --chain chain.pem --host www.example.com --anchor ca.pem --time 2026-12-01T00:00:00Z",
                "By a private authority too, as of a day."
            ),
            (
                "belay trust evaluate --chain chain.pem --host www.example.com --info-plist App/Info.plist",
                "As an app on Apple's systems: its pins, key sizes, hashes, and Apple's rules."
            ),
            ("belay trust evaluate --ndjson < cases.ndjson > answers.ndjson", "Many."),
        ])

    @Option(
        help: ArgumentHelp(
            "The chain, leaf first; extra certificates are allowed; - for standard input.", valueName: "file"))
    var chain: String?
    @Option(
        help: ArgumentHelp(
            "The name or address that the leaf must be valid for; without it no name is compared.", valueName: "name"),
        transform: { text in try GivenHost(text) })
    var host: GivenHost?
    @Flag(help: "Read cases from standard input instead.") var ndjson = false
    @OptionGroup(title: "Policy") var policyOptions: PolicyOptions
    @OptionGroup(title: "Trust") var trustOptions: TrustOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup(title: "App Transport Security") var transportSecurity: TransportSecurityOptions

    func validate() throws {
        guard ndjson else {
            if chain == nil { throw ValidationError("give a chain with '--chain FILE', or cases with '--ndjson'") }
            if host != nil, policyOptions.noDomainValidation {
                throw ValidationError("'--host' means nothing with '--no-domain-validation'")
            }
            if transportSecurity.infoPlist != nil, host == nil {
                throw ValidationError("'--info-plist' needs '--host': what an app demands depends on the host")
            }
            try transportSecurity.checkEnforcement()
            let chains = [chain, transportSecurity.infoPlist].compactMap(\.self)
            try StandardInput.checkOnce(
                chains + policyOptions.pins + trustOptions.anchor + trustOptions.crl
                    + [trustOptions.ctLogList].compactMap(\.self))
            return
        }
        let others = [
            ("--chain", chain != nil), ("--host", host != nil), ("--pins", !policyOptions.pins.isEmpty),
            ("--pinning", policyOptions.pinning != nil),
            ("--allow-invalid-certificates", policyOptions.allowInvalidCertificates),
            ("--no-domain-validation", policyOptions.noDomainValidation), ("--anchor", !trustOptions.anchor.isEmpty),
            ("--no-system-anchors", trustOptions.noSystemAnchors), ("--crl", !trustOptions.crl.isEmpty),
            ("--require-crl", trustOptions.requireCrl), ("--ct-log-list", trustOptions.ctLogList != nil),
            ("--time", trustOptions.time != nil), ("--rules", trustOptions.rules != nil),
            ("--info-plist", transportSecurity.infoPlist != nil), ("--context", transportSecurity.context != nil),
            ("--os", transportSecurity.os != nil),
        ]
        if let name = others.first(where: \.1)?.0 {
            throw ValidationError("'\(name)' would not be looked at with '--ndjson'; every case says it for itself")
        }
    }

    func run() async throws {
        let console = Console()
        guard !ndjson else {
            let stream = CaseStream(console: console, judge: TrustCaseJudge())
            guard try await stream.run() else { throw ExitStatus.unreadable }
            return
        }
        try ChainJudgement(
            host: host, policyOptions: policyOptions, trustOptions: trustOptions,
            transportSecurity: transportSecurity, format: output.format
        ).run([chain ?? ""], option: "--chain", console)
    }
}
