import BelayCertificates
import FoundationEssentials

/// The fields of a trust case as they stand in JSON.
struct TrustCaseFields {
    private(set) var id = ""
    private(set) var usage = "server"
    private(set) var host: String?
    private(set) var chain: [StrictJSON.Text] = []
    private(set) var anchors = Anchors(texts: [], octets: [])
    private(set) var systemAnchors = false
    private(set) var time: Date?
    private(set) var crls: [StrictJSON.Text] = []
    private(set) var maxChainDepth: Int?
    private(set) var rules = RuleSet.standard.name
    private(set) var policy: Policy?

    /// A list of anchors, and the octets by which it is known when it comes again.
    struct Anchors {
        let texts: [StrictJSON.Text]
        let octets: ArraySlice<UInt8>
    }

    /// Reads a line; the name of a case is kept even where another field is wrong.
    static func decode(_ line: [UInt8]) throws(TrustCaseError) -> TrustCaseFields {
        do throws(CaseFault) {
            return try TrustCaseFields(line)
        } catch {
            // Foundation's decoder is lenient, which is what is wanted here: the name, wherever it can be had.
            let id = (try? JSONDecoder().decode(Name.self, from: Data(line)))?.id
            throw TrustCaseError(id: id, message: error.message)
        }
    }

    private struct Name: Decodable {
        let id: String
    }

    private init(_ line: [UInt8]) throws(CaseFault) {
        var json = StrictJSON(line)
        var id: String?
        var chain: [StrictJSON.Text]?
        try json.line { json, name throws(CaseFault) in
            switch name {
            case "id": id = try json.string(orNull: false)
            case "usage": usage = try json.string() ?? usage
            case "host": host = try json.string()
            case "chain": chain = try json.texts(orNull: false)?.texts
            case "anchors": anchors = try json.texts().map(Anchors.init) ?? anchors
            case "systemAnchors": systemAnchors = try json.flag() ?? systemAnchors
            case "time": time = try Self.time(&json)
            case "crls": crls = try json.texts()?.texts ?? crls
            case "maxChainDepth": maxChainDepth = try Self.depth(&json)
            case "rules": rules = try json.string() ?? rules
            case "policy": policy = try Policy(&json)
            // What case files say about a case, for people and for the tests.
            case "expect", "suite", "group", "note", "source", "features", "importance", "expectedPeerNames",
                "extendedKeyUsage", "keyUsage", "atsExpect":
                try json.skip()
            default: try json.refuse()
            }
        }
        guard let id else { throw CaseFault("the field 'id' is missing") }
        guard let chain else { throw CaseFault("the field 'chain' is missing") }
        self.id = id
        self.chain = chain
    }

    private static func time(_ json: inout StrictJSON) throws(CaseFault) -> Date? {
        guard let text = try json.string() else { return nil }
        let date = RFC3339.date(text)
        if date == nil { json.note("'\(printable(text))' is not an RFC 3339 time such as 2026-12-01T00:00:00Z") }
        return date
    }

    private static func depth(_ json: inout StrictJSON) throws(CaseFault) -> Int? {
        guard let number = try json.number() else { return nil }
        guard let whole = Int(exactly: number), whole >= 0 else {
            json.note("\(number) is not a whole number from zero")
            return nil
        }
        return whole
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
    struct Policy {
        private var pinning = SecurityPolicy.PinningMode.none.rawValue
        private var allowInvalidCertificates = false
        private var validatesDomainName = true
        private var pinnedCertificates: [StrictJSON.Text] = []
        private var pinnedSPKISHA256: [StrictJSON.Text] = []
        private var chainMatching = SecurityPolicy.ChainMatching.any.rawValue

        fileprivate init?(_ json: inout StrictJSON) throws(CaseFault) {
            let isThere = try json.object { json, name throws(CaseFault) in
                switch name {
                case "pinning": pinning = try json.string() ?? pinning
                case "allowInvalidCertificates":
                    allowInvalidCertificates = try json.flag() ?? allowInvalidCertificates
                case "validatesDomainName": validatesDomainName = try json.flag() ?? validatesDomainName
                case "pinnedCertificates": pinnedCertificates = try json.texts()?.texts ?? pinnedCertificates
                case "pinnedSPKISHA256": pinnedSPKISHA256 = try json.texts()?.texts ?? pinnedSPKISHA256
                case "chainMatching": chainMatching = try json.string() ?? chainMatching
                default: try json.refuse()
                }
            }
            if !isThere { return nil }
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
                    certificates.append(try Certificate(pemOrBase64: text.string ?? ""))
                } catch {
                    throw CaseFault("policy.pinnedCertificates[\(index)]: \(error)")
                }
            }
            var keys: Set<SPKIPin> = []
            for (index, text) in pinnedSPKISHA256.enumerated() {
                do throws(SPKIPinError) {
                    keys.insert(try SPKIPin(text: text.string ?? ""))
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
