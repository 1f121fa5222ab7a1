import BelayArguments
import BelayCertificates
import BelaySession
import BelayTLS
import BelayTrust
import Glibc

/// One run of `belay get`: policy, session, request, and what becomes of the response or the failure.
struct GetRun {
    let command: GetCommand
    let request: Request
    /// Whom to authenticate as; nil for nobody.
    let login: UserPassword?
    let target: SessionURL
    /// Where the body goes.
    let place: BodyOutput
    let console: Console

    private var isJSON: Bool { command.output.format == .json }

    func run() async throws {
        let policy = try command.policyOptions.policy()
        var refusals = policy.contradictions()
        let enforcement = try command.transportSecurity.enforcement()
        // With an Info.plist the decision is its own.
        if !target.isSecure, (enforcement == nil && !command.transfer.allowHTTP) || policy.isPinned {
            refusals.append(ConnectionRequirements.cleartext(host: target.host.description))
            refusals += policy.findings(allowingCleartext: command.transfer.allowHTTP)
        }
        // Known already: not a byte goes out.
        guard refusals.isEmpty else {
            let report = command.subject(target.absoluteText, isOriginal: true, enforcement)?
                .answer(Verdict(refusing: refusals), policy)
            return try refuse(
                report,
                GetReport(
                    url: command.url, method: command.method,
                    error: GetFailure(refusals, of: target.description, policy)))
        }
        var given = try command.trustOptions.read()
        let identity = try command.connection.readIdentity(console)
        if target.isSecure || command.transfer.location {
            given.systemAnchors = try command.trustOptions.systemAnchors(policy, console)
        }
        let story = GetStory(isVerbose: command.outputOptions.verbose, policy: policy, console: console)
        let session = try session(policy, given, identity?.forTLS, story, enforcement)
        if let login, !command.requestOptions.anyauth { session.send(login, unaskedTo: target) }
        let began = ContinuousClock.now
        let result = await GetTimer(limit: command.transfer.wholeTime).send(request, in: session)
        let told = await story.end()
        let judging = Judging(
            command: command, policy: policy, given: given, console: console, target: target, enforcement: enforcement,
            secondLook: SecondLook(
                began: began, wholeTime: command.transfer.wholeTime,
                connectTime: command.transfer.connectTime(command.connection),
                isVerbose: command.outputOptions.verbose, console: console))
        let shown = shown(identity, told)
        switch result {
        case .success(let response):
            // What writing may take is what the exchange has left.
            let rest = command.transfer.wholeTime.map { max(.milliseconds(1), $0 - (.now - began)) }
            try await finish(response, told, judging, shown, within: rest)
        case .failure(let error): try await fail(error, told, judging, shown)
        }
    }

    /// The identity, compared with the issuers that the last server to see it has named.
    private func shown(_ identity: GivenIdentity?, _ told: GetStory.Told) -> GivenIdentity? {
        guard let exchange = told.exchanges.last(where: \.sentClientCertificate),
            let request = exchange.certificateRequest
        else { return identity }
        return identity?.compared(with: request.acceptableIssuers, console)
    }

    private func session(
        _ policy: SecurityPolicy, _ given: TrustOptions.Given, _ identity: TLSIdentity?, _ story: GetStory,
        _ enforcement: TransportSecurityEnforcement?
    ) throws -> Session {
        var configuration = SessionConfiguration()
        command.transfer.apply(to: &configuration, command.connection)
        configuration.onEvent = { story.tell($0) }
        configuration.announcesHeads =
            command.outputOptions.verbose || command.outputOptions.include || request.method == .head
        if let login, command.requestOptions.anyauth {
            configuration.onChallenge = answer(with: login)
            configuration.asksForPasswordsOnly = true
        }
        let connection = command.policy(policy, given, identity)
        do {
            var hosts = HostPolicies(default: .use(connection))
            if let name = command.connection.expectName {
                var named = connection
                named.expectedName = name
                try hosts.set(.use(named), for: HostPattern(target.host.description))
            }
            if let enforcement {
                return try Session(enforcing: enforcement, configuration: configuration, hostPolicies: hosts)
            }
            return try Session(configuration: configuration, hostPolicies: hosts)
        } catch {
            throw console.fail("\(error)", status: ExitStatus.wrongUse)
        }
    }

    // MARK: - Authentication

    /// Gives the password to the server of the URL, once, and to nobody else.
    private func answer(with login: UserPassword) -> ChallengeHandler {
        let (host, port, isSecure) = (target.host, target.port, target.isSecure)
        return { challenge in
            switch challenge.kind {
            case .httpBasic, .httpDigest:
                // A redirect to http on the same port leads to another origin, where the password would go in the clear.
                guard challenge.host == host, challenge.port == port, challenge.isEncrypted == isSecure,
                    challenge.previousFailureCount == 0
                else { return .performDefaultHandling }
                return .useCredential(.password(user: login.user, password: login.password))
            case .serverTrust, .clientCertificate: return .performDefaultHandling
            }
        }
    }

    // MARK: - A response

    private func finish(
        _ response: Response, _ told: GetStory.Told, _ judging: Judging, _ identity: GivenIdentity?,
        within limit: Duration?
    ) async throws {
        let options = command.outputOptions
        let isFailure = options.fail && response.statusCode >= 400
        let check = try isJSON || command.trustOptions.explain ? judging.judged(told.exchanges.last, response.url) : nil
        if !isFailure, place.file != nil {
            if options.verbose, case .stream(let path) = place.place { console.note("* writing to \(printable(path))") }
            try await place.write(content(response, told), within: limit)
        }
        if isJSON {
            var report = GetReport(url: command.url, method: command.method, response: response, told: told)
            report.file = isFailure ? nil : place.file
            report.check = check
            report.identity = identity
            try console.printJSON(report)
        }
        if isFailure {
            throw console.fail(
                "\(printable(target.description)): the server answered \(response.statusCode)",
                status: ExitStatus.refused)
        }
        if !isJSON, place.file == nil {
            try await print(response, told, mayBeBinary: place.name == "-", within: limit)
        }
        if let story = check?.verdict.explanation, !isJSON {
            console.note(ExplanationText(story, style: console.noteStyle).text)
        }
    }

    private func print(
        _ response: Response, _ told: GetStory.Told, mayBeBinary: Bool, within limit: Duration?
    ) async throws {
        let content = content(response, told)
        guard mayBeBinary || !console.isInteractive || BodyOutput.isPlainText(content) else {
            // The header is a part of what is printed with --include and --head.
            let what =
                BodyOutput.isPlainText(response.body) ? "the header" : "the body (\(response.body.count) bytes)"
            throw console.fail(
                "\(what) is no plain text and could upset the terminal; name a file with "
                    + "'--output FILE', or write it all the same with '--output -'", status: ExitStatus.wrongUse)
        }
        switch await PatientWork.run(within: limit, { Console.write(content, to: STDOUT_FILENO) }) {
        case 0?: return
        case let failure?: throw console.outputFailure(failure)
        case nil: throw console.fail("standard output: nobody reads it; no end within the time of --max-time")
        }
    }

    /// The body, with the header before it where that is wanted.
    private func content(_ response: Response, _ told: GetStory.Told) -> [UInt8] {
        guard command.outputOptions.include || request.method == .head else { return response.body }
        var head = (told.statusLine ?? "\(response.httpVersion) \(response.statusCode)") + "\r\n"
        for field in response.headers.fields { head += "\(field.name): \(field.value)\r\n" }
        return Array((head + "\r\n").utf8) + response.body
    }

    // MARK: - A failure

    private func fail(
        _ error: SessionError, _ told: GetStory.Told, _ judging: Judging, _ identity: GivenIdentity?
    ) async throws {
        var report = GetReport(url: command.url, method: command.method, told: told, error: GetFailure(error))
        report.identity = identity
        if let check = try await judging.explanation(of: error, told.exchanges.last) {
            return try refuse(check, report)
        }
        let error = try await judging.examined(error, told.exchanges.last)
        report.error = GetFailure(error)
        if isJSON { try console.printJSON(report) }
        let hint = GetHint(
            error, usesProxy: command.transfer.usesProxy, hasInfoPlist: command.transportSecurity.infoPlist != nil)
        throw console.fail(error.description + (hint.text.map { "\n  \($0)" } ?? ""), status: hint.status)
    }

    /// Says why the server is refused, as `belay check` does, and ends with 1.
    private func refuse(_ check: CheckReport?, _ report: GetReport) throws {
        var report = report
        report.check = check
        if isJSON { try console.printJSON(report) }
        guard let check else { throw ExitStatus.refused }
        if !isJSON {
            let notes = console.forNotes
            notes.note(CheckText(report: check, console: notes).text)
            if check.verdict.findings.contains(where: { $0.rule.identifier == "ats.cleartext" }),
                !command.transfer.allowHTTP
            {
                notes.note("\n  The option for a server that has no https is --allow-http.")
            }
        }
        throw ExitStatus.refused
    }
}

/// Judges what exchanges have shown once more, for the answer's text: the same function with the same input.
struct Judging {
    let command: GetCommand
    let policy: SecurityPolicy
    let given: TrustOptions.Given
    let console: Console
    let target: SessionURL
    let enforcement: TransportSecurityEnforcement?
    let secondLook: SecondLook

    private func check(_ url: String) -> ServerCheck? {
        let origin = (try? SessionURL(url))?.origin
        guard let subject = command.subject(url, isOriginal: origin == target.origin, enforcement) else { return nil }
        return ServerCheck(subject: subject, policy: policy, given: given, console: console)
    }

    /// What is to be said of a connection's certificates; nil where there are none.
    func judged(_ metrics: ExchangeMetrics?, _ url: String) throws -> CheckReport? {
        guard let evidence = metrics?.evidence else { return nil }
        return try check(url)?.judged(evidence)
    }

    /// The same failure, told better: libcurl keeps to itself what a server says that speaks no TLS.
    func examined(_ error: SessionError, _ metrics: ExchangeMetrics?) async throws -> SessionError {
        guard case .tls(.notTLS) = error.reason, command.transfer.goesStraight, let check = check(error.url),
            case .connection(let found) = try await secondLook.report(check, after: metrics)?.error,
            case .notTLS = found.reason
        else { return error }
        return SessionError(method: error.method, url: error.url, phase: error.phase, reason: .tls(found.reason))
    }

    /// Why a server is refused; nil where that is not why there is no response.
    func explanation(of error: SessionError, _ metrics: ExchangeMetrics?) async throws -> CheckReport? {
        guard let check = check(error.url) else { return nil }
        switch error.reason {
        case .untrusted(let verdict):
            guard let evidence = metrics?.evidence else { return check.subject.answer(verdict, policy) }
            let report = try check.judged(evidence)
            return report.verdict.isTrusted ? check.subject.answer(verdict, policy) : report
        case .cleartext(let finding): return check.subject.answer(Verdict(refusing: [finding]), policy)
        case .transportSecurity(let findings): return check.subject.answer(Verdict(refusing: findings), policy)
        case .tls(let reason):
            if let report = try check.judged(unproven: reason) { return report }
            // What the server offers instead is found out by a handshake of its own, where there is a straight way.
            guard reason.isDisagreement, command.transfer.goesStraight,
                let report = try await secondLook.report(check, after: metrics)
            else { return nil }
            return report.error == nil && !report.verdict.isTrusted ? report : nil
        default: return nil
        }
    }
}
