import BelayCertificates
import BelayTrust
import COpenSSLVerifier
import FoundationEssentials

/// Whom Belay is compared with.
enum Peer: String, CaseIterable, Sendable {
    case openssl = "OpenSSL"
    case go = "Go"
    case pyca

    /// The rule set that demands most nearly what the peer demands.
    var rules: RuleSet { self == .pyca ? .webpki : .standard }
}

/// A case, and what everybody said to it.
struct Comparison {
    let id: String
    let note: String
    let host: String
    let chain: [[UInt8]]
    let anchors: [[UInt8]]
    let time: Date
    /// The certificates of the case that can be read, those sent first.
    let certificates: [Certificate]
    let standard: Verdict
    let webpki: Verdict
    let openssl: Int32
    let go: PeerAnswer
    let pyca: PeerAnswer

    init(line: [UInt8], go: PeerAnswer, pyca: PeerAnswer) throws {
        let source = try JSONDecoder().decode(Case.self, from: Data(line))
        guard source.id == go.id, source.id == pyca.id else { throw RunError("the answers are not those to the cases") }
        let trustCase = try TrustCase(json: line) { () throws(SystemAnchorsError) in .empty }
        let answer = trustCase.evaluate()
        id = source.id
        note = source.note
        host = source.host
        time = trustCase.trust.evaluationTime ?? Date()
        chain = trustCase.trust.chain
        anchors = source.anchors.map { Data(base64Encoded: $0).map(Array.init) ?? [] }
        certificates = (chain + anchors).compactMap { try? Certificate(der: $0) }
        standard = answer.verdict
        let strict = try TrustCase(json: Self.withRules("webpki", line)) { () throws(SystemAnchorsError) in .empty }
        webpki = strict.evaluate().verdict
        openssl = Self.askOpenSSL(chain, anchors, source.host, time)
        self.go = go
        self.pyca = pyca
    }

    private static func withRules(_ name: String, _ line: [UInt8]) -> [UInt8] {
        Array(line.dropLast()) + Array(",\"rules\":\"\(name)\"}".utf8)
    }

    static func askOpenSSL(_ chain: [[UInt8]], _ anchors: [[UInt8]], _ host: String, _ time: Date) -> Int32 {
        guard let verification = verification_new() else { return -1 }
        defer { verification_free(verification) }
        for der in anchors { verification_add_anchor(verification, der, der.count) }
        for der in chain { verification_add_sent(verification, der, der.count) }
        // OpenSSL compares names as they are written; Belay and the others drop the dot at the end.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let seconds = Int64(time.timeIntervalSince1970)
        return verification_run(verification, name, IPAddress(host) == nil ? 0 : 1, seconds)
    }

    /// Belay's verdict under the rules that a peer is compared by.
    func verdict(beside peer: Peer) -> Verdict { peer == .pyca ? webpki : standard }

    /// Whether a peer accepts.
    func isAccepted(by peer: Peer) -> Bool {
        switch peer {
        case .openssl: openssl == 0
        case .go: go.accepted
        case .pyca: pyca.accepted
        }
    }

    /// Why a peer refuses, in its words.
    func refusal(by peer: Peer) -> String {
        switch peer {
        case .openssl: openssl == 0 ? "" : String(cString: verification_text(openssl))
        case .go: go.error
        case .pyca: pyca.error
        }
    }
}
