import BelayArguments
import BelayCertificates
import BelayTLS
import BelayTrust
import FoundationEssentials

/// `belay check`: may this app talk to this server, and if not, exactly why?
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "May this app talk to this server, and if not, exactly why?",
        discussion: """
            Makes a TLS handshake, sends nothing over it, and judges what the server showed: App Transport Security's \
            requirements on the connection, the certificate chain, and the security policy.
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
            ("belay check https://www.example.com --format json | jq .reasons", "For programs."),
        ])

    @Argument(help: "https://host[:port], or a host alone.") var url: String
    @OptionGroup(title: "Policy") var policyOptions: PolicyOptions
    @OptionGroup(title: "Trust") var trustOptions: TrustOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var unsupported: UnsupportedOptions

    func validate() throws {
        if connection.expectName != nil, policyOptions.noDomainValidation {
            throw ValidationError("'--expect-name' means nothing with '--no-domain-validation'")
        }
        let files = [connection.identity, connection.passphraseFile].compactMap(\.self)
        try StandardInput.checkOnce(policyOptions.pins + trustOptions.anchor + trustOptions.crl + files)
    }

    private static let requirements = ConnectionRequirements.transportSecurity

    func run() async throws {
        let console = Console()
        let endpoint: TLSEndpoint
        var refusals: [Finding] = []
        do throws(EndpointError) {
            endpoint = try TLSEndpoint(url: url)
        } catch {
            guard case .cleartext(let meant) = error.reason else { throw ValidationError("\(error)") }
            endpoint = meant
            refusals = [ConnectionRequirements.cleartext(host: meant.host)]
        }
        var policy: SecurityPolicy?
        do {
            let read = try policyOptions.policy()
            policy = read
            refusals += read.contradictions()
            // Known already: not a byte goes out.
            guard refusals.isEmpty else {
                return try finish(answer(Verdict(refusing: refusals), endpoint, read), console)
            }
            var given = try trustOptions.read()
            let identity = try connection.readIdentity()
            // In the middle of the handshake, when the server is judged for the first time, is no time to read files.
            if identity != nil { given.systemAnchors = try trustOptions.systemAnchors(read, console) }
            try finish(await judge(endpoint, read, given, identity, console), console)
        } catch let error as InputError {
            var report = answer(Verdict(refusing: []), endpoint, policy ?? .default)
            report.isPolicyKnown = policy != nil
            report.error = .input(error)
            try finish(report, console)
        }
    }

    private func judge(
        _ endpoint: TLSEndpoint, _ policy: SecurityPolicy, _ given: TrustOptions.Given, _ identity: TLSIdentity?,
        _ console: Console
    ) async throws -> CheckReport {
        let name = try connection.expectName ?? ServerName(endpoint.host)
        @Sendable func trust(_ chain: [[UInt8]], _ moment: Date) throws(InputError) -> ServerTrust {
            var trust = try trustOptions.trust(
                chain: chain, name: name, given: given, policy: policy, console: console)
            trust.evaluationTime = trust.evaluationTime ?? moment
            return trust
        }
        func judged(_ chain: [[UInt8]], _ moment: Date, _ more: [Finding]) throws -> CheckReport {
            let trust = try trust(chain, moment)
            let verdict = policy.evaluate(trust).adding(more)
            var report = answer(verdict, endpoint, policy)
            report.sent = chain
            report.path = PathReport(verdict, trust: trust, policy: policy, at: trust.evaluationTime ?? moment)
            return report
        }
        let client = TLSClient(loop: try console.reading { () throws(EventLoopError) in try EventLoop() })
        let examination: TLSExamination
        do throws(TLSError) {
            examination = try await client.examine(
                endpoint, requirements: Self.requirements, connectTo: connection.connectTo,
                timeouts: connection.timeouts, identity: identity
            ) { evidence in
                // With nothing to show, the server is judged afterwards.
                guard identity != nil, let trust = try? trust(evidence.chain, evidence.moment) else { return false }
                return policy.evaluate(trust).isTrusted
            }
        } catch {
            // A server that showed certificates and could not prove them is not out of reach: it is refused.
            if let chain = error.reason.presentedChain {
                var proof: [Finding] = []
                if case .keyDoesNotMatchCertificate = error.reason { proof = [ConnectionRequirements.keyNotProven()] }
                let report = try judged(chain, Date(), proof)
                if !report.verdict.isTrusted { return report }
            }
            var report = answer(Verdict(refusing: []), endpoint, policy)
            report.error = .connection(error)
            return report
        }
        var report = try judged(examination.evidence.chain, examination.evidence.moment, examination.findings)
        // A server that is not trusted is refused, whatever it demands.
        if let ending = examination.ending, report.verdict.isTrusted {
            report = answer(Verdict(refusing: []), endpoint, policy)
            report.error = .connection(ending)
            return report
        }
        report.examination = examination
        return report
    }

    private func answer(_ verdict: Verdict, _ endpoint: TLSEndpoint, _ policy: SecurityPolicy) -> CheckReport {
        CheckReport(
            url: printable(url), endpoint: endpoint, connectTo: connection.connectTo, verdict: verdict,
            requirements: Self.requirements, policy: policy, isMomentGiven: trustOptions.time != nil,
            words: policyOptions.wordsWithoutPins + trustOptions.words + connection.words)
    }

    private func finish(_ report: CheckReport, _ console: Console) throws {
        if output.format == .json { try console.printJSON(report) }
        switch report.error {
        case .connection(let error)?: throw console.fail(Self.message(error))
        case .input(let error)?: throw console.fail(error.text)
        case nil: break
        }
        if output.format == .text { try console.print(CheckText(report: report, console: console).text) }
        if !report.verdict.isTrusted { throw ExitStatus.refused }
    }

    private static func message(_ error: TLSError) -> String {
        guard case .clientCertificateRequired(let issuers) = error.reason else { return error.description }
        let accepted =
            issuers.isEmpty
            ? "" : "\n  it accepts issuers: " + Text.list(issuers.map(issuerText), limit: 5, separator: "; ")
        return "\(error.description)\(accepted)\n  give an identity with --identity FILE"
    }
}
