import BelayArguments
import BelayTransportSecurity
import BelayTrust

/// `belay ats`: App Transport Security, without a connection.
struct AtsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ats", abstract: "App Transport Security: what an app's Info.plist means.",
        subcommands: [AtsDecideCommand.self])
}

/// `belay ats decide`: what an Info.plist means for a URL, or for any number of cases on standard input.
struct AtsDecideCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decide",
        abstract:
            "Say what an Info.plist means for a URL: refused, or what the connection must be, and which key decided.",
        discussion: """
            This is a simulation: it says what Apple's systems do, also where the Info.plist is malformed; what is wrong with it is \
            listed beside. Nothing is sent anywhere.
            Exit status: 0 the load may go on; 1 refused, or not allowed on every system of the range; 3 the file could not be read.
            With --ndjson: one case a line on standard input, one answer a line on standard output, in order and at once. Exit status 0 \
            when every line was answered, whatever the decisions; 3 when a line was no case.
            """,
        examples: [
            ("belay ats decide http://example.com/ --info-plist Info.plist", "The newest systems."),
            ("belay ats decide https://example.com/ --info-plist default --format json", "An app that says nothing."),
            (
                "belay ats decide http://192.168.1.20/ --info-plist Info.plist --context local --os ios16",
                "An address in the device's own network."
            ),
            ("belay ats decide http://a.example.com/ --info-plist Info.plist --explain", "Which keys were looked at."),
            ("belay ats decide --ndjson < cases.ndjson", "Many."),
        ])

    @Argument(help: "The URL.") var url: String?
    @OptionGroup(title: "App Transport Security") var options: TransportSecurityOptions
    @Flag(
        help:
            "Tell which keys were looked at, in which order; over a range of systems for each one from which on that differs."
    )
    var explain = false
    @Flag(help: "Read cases from standard input instead.") var ndjson = false
    @OptionGroup var output: FormatOptions

    func validate() throws {
        guard ndjson else {
            if url == nil { throw ValidationError("give a URL, or cases with '--ndjson'") }
            return
        }
        let others = [
            ("the URL", url != nil), ("'--info-plist'", options.infoPlist != nil),
            ("'--context'", options.context != nil),
            ("'--os'", options.os != nil),
        ]
        if let name = others.first(where: \.1)?.0 {
            throw ValidationError("\(name) would not be looked at with '--ndjson'; every case says it for itself")
        }
        if explain { throw ValidationError("'--explain' is for one URL, not for '--ndjson'") }
    }

    func run() async throws {
        let console = Console()
        guard !ndjson else {
            guard try await CaseStream(console: console, judge: TransportSecurityCaseJudge()).run() else {
                throw ExitStatus.unreadable
            }
            return
        }
        let read: TransportSecurityURL
        do throws(TransportSecurityURLError) { read = try TransportSecurityURL(url ?? "") } catch {
            throw ValidationError("\(error)")
        }
        let configuration: TransportSecurityConfiguration
        do throws(InputError) {
            configuration = try options.configuration() ?? .default
        } catch {
            if output.format == .json { try console.printJSON(TransportSecurityReport.Unread(error: error)) }
            throw console.fail(error.text)
        }
        let context = options.context?.context ?? .default
        let systems = options.os ?? .newest
        let report = TransportSecurityReport(
            url: read, context: options.context ?? .default, file: configuration.file,
            answer: configuration.answer(for: read, in: context, on: systems), findings: configuration.findings,
            explanations: explain ? configuration.explanations(for: read, in: context, on: systems) : nil)
        switch output.format {
        case .json: try console.printJSON(report)
        case .text: try console.print(report.text(console))
        }
        if report.answer.isAllowed != true { throw ExitStatus.refused }
    }
}
