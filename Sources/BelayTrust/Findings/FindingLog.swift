import BelayCertificates

/// Where rules report to while a path is judged.
///
/// The search only needs to know whether a path is refused; texts are made when findings are collected for a person.
struct FindingLog {
    /// What is wanted of the rules.
    enum Mode {
        /// Only whether an error occurs that is not forgiven.
        case decide(forgiving: Forgiveness)
        /// Everything.
        case collect
    }

    private let mode: Mode
    /// In ``Mode/decide(forgiving:)``: whether an error occurred that is not forgiven.
    private(set) var isRefused = false
    /// In ``Mode/decide(forgiving:)``: whether anything was reported that does not refuse.
    private(set) var hasRemarks = false
    /// In ``Mode/collect``: everything that was reported.
    private(set) var findings: [Finding] = []

    init(_ mode: Mode) {
        self.mode = mode
    }

    /// Reports a finding about a certificate of the path; its text is made only when somebody will read it.
    mutating func report(
        _ rule: Rule, at depth: Int, of path: [PathCertificate], severity: Finding.Severity? = nil,
        _ message: @autoclosure () -> String, expected: @autoclosure () -> String? = nil,
        found: @autoclosure () -> String? = nil, remedy: @autoclosure () -> String? = nil
    ) {
        switch mode {
        case .decide(let forgiveness):
            if (severity ?? rule.severity) == .error && !forgiveness.forgives(rule) {
                isRefused = true
            } else {
                hasRemarks = true
            }
        case .collect:
            let place = Finding.Place.certificate(
                depth: depth, subject: depth < path.count ? path[depth].certificate.subject.description : "")
            findings.append(
                Finding(
                    rule, severity: severity, at: place, message(), expected: expected(), found: found(),
                    remedy: remedy()))
        }
    }
}

/// Which errors do not refuse a path.
enum Forgiveness: Sendable {
    /// Every error refuses.
    case nothing
    /// What `allowInvalidCertificates` forgives beside pins: dates, names, purposes and a missing anchor.
    case invalidCertificates

    func forgives(_ rule: Rule) -> Bool {
        switch self {
        case .nothing: false
        case .invalidCertificates: rule.isForgivable
        }
    }
}
