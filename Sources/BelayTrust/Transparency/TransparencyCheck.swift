import BelayCertificates
import FoundationEssentials

/// Whether a server's certificate has the timestamps that Apple's systems demand (support.apple.com/103214).
///
/// Systems demand them of certificates from 2018-10-16 on, under anchors that they came with. Either two timestamps count that are from
/// logs approved now, one of them by TLS or OCSP; or enough are embedded, one of them from a log approved now. Which lists of logs
/// Apple's systems have is not known here: the list is given.
struct TransparencyCheck {
    let leaf: Certificate
    let issuer: Certificate?
    let list: LogList
    /// The moment, in seconds since 1970.
    let moment: Int64

    /// 2018-10-16, from when on it is demanded, and 2021-04-21, from when on it is counted by days.
    static let start: Int64 = 1_539_648_000
    private static let newCount: Int64 = 1_618_963_200
    private static let day: Int64 = 86_400
    /// Older lists are not relied on.
    private static let oldestList: Int64 = 60 * day

    /// A timestamp whose signature holds.
    private struct Counted {
        let timestamp: SignedTimestamp
        let log: LogList.Log
        let isApproved: Bool
    }

    /// What is wrong, and what was counted.
    func findings(_ timestamps: [SignedTimestamp]) -> [Finding] {
        var findings: [Finding] = []
        if let made = list.timestamp, moment - made > Self.oldestList {
            let days = (moment - made) / Self.day
            findings.append(
                finding(
                    .oldLogList, "the list of logs is \(days) days old; Apple's systems rely on one of 60 days at most",
                    expected: "60 days or less", found: "\(days) days"))
        }
        var counted: [Counted] = []
        var reasons: [String] = []
        for timestamp in timestamps {
            let (one, reason) = count(timestamp)
            if let one,
                !counted.contains(where: {
                    $0.log.identifier == one.log.identifier
                        && ($0.timestamp.delivery == .embedded) == (one.timestamp.delivery == .embedded)
                })
            {
                counted.append(one)
            } else if let reason {
                reasons.append(reason)
            }
        }
        let needed = needed
        let text = summary(counted, reasons, of: timestamps.count)
        guard !isMet(counted, needed) else {
            return findings + [finding(.transparencyMet, "the timestamps are enough: \(text)", found: text)]
        }
        return findings + [
            finding(
                .transparency, "the timestamps are not enough: \(text)",
                expected:
                    "\(needed.count) embedded from logs of \(needed.operators) operators, or 2 with one by TLS or OCSP",
                found: text)
        ]
    }

    private func finding(_ rule: Rule, _ message: String, expected: String? = nil, found: String? = nil) -> Finding {
        Finding(
            rule, at: .certificate(depth: 0, subject: leaf.subject.description), message, expected: expected,
            found: found)
    }

    // MARK: What counts

    private func count(_ timestamp: SignedTimestamp) -> (Counted?, String?) {
        guard let log = list.log(timestamp.log) else { return (nil, "of a log that is not on the list") }
        guard timestamp.seconds <= moment else { return (nil, "from the future") }
        let isApproved: Bool
        switch log.state {
        case .approved: isApproved = true
        case .retired(let since):
            guard timestamp.seconds < since else { return (nil, "of '\(log.name)' after its retirement") }
            isApproved = false
        case .notApproved: return (nil, "of '\(log.name)', which is not approved")
        }
        guard let algorithm = timestamp.algorithm, let data = timestamp.signedData(leaf: leaf, issuer: issuer),
            let key = VerificationKey(log.key),
            key.verifies(timestamp.signature, over: data, in: 0..<data.count, with: algorithm)
        else { return (nil, "whose signature by '\(log.name)' does not hold") }
        return (Counted(timestamp: timestamp, log: log, isApproved: isApproved), nil)
    }

    /// How many embedded timestamps are wanted, of how many operators, and whether one must be of a log of RFC 6962.
    private var needed: (count: Int, operators: Int, wantsRFC6962: Bool) {
        let validity = leaf.validity
        let seconds = validity.notAfterSeconds - validity.notBeforeSeconds
        guard validity.notBeforeSeconds < Self.newCount else {
            return (seconds <= 180 * Self.day ? 2 : 3, 2, true)
        }
        // Months of 30.44 days would be as good a reading; limits are far from what anybody issues.
        let months = Double(seconds) / (Double(Self.day) * 365.25 / 12)
        let count = months < 15 ? 2 : months <= 27 ? 3 : months <= 39 ? 4 : 5
        return (count, 1, false)
    }

    private func isMet(_ counted: [Counted], _ needed: (count: Int, operators: Int, wantsRFC6962: Bool)) -> Bool {
        // One log counts once, however its timestamps came.
        let approved = Set(counted.filter(\.isApproved).map(\.log.identifier))
        if approved.count >= 2, counted.contains(where: { $0.isApproved && $0.timestamp.delivery != .embedded }) {
            return true
        }
        let embedded = counted.filter { $0.timestamp.delivery == .embedded }
        return embedded.count >= needed.count && embedded.contains(where: \.isApproved)
            && Set(embedded.map(\.log.operatorName)).count >= needed.operators
            && (!needed.wantsRFC6962 || embedded.contains(where: \.log.isRFC6962))
    }

    private func summary(_ counted: [Counted], _ reasons: [String], of all: Int) -> String {
        guard all > 0 else { return "there are none" }
        let logs = counted.map {
            "\($0.log.name) (\($0.timestamp.delivery.rawValue)\($0.isApproved ? "" : ", retired"))"
        }
        let good =
            logs.isEmpty ? "none of \(all) counts" : "\(logs.count) of \(all) count: \(logs.joined(separator: ", "))"
        return good + (reasons.isEmpty ? "" : "; not counted is one " + reasons.joined(separator: ", one "))
    }
}

extension Rule {
    private static let policy = "Apple: support.apple.com/103214 (Certificate Transparency policy)"

    static let transparency = Rule(
        "ct.policy", "A public server's certificate is in logs of Certificate Transparency.", .recoverable,
        remedy: "Have the certificate issued by an authority that embeds timestamps; judge by a list of logs of today.",
        source: policy)
    static let transparencyMet = Rule(
        "ct.met", "Which timestamps were counted is told.", severity: .note, .none, remedy: "Nothing is to be done.",
        source: policy)
    static let transparencyNotChecked = Rule(
        "ct.not-checked", "Certificate Transparency is looked at where Apple's systems demand it.", severity: .note,
        .none,
        remedy: "Give a list of logs with '--ct-log-list' (log_list.json, version 3).", source: policy)
    static let oldLogList = Rule(
        "ct.old-log-list", "A list of logs is not older than 60 days.", severity: .warning, .none,
        remedy: "Fetch a list of today; systems with an older one demand no timestamps.", source: policy)
    static let timestampsMalformed = Rule(
        "ct.malformed", "A list of timestamps is well-formed.", severity: .warning, .none,
        remedy: "Look at how the server or its authority makes the list.", source: "RFC 6962, section 3.3")
}

/// The rules of Certificate Transparency: this part of the catalogue.
public enum TransparencyRules {
    /// The rules, sorted by identifier.
    public static let all: [Rule] = [
        .transparency, .transparencyMet, .transparencyNotChecked, .oldLogList, .timestampsMalformed,
    ].sorted { $0.identifier < $1.identifier }
}
