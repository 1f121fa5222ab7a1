import BelayArguments
import BelayCertificates
import Glibc

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
        guard !name.isEmpty else { throw ValidationError("'--name' is empty") }
        try FolderArgument.check(out, "--out")
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
            throw try AuthorityFailure.report(error, console, output, keys: CAReport.CodingKeys.self)
        }
        let report = CAReport(authority, isProtected: !noPassphrase, hasIntermediate: intermediate)
        switch output.format {
        case .json: try console.printJSON(report)
        case .text: try console.print(report.text(console))
        }
    }

    /// Permitted names, with nothing of the other kinds that certificates of the authority can have: e-mail addresses are
    /// those of the domains.
    static func constraints(_ permitted: [GeneralName]) -> NameConstraints {
        let hasDomains = permitted.contains { if case .dns = $0 { true } else { false } }
        let hasAddresses = permitted.contains { if case .ipAddress = $0 { true } else { false } }
        var excluded: [GeneralName] = []
        if !hasDomains { excluded.append(.dns("")) }
        if !hasAddresses {
            excluded += [.ipAddress([UInt8](repeating: 0, count: 8)), .ipAddress([UInt8](repeating: 0, count: 32))]
        }
        let mailboxes = permitted.flatMap { name -> [GeneralName] in
            // RFC 5280, section 4.2.1.10: a host's mailboxes, and with a dot in front those of the hosts below it.
            if case .dns(let domain) = name { [.email(domain), .email("." + domain)] } else { [] }
        }
        // To exclude every mailbox is nothing that OpenSSL can read. No host has this name (RFC 6761, section 6.4).
        let all = permitted + (mailboxes.isEmpty ? [.email("invalid")] : mailboxes)
        return NameConstraints(permitted: all, excluded: excluded)
    }

    static func days(_ text: String) throws -> Int {
        let days = try number(text)
        try check(days, atMost: longest)
        return days
    }

    /// How many days an authority or a client's certificate may be valid.
    static let longest = 36_500

    /// A number of days; its range is checked where it is known what for.
    static func number(_ text: String) throws -> Int {
        guard let days = Int(text) else { throw ValidationError("expected a number of days") }
        return days
    }

    static func check(_ days: Int, atMost limit: Int) throws {
        guard (1...limit).contains(days) else { throw ValidationError("'--days': expected days from 1 to \(limit)") }
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
        transform: { text in try CAInitCommand.number(text) })
    var days = PrivateAuthority.usualDays
    @Option(help: ArgumentHelp("Where the files go.", valueName: "dir")) var out = "."
    @Flag(help: "Replace files that are there.") var force = false

    func validate() throws {
        if csr != nil, key != nil { throw ValidationError("'--csr' brings its own key; leave out '--key'") }
        try FolderArgument.check(out, "--out")
        try FolderArgument.check(ca, "--ca")
    }

    /// The path of a file that is written.
    func path(_ name: String) -> String { out == "." ? name : out.hasSuffix("/") ? out + name : "\(out)/\(name)" }

    /// Sees that the files' names are free, before anybody is asked for a passphrase.
    func check(_ names: [String]) throws {
        guard out == "." || FileReading.isFolder(out) else { return }
        for name in names { try FileWriting.check(path(name), replacing: force) }
    }

    /// Runs `body` with the folder there. One that was made for files that then were not is taken away again.
    func writing<Value>(_ body: () throws -> Value) throws -> Value {
        let isNew = out != "." && !FileReading.isFolder(out)
        if isNew { try FileWriting.makeFolder(out) }
        do { return try body() } catch {
            // It stays where something is in it.
            if isNew { rmdir(out) }
            throw error
        }
    }

    /// Issues, and says what came of it.
    func run(_ output: FormatOptions, _ console: Console, _ issue: () throws -> IssueReport) throws {
        let report: IssueReport
        do { report = try issue() } catch {
            throw try AuthorityFailure.report(error, console, output, keys: IssueReport.CodingKeys.self)
        }
        warn(console)
        switch output.format {
        case .json: try console.printJSON(report)
        case .text: try console.print(report.text(console))
        }
    }

    /// Says where the authority's key is open to others.
    private func warn(_ console: Console) {
        guard let file = PrivateAuthority.exposedKeyFile(in: ca) else { return }
        console.note(
            "belay: \(console.noteStyle.warning("warning")): \(printable(file)): has no passphrase, and others can read it: "
                + "they are the authority. 'chmod 600' it")
    }

    /// Opens the authority, and asks on the terminal for the passphrase that its key needs.
    func authority(_ source: PassphraseSource) throws -> PrivateAuthority {
        try source.open(
            PrivateAuthority.keyFile(in: ca),
            needsPassphrase: { (error: PrivateAuthorityError) in
                if case .key(let failure) = error { failure.problem == .passphraseNeeded } else { false }
            },
            isWrongPassphrase: { error in
                if case .key(let failure) = error { failure.problem == .wrongPassphrase } else { false }
            }
        ) { (passphrase) throws(PrivateAuthorityError) in try PrivateAuthority.open(ca, passphrase: passphrase) }
    }

    /// Reads the request; nil where none is given.
    func request() throws -> CertificateRequest? {
        guard let csr else { return nil }
        return try CertificateRequest.read(contentsOf: StandardInput.path(csr))
    }
}

/// Folders as arguments of commands that print them in lines for programs.
enum FolderArgument {
    static func check(_ folder: String, _ option: String) throws {
        guard folder != "-" else {
            throw ValidationError("'\(option)' names a folder; write './-' for one of that name")
        }
        guard !folder.isEmpty, printable(folder) == folder else {
            throw ValidationError("'\(option)': expected the name of a folder, without control characters")
        }
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
