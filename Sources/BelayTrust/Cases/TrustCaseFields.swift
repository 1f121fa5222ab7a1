import BelayCertificates
import FoundationEssentials

/// The fields of a trust case as they stand in JSON.
struct TrustCaseFields: Decodable {
    let id: String
    let usage: String
    let host: String?
    let chain: [String]
    let anchors: [String]
    let systemAnchors: Bool
    let time: Date?
    let crls: [String]
    let maxChainDepth: Int?
    let rules: String
    let policy: Policy?

    /// What is input.
    private static let inputs: Set<String> = [
        "id", "usage", "host", "chain", "anchors", "systemAnchors", "time", "crls", "maxChainDepth", "rules", "policy",
    ]
    /// What case files say about a case, for people and for the tests.
    private static let remarks: Set<String> = [
        "expect", "suite", "group", "note", "source", "features", "importance", "expectedPeerNames", "extendedKeyUsage",
        "keyUsage", "atsExpect",
    ]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        for key in container.allKeys
        where !Self.inputs.contains(key.stringValue) && !Self.remarks.contains(key.stringValue) {
            throw CaseFault("the field '\(printable(key.stringValue))' is not known")
        }
        id = try container.decode(String.self, forKey: "id")
        usage = try container.decodeIfPresent(String.self, forKey: "usage") ?? "server"
        host = try container.decodeIfPresent(String.self, forKey: "host")
        chain = try container.decode([String].self, forKey: "chain")
        anchors = try container.decodeIfPresent([String].self, forKey: "anchors") ?? []
        systemAnchors = try container.decodeIfPresent(Bool.self, forKey: "systemAnchors") ?? false
        time = try container.decodeIfPresent(String.self, forKey: "time").map { text in
            guard let date = RFC3339.date(text) else {
                throw CaseFault("time: '\(printable(text))' is not an RFC 3339 time such as 2026-12-01T00:00:00Z")
            }
            return date
        }
        crls = try container.decodeIfPresent([String].self, forKey: "crls") ?? []
        // Read as Double, since the decoder takes a fraction in the place of an Int for a damaged line.
        maxChainDepth = try container.decodeIfPresent(Double.self, forKey: "maxChainDepth").map { depth in
            guard let whole = Int(exactly: depth), whole >= 0 else {
                throw CaseFault("maxChainDepth: \(depth) is not a whole number from zero")
            }
            return whole
        }
        rules = try container.decodeIfPresent(String.self, forKey: "rules") ?? RuleSet.standard.name
        policy = try container.decodeIfPresent(Policy.self, forKey: "policy")
    }

    /// Reads a line; the name of a case is kept even where another field is wrong.
    static func decode(_ line: [UInt8]) throws(TrustCaseError) -> TrustCaseFields {
        do {
            try StrictJSON.check(line)
            return try JSONDecoder().decode(TrustCaseFields.self, from: Data(line))
        } catch {
            let id = (try? JSONDecoder().decode(Name.self, from: Data(line)))?.id
            throw TrustCaseError(id: id, message: message(for: error))
        }
    }

    private struct Name: Decodable {
        let id: String
    }

    private static func message(for error: any Error) -> String {
        func place(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
            let path = context.codingPath + (key.map { [$0] } ?? [])
            return path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
        }
        switch error {
        case let fault as CaseFault:
            return fault.message
        case DecodingError.keyNotFound(let key, let context):
            return "the field '\(place(context, key))' is missing"
        case DecodingError.typeMismatch(let type, let context):
            return "\(place(context)): expected \(name(type))"
        case DecodingError.valueNotFound(let type, let context):
            return "\(place(context)): is null, expected \(name(type))"
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            return "the line is not valid JSON"
        case DecodingError.dataCorrupted(let context):
            return "\(place(context)): \(context.debugDescription)"
        default:
            return "the line is not a case"
        }
    }

    private static func name(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is Double.Type: "a whole number"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }

    /// What the leaf must be good for.
    func trustPolicy() throws(CaseFault) -> TrustPolicy {
        switch usage {
        case "server":
            guard let host else { return .tlsServer(name: nil) }
            do throws(ServerNameError) {
                return .tlsServer(name: try ServerName(host))
            } catch {
                throw CaseFault("host: \(error)")
            }
        case "client":
            guard host == nil else { throw CaseFault("host: a case whose usage is 'client' has no host") }
            return .tlsClient
        default:
            throw CaseFault("usage: '\(printable(usage))' is not known; expected 'server' or 'client'")
        }
    }

    func ruleSet() throws(CaseFault) -> RuleSet {
        guard let set = RuleSet.named(rules) else {
            throw CaseFault("rules: \(RuleSet.refusal(of: rules))")
        }
        return set
    }

    /// The policy of a case.
    struct Policy: Decodable {
        let pinning: String
        let allowInvalidCertificates: Bool
        let validatesDomainName: Bool
        let pinnedCertificates: [String]
        let pinnedSPKISHA256: [String]
        let chainMatching: String

        private static let known: Set<String> = [
            "pinning", "allowInvalidCertificates", "validatesDomainName", "pinnedCertificates", "pinnedSPKISHA256",
            "chainMatching",
        ]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            for key in container.allKeys where !Self.known.contains(key.stringValue) {
                throw CaseFault("the field 'policy.\(printable(key.stringValue))' is not known")
            }
            pinning = try container.decodeIfPresent(String.self, forKey: "pinning") ?? "none"
            allowInvalidCertificates =
                try container.decodeIfPresent(Bool.self, forKey: "allowInvalidCertificates") ?? false
            validatesDomainName = try container.decodeIfPresent(Bool.self, forKey: "validatesDomainName") ?? true
            pinnedCertificates = try container.decodeIfPresent([String].self, forKey: "pinnedCertificates") ?? []
            pinnedSPKISHA256 = try container.decodeIfPresent([String].self, forKey: "pinnedSPKISHA256") ?? []
            chainMatching = try container.decodeIfPresent(String.self, forKey: "chainMatching") ?? "any"
        }

        func securityPolicy() throws(CaseFault) -> SecurityPolicy {
            guard let mode = SecurityPolicy.PinningMode(rawValue: pinning) else {
                throw CaseFault(
                    "policy.pinning: '\(printable(pinning))' is not known; expected none, publicKey or certificate")
            }
            guard let matching = SecurityPolicy.ChainMatching(rawValue: chainMatching) else {
                throw CaseFault("policy.chainMatching: '\(printable(chainMatching))' is not known; expected any or all")
            }
            var certificates: [Certificate] = []
            for (index, text) in pinnedCertificates.enumerated() {
                do throws(CertificateFileProblem) {
                    certificates.append(try Certificate(pemOrBase64: text))
                } catch {
                    throw CaseFault("policy.pinnedCertificates[\(index)]: \(error)")
                }
            }
            var keys: Set<SPKIPin> = []
            for (index, text) in pinnedSPKISHA256.enumerated() {
                do throws(SPKIPinError) {
                    keys.insert(try SPKIPin(text: text))
                } catch {
                    throw CaseFault("policy.pinnedSPKISHA256[\(index)]: \(error)")
                }
            }
            return SecurityPolicy(
                pinningMode: mode, pinnedCertificates: certificates, pinnedKeys: keys,
                allowInvalidCertificates: allowInvalidCertificates, validatesDomainName: validatesDomainName,
                chainMatching: matching)
        }
    }
}

/// Any field of a JSON object.
struct AnyKey: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}
