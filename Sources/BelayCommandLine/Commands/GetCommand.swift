import BelayArguments
import BelayCertificates
import BelaySession
import BelayTLS
import BelayTransportSecurity
import BelayTrust

/// `belay get`: an HTTP request over a connection that is judged first.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Send an HTTP request over a connection that is judged first.",
        discussion: """
            The options are those of curl where both have them, and those of 'belay check' for whom to trust. The body \
            goes to standard output as it is, everything else to standard error. A server that is refused gets not one \
            byte of the request, and the refusal is explained as 'belay check' explains it. Redirects are followed only \
            with '--location'; http:// is refused without '--allow-http'. '--timeout' limits silence, too, which is 60 \
            seconds otherwise.
            Exit status: 0 for any response, but with '--fail' 1 for a status of 400 or more; 1 refused; 2 wrong use; \
            3 not reached or not read, also where the server demands a client identity.
            """,
        examples: [
            ("belay get https://www.example.com", "The body, if the server is trusted."),
            (
                "belay get -v https://www.example.com -o page.html",
                "Say what happens; the file is there whole or not at all."
            ),
            (
                "belay get https://api.example.com/users --json '{\"name\": \"Ada\"}' -H @token.txt",
                "POST JSON, with a header field from a file, where nobody sees it."
            ),
            ("belay get https://api.example.com/search -G --form 'q=red shoes'", "A query, percent-encoded."),
            (
                "belay get https://test.example.com --anchor ca.pem --no-system-anchors --pins pins.txt",
                "A private authority, no other, and a pinned key."
            ),
            ("belay get https://api.example.com --identity me.p12 --passphrase-file secret.txt", "Mutual TLS."),
            (
                "belay get https://api.example.com --identity 'pkcs11:token=office;object=me' --passphrase-file pin.txt",
                "The same with a private key that stays on its token."
            ),
            (
                "belay get -fL https://example.com -o page.html",
                "Follow redirects, and fail where the answer is an error."
            ),
            ("belay get https://www.example.com --format json | jq .metrics", "For programs."),
            ("belay get https://www.example.com --json '{}' --curl", "The command line for curl, nothing sent."),
        ])

    @Argument(help: "https://host[:port]/path, or without https://.") var url: String
    @OptionGroup(title: "Request") var requestOptions: RequestOptions
    @OptionGroup(title: "Body") var bodyOptions: BodyOptions
    @OptionGroup(title: "Output") var outputOptions: OutputOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Policy") var policyOptions: PolicyOptions
    @OptionGroup(title: "Trust") var trustOptions: TrustOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup(title: "App Transport Security") var transportSecurity: TransportSecurityOptions
    @OptionGroup var foreign: ForeignOptions

    /// Where the response goes, in curl's spelling.
    struct OutputOptions: ParsableArguments, Sendable {
        @Option(
            name: [.customShort("o"), .customLong("output")],
            help: ArgumentHelp(
                "Write the body to this file, whole or not at all, through links; devices and pipes are written to. - is standard output, whatever it is.",
                valueName: "file"))
        var output: String?
        @Flag(name: [.customShort("i"), .customLong("include")], help: "Print the response's header before the body.")
        var include = false
        @Flag(
            name: [.customShort("f"), .customLong("fail")],
            help: "End with 1 and without the body where the status is 400 or more.")
        var fail = false
        @Flag(
            name: [.customShort("v"), .customLong("verbose")],
            help: "Say on standard error what happens: connection, verdict, headers; secrets are left out.")
        var verbose = false
        @Flag(
            help:
                "Print the same request as a command line for curl, secrets left out, and send nothing.")
        var curl = false
    }

    func validate() throws {
        if connection.expectName != nil, policyOptions.noDomainValidation {
            throw ValidationError("'--expect-name' means nothing with '--no-domain-validation'")
        }
        if transfer.unixSocket != nil, connection.connectTo != nil {
            throw ValidationError(
                "'--unix-socket' and '--connect-to' are two ways to one server; leave one of them out")
        }
        if requestOptions.head, bodyOptions.isGiven, !bodyOptions.get {
            throw ValidationError("'--head' asks for a header and sends no data; leave out the data, or add '--get'")
        }
        if output.format == .json, outputOptions.include {
            throw ValidationError("'--format json' has the headers always; leave out '--include'")
        }
        if output.format == .json, outputOptions.output == "-" {
            throw ValidationError(
                "'--format json' writes to standard output itself; give '--output' a file, or leave it out")
        }
        try transportSecurity.checkEnforcement()
        let files = connection.files + [transportSecurity.infoPlist].compactMap(\.self)
        try StandardInput.checkOnce(
            policyOptions.pins + trustOptions.anchor + trustOptions.crl + [trustOptions.ctLogList].compactMap(\.self)
                + files
                + requestOptions.files
                + bodyOptions.files)
    }

    func run() async throws {
        let console = Console()
        do {
            let request = try request()
            let target = try target(request)
            if outputOptions.curl { return try console.print(curlLine(request, target, console)) }
            for name in requestOptions.exposedFields {
                console.note(
                    "belay: \(console.noteStyle.warning("warning")): every user of this machine can read the value of "
                        + "'\(printable(name))' in an argument; give it as @file")
            }
            let place = try BodyOutput(outputOptions.output)
            if output.format == .json, place.file != nil, place.isStandardOutput {
                throw ValidationError(
                    "'--format json' writes to standard output itself; give '--output' a file, or leave it out")
            }
            let login = try login()
            if login != nil, !target.isSecure {
                console.note(
                    "belay: \(console.noteStyle.warning("warning")): the password goes out in the clear, for everybody on the way to read"
                )
            }
            try await GetRun(
                command: self, request: request, login: login, target: target, place: place, console: console
            ).run()
        } catch let error as InputError {
            if output.format == .json {
                try console.printJSON(
                    GetReport(url: url, method: method, error: GetFailure(error)))
            }
            throw console.fail(error.text)
        }
    }

    /// The method, unless it is said otherwise: GET, or POST where data is sent.
    var method: String {
        if requestOptions.head { return "HEAD" }
        return requestOptions.method ?? (bodyOptions.isGiven && !bodyOptions.get ? "POST" : "GET")
    }

    private func request() throws -> Request {
        let body = try bodyOptions.read()
        var headers = try requestOptions.readHeaders()
        if !headers.contains("User-Agent") { headers["User-Agent"] = "belay" }
        if !bodyOptions.json.isEmpty, !headers.contains("Accept") { headers["Accept"] = "application/json" }
        var text = url
        switch URLBeginning(of: url) {
        case .scheme: break
        case .host: text = "https://\(url)"
        case .mistyped(let beginning):
            throw ValidationError(
                "the URL begins with '\(printable(beginning))', and a scheme has '://' after it. Write https://host/path"
            )
        }
        if bodyOptions.get, let query = body?.bytes {
            let end = text.firstIndex(of: "#") ?? text.endIndex
            let mark = text[..<end].contains("?") ? "&" : "?"
            text = text[..<end] + mark + EncodedField.query(query) + text[end...]
        }
        return Request(
            HTTPMethod(method), text, headers: headers, body: bodyOptions.get ? .none : body ?? .none)
    }

    /// Reads the URL; what cannot be sent is known then.
    private func target(_ request: Request) throws -> SessionURL {
        do throws(RequestError) { return try request.prepared().url } catch {
            guard case .url(let fault) = error, fault.reason == .userInformation else {
                throw ValidationError("\(error)")
            }
            throw ValidationError(
                "the URL has a user name or password before its host, where every user of this machine could read it; "
                    + "leave it out, give '--user NAME', and the password by '--password-file FILE', by the environment "
                    + "(\(Password.variable)), or when it is asked for")
        }
    }

    /// Whom `--user` names, with the password.
    private func login() throws -> UserPassword? {
        guard let user = requestOptions.user else { return nil }
        let password = try Password.read(for: user, file: requestOptions.passwordFile)
        let source = requestOptions.passwordFile.map { printable($0) } ?? "the password"
        try UTF8Text.check(
            password, of: source, remedy: "Servers expect passwords in UTF-8 (RFC 7617): write it so.")
        return UserPassword(user: user, password: password)
    }

    /// The connection's policy, once the options' files are read.
    func policy(
        _ security: SecurityPolicy, _ given: TrustOptions.Given, _ identity: TLSIdentity?
    ) -> ConnectionPolicy {
        var policy = ConnectionPolicy(securityPolicy: security, identity: identity)
        policy.trust.anchors = given.anchors
        policy.trust.systemAnchors = given.systemAnchors.map { .store($0) } ?? .none
        policy.trust.rules = trustOptions.rules ?? (transportSecurity.infoPlist == nil ? .standard : .apple)
        policy.trust.revocationLists = given.revocationLists
        policy.trust.logList = given.logList
        policy.trust.evaluationTime = trustOptions.time
        policy.allowsCleartext = transfer.allowHTTP
        return policy
    }

    /// Who is asked about, for a URL that the request went to.
    func subject(_ place: String, isOriginal: Bool, _ enforcement: TransportSecurityEnforcement?) -> CheckSubject? {
        let endpoint: TLSEndpoint
        do throws(EndpointError) { endpoint = try TLSEndpoint(url: place) } catch {
            guard case .cleartext(let meant) = error.reason else { return nil }
            endpoint = meant
        }
        var connection = connection
        // The name was meant for the host of the URL that was given.
        if !isOriginal { connection.expectName = nil }
        let target = try? SessionURL(place)
        let decision = target.flatMap { url in
            enforcement.flatMap { AppDecision(transportSecurity, $0, url) }
        }
        return CheckSubject(
            command: "get", url: isOriginal ? url : place, endpoint: endpoint, policyOptions: policyOptions,
            trustOptions: trustOptions, connection: connection, transportSecurity: transportSecurity,
            demands: target.flatMap { try? enforcement?.demands(for: $0) }, decision: decision)
    }
}
