import BelayArguments
import BelayCertificates
import BelaySession
import BelayTLS
import BelayTransportSecurity
import BelayTrust
import FoundationEssentials

/// `belay check`: may this app talk to this server, and if not, exactly why?
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "May this app talk to this server, and if not, exactly why?",
        discussion: """
            Makes a TLS handshake, sends nothing over it, and judges what the server showed: App Transport Security's \
            requirements on the connection, the certificate chain, and the security policy. The connection is a direct \
            one, whatever the proxy variables say (https_proxy, all_proxy); 'belay get' goes through proxies.
            An http URL is refused, but where an Info.plist allows it: then that is said, with a warning, and nothing is \
            connected to.
            Exit status: 0 trusted; 1 refused; 2 wrong use; 3 not reached, also where the server demands a client identity.
            """,
        examples: [
            ("belay check https://www.example.com", "The machine's anchors decide."),
            ("belay check https://www.example.com --pins pins.txt", "A pinned key must be on the path as well."),
            (
                "belay check https://test.example.com --anchor ca.pem --no-system-anchors",
                "A private authority, and no other."
            ),
            ("belay check https://www.example.com --connect-to 192.0.2.1:443", "One server of many, by its address."),
            ("belay check https://api.example.com --identity me.p12 --passphrase-file secret.txt", "Mutual TLS."),
            (
                "belay check https://api.example.com --identity 'pkcs11:token=office;object=me' --passphrase-file pin.txt",
                "The same with a private key that stays on its token."
            ),
            (
                "belay check https://www.example.com --info-plist App/Info.plist",
                "What an app on Apple's systems would do."
            ),
            ("belay check smtp://mail.example.com", "A mail server, which changes to TLS first."),
            ("belay check https://www.example.com --format json | jq .reasons", "For programs."),
        ])

    @Argument(help: "https://host[:port], or a host alone; smtp://, imap://, ldap:// and their like.") var url: String
    @Option(
        name: .customLong("starttls"),
        help: ArgumentHelp(
            "Have a server that begins in the clear change to TLS; a URL with the protocol's scheme (smtp://) says the same.",
            valueName: "protocol"))
    var startTLS: StartTLSProtocol?
    @OptionGroup(title: "Policy") var policyOptions: PolicyOptions
    @OptionGroup(title: "Trust") var trustOptions: TrustOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup(title: "App Transport Security") var transportSecurity: TransportSecurityOptions

    func validate() throws {
        if connection.expectName != nil, policyOptions.noDomainValidation {
            throw ValidationError("'--expect-name' means nothing with '--no-domain-validation'")
        }
        try transportSecurity.checkEnforcement()
        let files = connection.files + [transportSecurity.infoPlist].compactMap(\.self)
        try StandardInput.checkOnce(
            policyOptions.pins + trustOptions.anchor + trustOptions.crl + [trustOptions.ctLogList].compactMap(\.self)
                + files)
    }

    func run() async throws {
        let console = Console()
        let location: TLSLocation
        var refusals: [Finding] = []
        do throws(EndpointError) {
            location = try TLSLocation(url, startTLS: startTLS)
        } catch {
            guard case .cleartext(let meant) = error.reason else { throw ValidationError("\(error)") }
            location = TLSLocation(endpoint: meant)
            refusals = [ConnectionRequirements.cleartext(host: meant.host)]
        }
        let isCleartext = !refusals.isEmpty
        var policy: SecurityPolicy?
        var identity: GivenIdentity?
        var decision: AppDecision?
        do {
            let read = try policyOptions.policy()
            policy = read
            refusals += read.contradictions()
            var notice: Finding?
            let demands = try demands(location.endpoint, isCleartext: isCleartext, &refusals, &notice, &decision)
            if let notice, refusals.isEmpty {
                // Pins are to be proved, and nothing proves anything here.
                guard read.pinningMode == .none else {
                    let refusal = ConnectionRequirements.cleartext(host: location.endpoint.host)
                    return try finish(answer(Verdict(refusing: [refusal, notice]), location, read, decision), console)
                }
                var report = answer(.unproven([notice]), location, read, decision)
                report.isCleartext = true
                return try finish(report, console)
            }
            // Known already: not a byte goes out.
            guard refusals.isEmpty else {
                return try finish(answer(Verdict(refusing: refusals), location, read, decision), console)
            }
            var given = try trustOptions.read()
            identity = try connection.readIdentity(console)
            // In the middle of the handshake, when the server is judged for the first time, is no time to read files.
            if identity != nil { given.systemAnchors = try trustOptions.systemAnchors(read, console) }
            let check = ServerCheck(
                subject: subject(location, demands, decision), policy: read, given: given, console: console)
            try finish(await check.connect(identity: identity), console)
        } catch let error as InputError {
            var report = answer(Verdict(refusing: []), location, policy ?? .default, decision)
            report.isPolicyKnown = policy != nil
            report.identity = identity
            report.error = .input(error)
            try finish(report, console)
        }
    }

    private func answer(
        _ verdict: Verdict, _ location: TLSLocation, _ policy: SecurityPolicy, _ decision: AppDecision?
    ) -> CheckReport {
        subject(location, nil, decision).answer(verdict, policy)
    }

    private func subject(
        _ location: TLSLocation, _ demands: TransportSecurityRequirements?, _ decision: AppDecision?
    ) -> CheckSubject {
        CheckSubject(
            command: "check", url: url, endpoint: location.endpoint, startTLS: location.startTLS,
            policyOptions: policyOptions, trustOptions: trustOptions,
            connection: connection, transportSecurity: transportSecurity, demands: demands, decision: decision)
    }

    /// What the Info.plist demands of the server; what it refuses goes to the refusals, and that it lets cleartext go to the notice.
    private func demands(
        _ endpoint: TLSEndpoint, isCleartext: Bool, _ refusals: inout [Finding], _ notice: inout Finding?,
        _ decision: inout AppDecision?
    ) throws -> TransportSecurityRequirements? {
        guard let enforcement = try transportSecurity.enforcement() else { return nil }
        let literal = endpoint.hostLiteral.contains(":") ? "[\(endpoint.hostLiteral)]" : endpoint.hostLiteral
        let place = try SessionURL("\(isCleartext ? "http" : "https")://\(literal):\(endpoint.port)/")
        decision = AppDecision(transportSecurity, enforcement, place)
        let demands: TransportSecurityRequirements
        do throws(SessionError.Reason) {
            demands = try enforcement.demands(for: place)
        } catch {
            switch error {
            case .cleartext(let finding): refusals = [finding]
            case .transportSecurity(let findings): refusals = findings
            default: throw ValidationError("\(error)")
            }
            return nil
        }
        if isCleartext {
            // Only the Info.plist had a word against it.
            refusals = []
            notice = enforcement.cleartextNotice(for: place)
        }
        return demands
    }

    private func finish(_ report: CheckReport, _ console: Console) throws {
        if output.format == .json { try console.printJSON(report) }
        switch report.error {
        case .connection(let error)?: throw console.fail(ServerCheck.message(error))
        case .input(let error)?: throw console.fail(error.text)
        case nil: break
        }
        if output.format == .text { try console.print(CheckText(report: report, console: console).text) }
        if !report.verdict.isTrusted { throw ExitStatus.refused }
    }
}
