import BelayCertificates
import FoundationEssentials

/// A trust case: one line of NDJSON that says what to evaluate, as `belay trust evaluate --ndjson` reads it.
///
/// Every field that is not known is refused by name, and so is a value that Belay does not support: a case is never
/// answered as if it had said less than it does.
public struct TrustCase: Sendable {
    /// The case's name, echoed in the answer.
    public let id: String
    /// What to evaluate.
    public let trust: ServerTrust
    /// The policy on top.
    public let policy: SecurityPolicy
    /// Findings that refuse the case before anything is evaluated: anchors that cannot be read.
    let refusals: [Finding]

    /// Reads a case.
    ///
    /// - Parameters:
    ///   - line: one JSON object.
    ///   - systemAnchors: the machine's anchors, for cases that want them.
    ///   - cache: what evaluations may remember.
    /// - Throws: ``TrustCaseError`` where the line is no case.
    public init(
        json line: [UInt8], systemAnchors: () throws(SystemAnchorsError) -> AnchorStore, cache: TrustCache? = nil
    ) throws(TrustCaseError) {
        let fields = try TrustCaseFields.decode(line)
        do throws(CaseFault) {
            try self.init(fields, systemAnchors, cache)
        } catch {
            throw TrustCaseError(id: fields.id, message: error.message)
        }
    }

    private init(
        _ fields: TrustCaseFields, _ systemAnchors: () throws(SystemAnchorsError) -> AnchorStore, _ cache: TrustCache?
    ) throws(CaseFault) {
        id = fields.id
        var refusals: [Finding] = []
        var trust = ServerTrust(
            chain: try fields.chain.enumerated().map { index, text throws(CaseFault) in
                try CaseFault.der(text, "chain[\(index)]")
            }, policies: [try fields.trustPolicy()])
        trust.anchors = Self.anchors(fields, cache, &refusals)
        if fields.systemAnchors {
            do throws(SystemAnchorsError) {
                trust.systemAnchors = try systemAnchors()
            } catch {
                throw CaseFault("systemAnchors: \(error)")
            }
        }
        trust.evaluationTime = fields.time
        trust.rules = try fields.ruleSet()
        trust.maximumChainDepth = fields.maxChainDepth
        trust.revocationLists = try fields.crls.enumerated().map { index, text throws(CaseFault) in
            try CaseFault.revocationList(text, "crls[\(index)]")
        }
        trust.cache = cache
        self.trust = trust
        policy = try fields.policy?.securityPolicy() ?? SecurityPolicy()
        self.refusals = refusals
    }

    /// A given anchor that is malformed refuses the case: whoever gave it meant it to count.
    private static func anchors(
        _ fields: TrustCaseFields, _ cache: TrustCache?, _ refusals: inout [Finding]
    ) -> AnchorStore {
        if let known = cache?.anchors(in: fields.anchors.octets) { return known }
        var faults: [Finding] = []
        let store = AnchorStore(certificates(fields.anchors.texts, &faults))
        if faults.isEmpty { cache?.remember(store, for: fields.anchors.octets) }
        refusals += faults
        return store
    }

    private static func certificates(_ texts: [StrictJSON.Text], _ faults: inout [Finding]) -> [Certificate] {
        var certificates: [Certificate] = []
        for (index, text) in texts.enumerated() {
            do throws(CertificateFileProblem) {
                certificates.append(try Certificate(pemOrBase64: text.string ?? ""))
            } catch {
                faults.append(
                    Finding(
                        .malformedAnchor, "the anchor \(index) cannot be read: \(error)",
                        expected: "a certificate in PEM, or its DER in base64", found: "\(error)"))
            }
        }
        return certificates
    }

    /// Judges the case.
    public func evaluate() -> TrustAnswer {
        let verdict = policy.evaluate(trust)
        return TrustAnswer(id: id, verdict: refusals.isEmpty ? verdict : verdict.adding(refusals))
    }
}

/// Why a line is no trust case.
public struct TrustCaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The case's name, where it could be read.
    public let id: String?
    /// What is wrong, with the field's name.
    public let message: String

    /// What is wrong, with the field's name.
    public var description: String { message }
}

/// A fault in a field, before it is known which case it belongs to.
struct CaseFault: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// The bytes of a PEM block or of base64, not judged yet: that is what the evaluation is for.
    static func der(_ text: StrictJSON.Text, _ field: String) throws(CaseFault) -> [UInt8] {
        guard let octets = text.unescaped else { throw CaseFault("\(field): neither PEM nor base64") }
        // PEM has hyphens and base64 has none. By octets: looking at characters would cost ten times the evaluation.
        if octets.contains(0x2D), let blocks = try? PEM.blocks(in: octets), let first = blocks.first {
            guard blocks.count == 1 else { throw CaseFault("\(field): \(blocks.count) PEM blocks, expected one") }
            return first.der
        }
        guard let der = Base64.decode(octets, in: 0..<octets.count, skippingWhitespace: true), !der.isEmpty
        else { throw CaseFault("\(field): neither PEM nor base64") }
        return der
    }

    static func revocationList(_ text: StrictJSON.Text, _ field: String) throws(CaseFault) -> RevocationList {
        let bytes = try der(text, field)
        do throws(DERError) {
            return try RevocationList(der: bytes)
        } catch {
            throw CaseFault("\(field): not a revocation list: \(error)")
        }
    }
}
