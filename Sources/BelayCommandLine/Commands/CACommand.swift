import BelayArguments
import BelayCertificates

/// `belay ca`: a certificate authority of one's own.
struct CACommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca", abstract: "A private certificate authority: make it, issue for servers and clients.",
        subcommands: [CAInitCommand.self, CAIssueCommand.self])
}

/// `belay ca init`: a new authority in a folder.
struct CAInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a private certificate authority in a folder.",
        discussion: """
            The folder gets the root's certificate (root.cer for phones, root.pem for servers) and its key, encrypted with a \
            passphrase that is asked for or given; only its owner can enter it. With '--intermediate' an intermediate issues, \
            and the root's key can be kept elsewhere. '--permit' confines the authority to some names: phones that trust \
            its root then need not fear what else it could sign.
            """,
        examples: [
            ("belay ca init --name Example", "In ./ca; the passphrase is asked for twice."),
            (
                "belay ca init --name Example --permit example.com --intermediate --out ca",
                "Confined, with an intermediate."
            ),
            ("belay ca init --name Test --no-passphrase", "For tests: whoever reads the key is the authority."),
        ])

    @Option(help: ArgumentHelp("What people shall see, for example the company's name.", valueName: "name"))
    var name = "Private"
    @Option(help: ArgumentHelp("The organization in the certificates.", valueName: "name")) var organization: String?
    @Option(help: ArgumentHelp("The folder.", valueName: "dir")) var out = "ca"
    @Option(help: "The kind of its keys.") var key = NewKey.p256
    @Option(help: ArgumentHelp("How long it is valid.", valueName: "days"), transform: { text in try Self.days(text) })
    var days = 3_650
    @Flag(help: "Let an intermediate issue, below the root.") var intermediate = false
    @Option(
        help: ArgumentHelp("Issue only for this domain or these addresses; may be given again.", valueName: "name"),
        transform: { text in try TypedName.subtree(text) })
    var permit: [GeneralName] = []
    @Flag(help: "Write the keys without a passphrase.") var noPassphrase = false
    @Flag(help: "Replace an authority that is there.") var force = false
    @OptionGroup(title: "Passphrases") var passphrase: PassphraseOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        if noPassphrase, let option = passphrase.source.words.first {
            throw ValidationError("'--no-passphrase' contradicts '\(option)'")
        }
        guard name.unicodeScalars.count <= 50 else {
            throw ValidationError(
                "'--name' has at most 50 characters, so that the certificates' names have room for it")
        }
        try StandardInput.checkOnce(passphrase.source.files)
    }

    func run() throws {
        let console = Console()
        var plan = PrivateAuthority.Plan(name: name)
        plan.organization = organization
        plan.days = days
        plan.key = key.specification
        plan.hasIntermediate = intermediate
        // Of a kind that is not listed every name would be permitted: a domain alone would leave all addresses open.
        plan.nameConstraints = permit.isEmpty ? nil : Self.constraints(permit)
        let authority: PrivateAuthority
        do {
            try AuthorityPlace(folder: out).check(replacing: force)
            let secret = noPassphrase ? nil : try passphrase.source.readNew(for: "the keys of \(printable(name))")
            authority = try PrivateAuthority.create(plan, in: out, passphrase: secret, replacing: force)
        } catch {
            throw AuthorityFailure.report(error, console)
        }
        let report = CAReport(authority, isProtected: !noPassphrase, hasIntermediate: intermediate)
        switch output.format {
        case .json: try console.printJSON(report)
        case .text: try console.print(report.text(console))
        }
    }

    /// Permitted names, with nothing of the other kind that a server's certificate can have.
    static func constraints(_ permitted: [GeneralName]) -> NameConstraints {
        let hasDomains = permitted.contains { if case .dns = $0 { true } else { false } }
        let hasAddresses = permitted.contains { if case .ipAddress = $0 { true } else { false } }
        var excluded: [GeneralName] = []
        if !hasDomains { excluded.append(.dns("")) }
        if !hasAddresses {
            excluded += [.ipAddress([UInt8](repeating: 0, count: 8)), .ipAddress([UInt8](repeating: 0, count: 32))]
        }
        return NameConstraints(permitted: permitted, excluded: excluded)
    }

    static func days(_ text: String) throws -> Int {
        guard let days = Int(text), (1...36_500).contains(days) else {
            throw ValidationError("expected days from 1 to 36500")
        }
        return days
    }
}

/// `belay ca issue`: certificates of the authority.
struct CAIssueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "Issue a certificate for a server or a client.",
        subcommands: [CAIssueServerCommand.self, CAIssueClientCommand.self])
}

/// What issuing for servers and clients has in common.
struct IssueOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The folder of the authority.", valueName: "dir")) var ca = "ca"
    @Option(help: ArgumentHelp("A request (PKCS#10) whose key is certified.", valueName: "file")) var csr: String?
    @Option(help: "The kind of the new key; p256 unless said otherwise.") var key: NewKey?
    @Option(
        help: ArgumentHelp("How long it is valid.", valueName: "days"),
        transform: { text in try CAInitCommand.days(text) })
    var days = PrivateAuthority.usualDays
    @Option(help: ArgumentHelp("Where the files go.", valueName: "dir")) var out = "."
    @Flag(help: "Replace files that are there.") var force = false

    func validate() throws {
        if csr != nil, key != nil { throw ValidationError("'--csr' brings its own key; leave out '--key'") }
    }

    /// The path of a file that is written.
    func path(_ name: String) -> String { out == "." ? name : out.hasSuffix("/") ? out + name : "\(out)/\(name)" }

    /// Makes the folder, and sees that the files' names are free.
    func prepare(_ names: [String]) throws {
        if out != "." { try FileWriting.makeFolder(out) }
        for name in names { try FileWriting.check(path(name), replacing: force) }
    }

    /// Opens the authority, and asks on the terminal for the passphrase that its key needs.
    func authority(_ source: PassphraseSource) throws -> PrivateAuthority {
        try source.open(
            PrivateAuthority.keyFile(in: ca),
            needsPassphrase: { (error: PrivateAuthorityError) in
                if case .key(let failure) = error { failure.problem == .passphraseNeeded } else { false }
            }
        ) { (passphrase) throws(PrivateAuthorityError) in try PrivateAuthority.open(ca, passphrase: passphrase) }
    }

    /// Reads the request; nil where none is given.
    func request() throws -> CertificateRequest? {
        guard let csr else { return nil }
        return try CertificateRequest.read(contentsOf: StandardInput.path(csr))
    }
}

/// Sees whether an authority may be made in a folder before anybody is asked for a passphrase.
private struct AuthorityPlace {
    let folder: String

    func check(replacing: Bool) throws(FileWritingError) {
        guard FileReading.isFolder(folder) else { return }
        for name in ["root.pem", "root.key"] {
            try FileWriting.check("\(folder)/\(name)", replacing: replacing)
        }
    }
}

/// What goes wrong with an authority, said to people.
enum AuthorityFailure {
    /// Says what went wrong; returns the status to throw.
    static func report(_ error: any Error, _ console: Console) -> any Error {
        let writing: FileWritingError?
        switch error {
        case let error as InputError: return console.fail(error.text)
        case let error as FileWritingError: writing = error
        case PrivateAuthorityError.writing(let error): writing = error
        case PrivateAuthorityError.none(let folder):
            return console.fail(
                "\(printable(folder)): holds no authority. Make one with 'belay ca init', or give its folder with '--ca'"
            )
        case PrivateAuthorityError.key(let failure) where failure.problem == .passphraseNeeded:
            return console.fail(
                "\(failure)\n  Give '--passphrase-file FILE', '--passphrase-fd N' or '--passphrase-env NAME'.")
        case PrivateAuthorityError.unacceptable, PrivateAuthorityError.outlivesAuthority:
            return console.fail("\(error)", status: ExitStatus.wrongUse)
        case is PrivateAuthorityError, is CertificateRequestFileError, is PrivateKeyError, is KeyStoreError:
            return console.fail("\(error)")
        default: return error
        }
        guard let writing else { return error }
        return console.fail(
            writing.problem == .exists
                ? "\(printable(writing.file)): is there already and stays as it is; give '--force' to replace it"
                : "\(writing)")
    }
}
