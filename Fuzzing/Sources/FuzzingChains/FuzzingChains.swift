import BelayCertificates
import BelayTrust
import FoundationEssentials
import FuzzingSupport

/// Good chains with a part that is the fuzzer's: what is made of it reaches the rules, since everything is signed again.
public struct FuzzingChains: Sendable {
    /// The moment that verdicts are for.
    public static let moment = Date(timeIntervalSince1970: 1_780_272_000)
    /// The host that leaves are for.
    public static let host = "www.host.test"

    private let keys: [PrivateKey]
    private let issuer: DistinguishedName
    private let middle: DistinguishedName

    /// Made once for a fuzzer.
    public static let shared = FuzzingChains()

    private init() {
        do {
            // Fixed keys of Ed25519 (RFC 8410, section 7): the same input then gives the same certificates.
            let head: [UInt8] = [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20]
            keys = try (1...3).map { try PrivateKey(der: head + [UInt8](repeating: $0, count: 32)) }
        } catch {
            fatalError("the fuzzer's keys cannot be read: \(error)")
        }
        issuer = DistinguishedName(commonName: "Root")
        middle = DistinguishedName(commonName: "Intermediate")
    }

    /// An extension with an identifier below id-ce (RFC 5280, section 4.2.1), and these bytes as its value.
    public static func element(_ arc: UInt8, critical: Bool, _ value: [UInt8]) -> [UInt8] {
        DERWriter.sequence(
            DERWriter.element(.objectIdentifier, [0x55, 0x1D, arc]), critical ? DERWriter.boolean(true) : [],
            DERWriter.element(.octetString, value))
    }

    private static let authority =
        element(19, critical: true, DERWriter.sequence(DERWriter.boolean(true)))
        + element(15, critical: true, [3, 2, 1, 6])

    /// Alternative names with the host alone.
    public static let hostNames = element(
        17, critical: false, DERWriter.sequence(DERWriter.element(.contextPrimitive(2), Array(host.utf8))))

    private func certificate(
        _ number: UInt8, _ subject: DistinguishedName, key: Int, by issuerName: DistinguishedName, key issuerKey: Int,
        _ extensions: [UInt8]
    ) -> [UInt8] {
        let algorithm = DERWriter.sequence(DERWriter.element(.objectIdentifier, [0x2B, 0x65, 0x70]))
        func time(_ text: String) -> [UInt8] { DERWriter.element(.utcTime, Array(text.utf8)) }
        let part = DERWriter.sequence(
            DERWriter.element(.contextConstructed(0), DERWriter.integer(2)), DERWriter.integer([number]), algorithm,
            issuerName.der, DERWriter.sequence(time("260501000000Z"), time("260701000000Z")), subject.der,
            keys[key].publicKey.der,
            DERWriter.element(.contextConstructed(3), DERWriter.element(.sequence, extensions)))
        guard let signature = try? keys[issuerKey].sign(part, with: .ed25519) else {
            fatalError("the fuzzer cannot sign")
        }
        return DERWriter.sequence(part, algorithm, DERWriter.bitString(signature))
    }

    /// A root and a leaf below it, with extensions besides those that make them so.
    public func pair(root: [UInt8] = [], leaf: [UInt8]) -> ServerTrust {
        let anchor = certificate(1, issuer, key: 0, by: issuer, key: 0, Self.authority + root)
        let leaf = certificate(2, DistinguishedName(relativeNames: []), key: 2, by: issuer, key: 0, leaf)
        return trust([leaf], anchor)
    }

    /// A root, an intermediate and a leaf.
    public func triple(root: [UInt8] = [], intermediate: [UInt8], leaf: [UInt8]) -> ServerTrust {
        let anchor = certificate(1, issuer, key: 0, by: issuer, key: 0, Self.authority + root)
        let between = certificate(2, middle, key: 1, by: issuer, key: 0, Self.authority + intermediate)
        let leaf = certificate(3, DistinguishedName(relativeNames: []), key: 2, by: middle, key: 1, leaf)
        return trust([leaf, between], anchor)
    }

    /// A malformed anchor is none.
    private func trust(_ chain: [[UInt8]], _ anchor: [UInt8]) -> ServerTrust {
        var trust = ServerTrust(chain: chain, policies: [.basicX509])
        if let anchor = try? Certificate(der: anchor) { trust.anchors = AnchorStore([anchor]) }
        trust.evaluationTime = Self.moment
        return trust
    }
}

extension Verdict {
    /// What must be true of every verdict.
    public func demandConsistency() {
        demand(isTrusted == findings(.error).isEmpty, "trusted and errors contradict each other: \(findings)")
        demand(!isTrusted || isPathComplete, "trusted without a whole path")
        for finding in findings {
            use(finding.description)
            demand(!finding.message.isEmpty && !finding.remedy.isEmpty, "a finding without words")
        }
    }
}
