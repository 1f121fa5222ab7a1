import BelayArguments
import BelayCertificates
import BelayTLS
import BelayTrust
import FoundationEssentials

/// `belay cert pin`: the pins of certificates, keys, requests and live servers, in every form.
struct CertPinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Print the pins of certificates, keys, certificate requests and live servers, in every form.",
        discussion: """
            A pin is the SHA-256 of a public key (SubjectPublicKeyInfo): it stays the same when a certificate is renewed with the same key. \
            Files are told by their content: certificates, public keys, private keys (only their public half is looked at), certificate requests, key stores (PKCS#12, PKCS#7, JKS, BKS).
            Of a chain every certificate is pinned, unless --leaf or --authorities says otherwise. Nothing is judged: make sure that what is \
            pinned is what you mean, above all of a server that is asked over a network.
            Forms of --to: base64, hex and sha256 (a line each), curl, okhttp, android (network security config), trustkit and \
            nspinneddomains (property lists). The last four need --host, or take the host of a URL.
            """,
        examples: [
            ("belay cert pin server.pem", "The pin in base64."),
            (
                "belay cert pin next.key server.csr --to sha256",
                "Of a key and a request, before there is a certificate."
            ),
            ("curl $(belay cert pin server.pem --leaf --to curl) https://www.example.com", "For curl."),
            (
                "belay cert pin https://www.example.com --leaf --to nspinneddomains",
                "For an Info.plist, of what a server sends now."
            ),
            (
                "belay cert pin ca.pem spare.key --to android --host example.com --include-subdomains",
                "For Android, with a spare key."
            ),
            ("belay cert pin chain.pem --format json", "Everything, for programs."),
        ])

    @Argument(
        help: ArgumentHelp("Files, - for standard input, or servers as URLs (https://host).", valueName: "file|url"))
    var input: [String]
    @Option(help: "The form of the pins.") var to = PinFormat.base64
    @Option(help: ArgumentHelp("The host that is pinned; repeatable.", valueName: "name")) var host: [String] = []
    @Flag(help: "Pin all hosts below it as well.") var includeSubdomains = false
    @Flag(help: "Only what is no authority: servers' own certificates, and keys.") var leaf = false
    @Flag(help: "Only certificates of authorities.") var authorities = false
    @OptionGroup(title: "Passphrase") var passphrase: PassphraseOptions
    @OptionGroup(title: "Connection") var options: FetchOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        if leaf, authorities { throw ValidationError("'--leaf' and '--authorities' together leave nothing out") }
        if !to.needsHosts, output.format == .text,
            let word = !host.isEmpty ? "--host" : includeSubdomains ? "--include-subdomains" : nil
        {
            throw ValidationError("'\(word)' means nothing with '--to \(to.rawValue)', which is about keys alone")
        }
        if to.needsHosts, host.isEmpty, !input.contains(where: FetchOptions.isServer) {
            throw ValidationError("pins for \(to.rawValue) belong to a host: give '--host NAME'")
        }
        try options.check(input)
        try StandardInput.checkOnce(input + passphrase.source.files)
    }

    func run() async throws {
        let console = Console()
        var report = PinReport(format: to)
        do {
            report.pins = try await read()
            report.configuration = try configuration(report.pins)
            report.text = try write(report.configuration)
        } catch let error as Failure {
            guard let failure = error.report else { throw ValidationError(error.text) }
            report.error = failure
            if output.format == .json { try console.printJSON(report) }
            throw console.fail(error.text)
        }
        switch output.format {
        case .json: try console.printJSON(report)
        case .text:
            for line in report.notes { console.note(line) }
            try console.print(report.text)
        }
    }

    private typealias Failure = CertificateInput.Failure

    private func read() async throws -> [PinReport.Pin] {
        var pins: [PinReport.Pin] = []
        let given: Secret?
        do throws(InputError) { given = try passphrase.source.read() } catch { throw Failure(error) }
        for name in input {
            pins += FetchOptions.isServer(name) ? try await fetch(name) : try read(name, given)
        }
        return pins.filter { leaf ? $0.role != .authority : authorities ? $0.role == .authority : true }
    }

    private func read(_ name: String, _ given: Secret?) throws -> [PinReport.Pin] {
        func find(_ secret: Secret?) throws(PublicKeyFileError) -> [PublicKey.Found] {
            try PublicKey.findAll(contentsOf: StandardInput.path(name), passphrase: secret)
        }
        do {
            let found =
                given != nil
                ? try find(given)
                : try passphrase.source.open(
                    name, needsPassphrase: { (error: PublicKeyFileError) in error.problem.needsPassphrase },
                    isWrongPassphrase: { error in
                        switch error.problem {
                        case .privateKey(.wrongPassphrase), .keyStore(.wrongPassphrase): true
                        default: false
                        }
                    }, with: find)
            return found.map { PinReport.Pin(name, $0) }
        } catch let error as PublicKeyFileError {
            throw Failure(Self.unread(error))
        } catch let error as InputError {
            throw Failure(error)
        }
    }

    private func fetch(_ name: String) async throws(Failure) -> [PinReport.Pin] {
        try await CertificateInput.fetch(name, options).enumerated().map { index, certificate in
            var pin = PinReport.Pin(name, PublicKey.Found(certificate.publicKey, in: .certificate(certificate)))
            // Whatever it says of itself, the server uses the first as its own.
            if index == 0 { pin.role = .leaf }
            return pin
        }
    }

    private func configuration(_ pins: [PinReport.Pin]) throws(Failure) -> PinConfiguration {
        var hosts = host
        if hosts.isEmpty {
            for name in input where FetchOptions.isServer(name) {
                guard let location = try? options.location(name), location.endpoint.hasServerName else { continue }
                hosts.append(location.endpoint.host)
            }
        }
        do throws(PinConfigurationError) {
            return try PinConfiguration(
                leaves: pins.filter { $0.role != .authority }.map(\.pin),
                authorities: pins.filter { $0.role == .authority }.map(\.pin), hosts: hosts,
                includesSubdomains: includeSubdomains)
        } catch {
            throw Self.refused(error)
        }
    }

    private func write(_ configuration: PinConfiguration?) throws(Failure) -> String {
        guard let configuration else { return "" }
        do throws(PinConfigurationError) { return try configuration.text(as: to) } catch { throw Self.refused(error) }
    }

    private static func refused(_ error: PinConfigurationError) -> Failure {
        switch error {
        case .noPins, .onlyAuthorities:
            Failure(
                InputError(
                    message: "nothing to pin: \(error)",
                    remedy: "Give another input, or leave '--leaf' and '--authorities' out."))
        case .hostNeeded: Failure(wrongUse: "\(error) with '--host NAME'")
        default: Failure(wrongUse: "\(error)")
        }
    }

    private static func unread(_ error: PublicKeyFileError) -> InputError {
        if error.problem.needsPassphrase {
            return InputError(
                message: "\(error)",
                remedy: "Put the passphrase on the first line of a file that only you can read, and name it with "
                    + "'--passphrase-file FILE'.", isRemedyNews: true)
        }
        return switch error.problem {
        case .unreadable:
            InputError(
                message: "\(error)", remedy: "For a live server, write a URL: https://\(printable(error.file)).",
                isRemedyNews: FetchOptions.couldBeServer(error.file))
        default:
            InputError(
                message: "\(error)", remedy: "Give a file with a certificate, a key or a certificate request.")
        }
    }
}

extension PinFormat: ExpressibleByArgument {}
