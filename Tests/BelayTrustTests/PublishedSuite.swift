import BelayCertificates
import BelayTrust
import Foundation

/// A suite of trust cases in the form in which its own project publishes it: x509-limbo's `limbo.json`, or what BetterTLS
/// exports (`export-tests`). Each case is turned into one of ours, field by field; what cannot be turned is named, never
/// dropped in silence.
struct PublishedSuite: Sendable {
    /// Cases that can be judged.
    var cases: [PublishedCases.Case] = []
    /// The others, with what they need that is not there.
    var notRun: [(id: String, reason: String)] = []

    /// Why a file is no suite.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// Why a case is not run.
    private struct NotRun: Error {
        let reason: String
    }

    /// The suite that `BELAY_SUITE` names; empty without it.
    static let named = Result<PublishedSuite, any Error> {
        guard let path = ProcessInfo.processInfo.environment["BELAY_SUITE"] else { return PublishedSuite() }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Unreadable(description: "\(path) cannot be read")
        }
        return try PublishedSuite(data)
    }

    init() {}

    init(_ data: Data) throws {
        guard let top = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw Unreadable(description: "not a JSON object")
        }
        if let cases = top["testcases"] as? [[String: Any]] {
            guard top["version"] as? Int == 1 else {
                throw Unreadable(description: "the version of the form is \(top["version"] ?? "missing"); 1 is known")
            }
            for fields in cases { take(fields["id"] as? String ?? "?") { try Self.limbo(fields) } }
        } else if let suites = top["suites"] as? [String: [String: Any]], let root = top["trustRoot"] as? String {
            for (name, suite) in suites.sorted(by: { $0.key < $1.key }) { try takeBetterTLS(name, suite, root) }
        } else {
            throw Unreadable(
                description: "neither 'testcases' (x509-limbo) nor 'suites' with 'trustRoot' (BetterTLS) is there")
        }
    }

    private mutating func take(_ id: String, _ turn: () throws -> [String: Any]) {
        do {
            let line = try JSONSerialization.data(withJSONObject: try turn())
            cases.append(PublishedCases.Case(line: Array(line)))
        } catch let problem as NotRun {
            notRun.append((id, problem.reason))
        } catch {
            notRun.append((id, "\(error)"))
        }
    }

    // MARK: x509-limbo

    /// The optional behaviour that cases ask for and that is there.
    private static let features: Set<String> = [
        "has-policy-constraints", "has-cert-policies", "no-cert-policies", "pedantic-public-suffix-wildcard",
        "name-constraint-dn", "pedantic-webpki-subscriber-key", "pedantic-webpki-eku", "pedantic-serial-number",
        "max-chain-depth", "pedantic-rfc5280", "rfc5280-incompatible-with-webpki", "denial-of-service", "has-crl",
    ]

    /// What a case may say. A field that is not known may change what the case means.
    private static let limboFields: Set<String> = [
        "id", "conflicts_with", "features", "importance", "description", "validation_kind", "trusted_certs",
        "untrusted_intermediates", "peer_certificate", "peer_certificate_key", "validation_time",
        "signature_algorithms", "key_usage", "extended_key_usage", "expected_result", "expected_peer_name",
        "expected_peer_names", "max_chain_depth", "crls",
    ]

    private static func limbo(_ fields: [String: Any]) throws -> [String: Any] {
        for key in fields.keys.sorted() where !limboFields.contains(key) {
            throw NotRun(reason: "the field '\(key)' is not known")
        }
        let list = { (key: String) in fields[key] as? [String] ?? [] }
        for feature in list("features") where !features.contains(feature) {
            throw NotRun(reason: "the feature '\(feature)' is not supported")
        }
        if !list("signature_algorithms").isEmpty {
            throw NotRun(reason: "'signature_algorithms' is not supported: \(list("signature_algorithms"))")
        }
        // That a server's key signs is what TLS is about; more cannot be asked for.
        if let usage = list("key_usage").first(where: { $0 != "digitalSignature" }) {
            throw NotRun(reason: "'key_usage' is not supported: \(usage)")
        }
        guard let id = fields["id"] as? String, let leaf = fields["peer_certificate"] as? String else {
            throw NotRun(reason: "'id' or 'peer_certificate' is missing")
        }
        let result = try choice(fields, "expected_result", ["SUCCESS": "accept", "FAILURE": "reject"])
        // The kind is that of the peer: whoever validates a server is a client.
        let usage = try choice(fields, "validation_kind", ["SERVER": "server", "CLIENT": "client"])
        let purpose = usage == "server" ? "serverAuth" : "clientAuth"
        if let other = list("extended_key_usage").first(where: { $0 != purpose }) {
            throw NotRun(reason: "'extended_key_usage' of a \(usage) is not supported: \(other)")
        }
        return [
            "id": id, "usage": usage, "expect": result, "note": fields["description"] as? String ?? "",
            "chain": [leaf] + list("untrusted_intermediates"), "anchors": list("trusted_certs"),
            "crls": list("crls"), "features": list("features"), "time": fields["validation_time"] ?? NSNull(),
            "maxChainDepth": fields["max_chain_depth"] ?? NSNull(), "rules": rules(of: id),
            "host": try host(fields, usage: usage) ?? NSNull(),
        ]
    }

    private static func choice(_ fields: [String: Any], _ key: String, _ values: [String: String]) throws -> String {
        let text = fields[key] as? String ?? "missing"
        guard let value = values[text] else { throw NotRun(reason: "'\(key)' is not supported: \(text)") }
        return value
    }

    /// The profile that the cases of a name space are about.
    private static func rules(of id: String) -> String {
        switch id.split(separator: ":").first {
        case "webpki": "webpki"
        case "bettertls": "standard"
        default: "rfc5280"
        }
    }

    /// The host of a server. Of a client's names none is compared: nobody asks for one by name.
    private static func host(_ fields: [String: Any], usage: String) throws -> String? {
        guard usage == "server", let name = fields["expected_peer_name"] as? [String: String] else { return nil }
        guard let kind = name["kind"], ["DNS", "IP"].contains(kind) else {
            throw NotRun(reason: "'expected_peer_name' of a server is not supported: \(name["kind"] ?? "no kind")")
        }
        return name["value"]
    }

    // MARK: BetterTLS

    private mutating func takeBetterTLS(_ name: String, _ suite: [String: Any], _ root: String) throws {
        guard let cases = suite["testCases"] as? [[String: Any]] else {
            throw Unreadable(description: "the suite '\(name)' has no 'testCases'")
        }
        let known: Set<String> = ["id", "certificates", "hostname", "requiredFeatures", "expected", "failureIsWarning"]
        let sane = suite["sanityCheckTestCase"] as? Int
        let first = cases.first { $0["id"] as? Int == sane }?["certificates"] as? [String]
        let time = try Self.moment(of: first?.first)
        for fields in cases {
            let id = "bettertls::\(name)::tc\((fields["id"] as? Int).map(String.init) ?? "?")"
            take(id) {
                if let key = fields.keys.sorted().first(where: { !known.contains($0) }) {
                    throw NotRun(reason: "the field '\(key)' is not known")
                }
                let isDebatable = fields["failureIsWarning"] as? Bool == true
                return [
                    "id": id, "chain": fields["certificates"] ?? [], "anchors": [root], "time": time,
                    "expect": try Self.choice(fields, "expected", ["ACCEPT": "accept", "REJECT": "reject"]),
                    "host": fields["hostname"] ?? NSNull(), "features": fields["requiredFeatures"] ?? [],
                    "note": isDebatable ? PublishedCases.Case.debatable : "",
                ]
            }
        }
    }

    /// The moment of the export, which it does not tell: its certificates are made to be valid as long before as after it.
    private static func moment(of leaf: String?) throws -> String {
        guard let leaf else { throw Unreadable(description: "the suite has no 'sanityCheckTestCase'") }
        let validity = try Certificate(pemOrBase64: leaf).validity
        let middle = (validity.notBefore.timeIntervalSince1970 + validity.notAfter.timeIntervalSince1970) / 2
        return ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: middle.rounded()))
    }
}
