import BelayArguments
import BelayCertificates
import BelayTrust
import FoundationEssentials

/// Which anchors count, which rules, which moment: the options that make a ``ServerTrust``.
struct TrustOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Trust these certificates as well.", valueName: "file|folder"))
    var anchor: [String] = []
    @Flag(help: "Do not use the machine's trust store, or what SSL_CERT_FILE and SSL_CERT_DIR name in its place.")
    var noSystemAnchors = false
    @Option(
        help: ArgumentHelp("A revocation list; every certificate is looked up in those that apply.", valueName: "file"))
    var crl: [String] = []
    @Flag(help: "Refuse a certificate that no revocation list covers; without this it is a warning.") var requireCrl =
        false
    @Option(
        help: ArgumentHelp(
            "Logs of Certificate Transparency (log_list.json, version 3): a public server's certificate must have timestamps of theirs, as Apple's systems demand.",
            valueName: "file"))
    var ctLogList: String?
    @Option(
        help: ArgumentHelp("Judge as of then, for example 2026-12-01T00:00:00Z.", valueName: "rfc3339"),
        transform: moment)
    var time: Date?
    @Option(
        help: ArgumentHelp(
            "The rules that judge the chain: standard, rfc5280, webpki or apple; standard unless said otherwise.",
            valueName: "set"), transform: ruleSet)
    var rules: RuleSet?

    @Flag(help: "Tell the story of the path search: what was tried, and what would make it work.") var explain = false

    /// The options as a command line has them, but for `--explain`.
    var words: [String] {
        var words = anchor.flatMap { ["--anchor", $0] }
        if noSystemAnchors { words.append("--no-system-anchors") }
        words += crl.flatMap { ["--crl", $0] }
        if requireCrl { words.append("--require-crl") }
        if let ctLogList { words += ["--ct-log-list", ctLogList] }
        if let time { words += ["--time", RFC3339.text(time)] }
        if let rules { words += ["--rules", rules.name] }
        return words
    }

    /// What of the options is not for the library to decide: the files, read.
    struct Given: Sendable {
        let anchors: AnchorStore
        /// The machine's store, where it is loaded already.
        var systemAnchors: AnchorStore?
        let revocationLists: [RevocationList]
        let logList: LogList?
    }

    /// Reads the files that the options name.
    func read() throws(InputError) -> Given {
        var anchors: [Certificate] = []
        for path in anchor.map(StandardInput.path) {
            do throws(CertificateFileError) {
                anchors +=
                    FileReading.isFolder(path)
                    ? try Certificate.readAll(inFolder: path) : try Certificate.read(contentsOf: path)
            } catch {
                throw .certificates(error, for: "--anchor")
            }
        }
        var lists: [RevocationList] = []
        for path in crl.map(StandardInput.path) {
            do throws(RevocationListFileError) { lists += try RevocationList.read(contentsOf: path) } catch {
                throw .revocationLists(error)
            }
        }
        var logList: LogList?
        if let ctLogList {
            do throws(LogListError) { logList = try LogList.read(contentsOf: StandardInput.path(ctLogList)) } catch {
                throw InputError(
                    message: "\(error)",
                    remedy: "Give '--ct-log-list' a log_list.json of version 3, as Apple and Google publish.")
            }
        }
        return Given(
            anchors: AnchorStore(anchors, origin: anchor.joined(separator: ", ")), revocationLists: lists,
            logList: logList)
    }

    /// Puts the trust together. The machine's store is loaded here and not before: it is needed only now.
    ///
    /// A machine without a store is an error, unless the policy lets pins alone decide.
    func trust(
        chain: [[UInt8]], name: ServerName?, given: Given, policy: SecurityPolicy, console: Console
    ) throws(InputError) -> ServerTrust {
        var trust = ServerTrust(chain: chain, policies: [.tlsServer(name: name)], anchors: given.anchors)
        trust.evaluationTime = time
        trust.revocationLists = given.revocationLists
        trust.requiresRevocationLists = requireCrl
        trust.rules = rules ?? .standard
        trust.explains = explain
        trust.logList = given.logList
        trust.systemAnchors = given.systemAnchors
        if given.systemAnchors == nil { trust.systemAnchors = try systemAnchors(policy, console) }
        return trust
    }

    /// Loads the machine's store; nil where it is not to be used.
    func systemAnchors(_ policy: SecurityPolicy, _ console: Console) throws(InputError) -> AnchorStore? {
        guard !noSystemAnchors else { return nil }
        do throws(SystemAnchorsError) {
            return try SystemAnchors.load()
        } catch {
            guard policy.allowInvalidCertificates else { throw .systemAnchors(error) }
            console.note("belay: \(console.noteStyle.warning("warning")): \(error)")
            // Nothing, and no second warning.
            return AnchorStore([])
        }
    }

    private static func moment(_ text: String) throws -> Date {
        guard let date = RFC3339.date(text) else {
            throw ValidationError("expected a time of RFC 3339 such as 2026-12-01T00:00:00Z")
        }
        return date
    }

    /// A set of rules by its name.
    static func ruleSet(_ text: String) throws -> RuleSet {
        guard let set = RuleSet.named(text) else { throw ValidationError(RuleSet.refusal(of: text)) }
        return set
    }
}
