import BelayArguments
import BelayCertificates
import BelayTrust
import FoundationEssentials

/// Judges a chain that is at hand, by the options of a command, and prints the answer.
struct ChainJudgement {
    /// The host that the leaf must be valid for; nil to compare no name.
    let host: GivenHost?
    let policyOptions: PolicyOptions
    let trustOptions: TrustOptions
    /// The app that would connect; nil where none is asked about.
    var transportSecurity: TransportSecurityOptions?
    let format: OutputFormat

    /// Judges the certificates of files: the first one of the first file is the leaf.
    ///
    /// - Parameter option: what errors call the files; nil where they are arguments.
    /// - Throws: the status to end with, unless the chain is trusted.
    func run(_ files: [String], option: String?, _ console: Console) throws {
        let report: TrustReport
        do throws(InputError) {
            report = try judge(files, option, console)
        } catch {
            if format == .json {
                try console.printJSON(TrustReport.Unread(host: host?.name.description, error: error))
            }
            throw console.fail(error.text)
        }
        switch format {
        case .json: try console.printJSON(report)
        case .text: try console.print(report.text(console))
        }
        if !report.verdict.isTrusted { throw ExitStatus.refused }
    }

    private func judge(_ files: [String], _ option: String?, _ console: Console) throws(InputError) -> TrustReport {
        let policy = try policyOptions.policy()
        var certificates: [Certificate] = []
        for file in files {
            do throws(CertificateFileError) {
                certificates += try Certificate.read(contentsOf: StandardInput.path(file))
            } catch {
                guard let option else {
                    throw InputError(message: "\(error)", remedy: "Give files of certificates in PEM or DER.")
                }
                throw .certificates(error, for: option)
            }
        }
        let demands = try demands()
        let given = try trustOptions.read()
        var trust = try trustOptions.trust(
            chain: certificates.map(\.der), name: host?.name, given: given, policy: policy, console: console)
        if demands != nil, trustOptions.rules == nil { trust.rules = .apple }
        var verdict = policy.evaluate(trust)
        if let demands {
            verdict = demands.hold(verdict, trust)
        } else if trust.logList != nil, verdict.isTrusted {
            verdict = verdict.adding(trust.transparencyFindings(for: verdict, nil))
        }
        let name = host?.name.description
        return TrustReport(
            subject: name ?? certificates.first?.label ?? files.first ?? "", host: name,
            verdict: verdict, policy: policy, isMomentGiven: trustOptions.time != nil,
            path: PathReport(verdict, trust: trust, policy: policy, at: trust.evaluationTime ?? Date()),
            demands: demands)
    }

    private func demands() throws(InputError) -> ChainDemands? {
        guard let host, let transportSecurity else { return nil }
        return try ChainDemands(transportSecurity, host: host)
    }
}
