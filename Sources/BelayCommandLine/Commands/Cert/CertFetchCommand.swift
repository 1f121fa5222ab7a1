import BelayArguments
import BelayCertificates
import BelayTLS
import FoundationEssentials

/// `belay cert fetch`: the certificates that a live server sends.
struct CertFetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Fetch the certificates that a live server sends, in its order, whatever they are worth.",
        discussion: """
            Nothing is judged ('belay check' does that), nothing is sent but the handshake, and weak versions and suites are taken, so \
            that old servers show what they have. The certificates go to standard output as PEM; what was negotiated goes to standard error.
            Servers that begin in the clear change to TLS first: smtp://, submission://, imap://, pop3://, ftp://, ldap://, postgres://, or \
            --starttls for a host and port. With TLS from the first byte: https://, smtps://, submissions://, imaps://, pop3s://, ftps://, ldaps://.
            Exit status: 0 fetched; 2 wrong use; 3 not reached, or a file cannot be written.
            """,
        examples: [
            ("belay cert fetch https://www.example.com > chain.pem", "The chain, leaf first."),
            ("belay cert fetch www.example.com --to der --leaf > leaf.cer", "The server's own certificate in DER."),
            ("belay cert fetch www.example.com --directory chain", "A file each: 0-leaf.pem, 1-intermediate.pem …"),
            ("belay cert fetch smtp://mail.example.com", "A mail server, by STARTTLS."),
            ("belay cert fetch db.example.com:5433 --starttls postgres", "A database on a port of its own."),
            ("belay cert fetch https://192.0.2.1 --sni www.example.com", "By address, asking for a name."),
        ])

    /// How a certificate is written.
    enum Form: String, CaseIterable, ExpressibleByArgument, Sendable {
        case pem, der
    }

    @Argument(help: ArgumentHelp("A URL, or a host with a port perhaps.", valueName: "url|host")) var server: String
    @OptionGroup(title: "Connection") var options: FetchOptions
    @Option(help: "The form of the certificates.") var to = Form.pem
    @Option(
        help: ArgumentHelp(
            "Write each certificate into a file of its own in this folder, which is made where it is not there.",
            valueName: "folder"))
    var directory: String?
    @Flag(help: "Only the first certificate, the server's own.") var leaf = false
    @Flag(help: "Write over files that are there already.") var force = false
    @OptionGroup var output: FormatOptions

    func validate() throws {
        if to == .der, directory == nil, output.format == .json {
            throw ValidationError("'--to der' means nothing in JSON; give '--directory' as well, or leave it out")
        }
        if to == .der, directory == nil, !leaf {
            throw ValidationError("a chain in DER needs a file each: give '--directory FOLDER', or '--leaf'")
        }
        if force, directory == nil { throw ValidationError("'--force' means nothing without '--directory'") }
    }

    func run() async throws {
        let console = Console()
        if to == .der, directory == nil, console.isInteractive {
            throw ValidationError("DER on a terminal would be noise; send it into a file or a pipe")
        }
        let location = try options.location(server)
        let client = TLSClient(loop: try console.reading { () throws(EventLoopError) in try EventLoop() })
        let served: ServedChain
        do throws(TLSError) { served = try await options.fetch(location, with: client) } catch {
            if output.format == .json {
                try console.printJSON(FetchReport(server, location, options, error: FailureReport(error)))
            }
            throw console.fail(error.description)
        }
        let certificates = ServedCertificate.list(leaf ? Array(served.certificates.prefix(1)) : served.certificates)
        var report = FetchReport(server, location, options, served: served, certificates: certificates)
        if let directory {
            do throws(InputError) {
                report.files = try CertificateFolderOutput(path: directory, overwrites: force)
                    .write(certificates.map { ($0.fileName(suffix: to.rawValue), $0.bytes(in: to)) })
            } catch {
                report.error = FailureReport(error)
                if output.format == .json { try console.printJSON(report) }
                throw console.fail(error.text)
            }
        }
        switch output.format {
        case .json: try console.printJSON(report)
        case .text:
            console.note(report.story(isShort: leaf))
            if directory == nil { try console.write(certificates.flatMap { $0.bytes(in: to) }) }
        }
    }
}

/// A certificate that a server sent, in its place.
struct ServedCertificate: Sendable {
    let index: Int
    let der: [UInt8]
    /// Nil where it cannot be read.
    let certificate: Certificate?
    /// Why it cannot be read.
    let problem: String?

    /// The certificates of a chain.
    static func list(_ chain: [[UInt8]]) -> [ServedCertificate] {
        chain.enumerated().map { index, der in
            do throws(DERError) {
                return ServedCertificate(
                    index: index, der: der, certificate: try Certificate(der: der), problem: nil)
            } catch {
                return ServedCertificate(index: index, der: der, certificate: nil, problem: "\(error)")
            }
        }
    }

    /// What it is on the chain, as far as that can be seen without judging: `leaf`, `intermediate`, `root`, `other`.
    var role: String {
        guard index > 0 else { return "leaf" }
        guard let certificate else { return "unreadable" }
        guard (try? certificate.basicConstraints)?.isAuthority == true else { return "other" }
        return certificate.isSelfIssued ? "root" : "intermediate"
    }

    /// `0-leaf.pem`.
    func fileName(suffix: String) -> String { "\(index)-\(role).\(suffix)" }

    /// It in one form or the other.
    func bytes(in form: CertFetchCommand.Form) -> [UInt8] {
        form == .der ? der : Array(PEM.encode(label: "CERTIFICATE", der: der).utf8)
    }
}

/// A folder into which certificates are written, a file each.
struct CertificateFolderOutput {
    let path: String
    let overwrites: Bool

    /// Writes the files, each in one step; returns their paths. Nothing is written where one of them is there already.
    func write(_ files: [(name: String, bytes: [UInt8])]) throws(InputError) -> [String] {
        do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
            throw InputError(
                message: "\(printable(path)): the folder cannot be made",
                remedy: "Give '--directory' a folder that you can write to.", isRemedyNews: true)
        }
        let paths = files.map { path.hasSuffix("/") ? path + $0.name : "\(path)/\($0.name)" }
        do throws(FileWritingError) {
            for path in paths { try FileWriting.check(path, replacing: overwrites) }
            for (path, file) in zip(paths, files) {
                try FileWriting.write(file.bytes, to: path, access: .everybody, replacing: overwrites)
            }
        } catch {
            throw InputError(
                message: "\(error)",
                remedy: error.problem == .exists
                    ? "Give another folder, or '--force' to write over it." : "Give another folder.",
                isRemedyNews: error.problem == .exists)
        }
        return paths
    }
}
