import BelayArguments
import BelayCertificates
import BelayTrust
import FoundationEssentials

/// Judges a chain that is at hand, by the options of a command, and prints the answer.
struct ChainJudgement {
    /// The name that the leaf must be valid for; nil to compare none.
    let host: ServerName?
    let policyOptions: PolicyOptions
    let trustOptions: TrustOptions
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
                try console.printJSON(TrustReport.Unread(host: host?.description, error: error))
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
        let given = try trustOptions.read()
        let trust = try trustOptions.trust(
            chain: certificates.map(\.der), name: host, given: given, policy: policy, console: console)
        var verdict = policy.evaluate(trust)
        if trust.logList != nil, verdict.isTrusted {
            verdict = verdict.adding(trust.transparencyFindings(for: verdict, nil))
        }
        return TrustReport(
            subject: host?.description ?? certificates.first?.label ?? files.first ?? "", host: host?.description,
            verdict: verdict, policy: policy, isMomentGiven: trustOptions.time != nil,
            path: PathReport(verdict, trust: trust, policy: policy, at: trust.evaluationTime ?? Date()))
    }
}
