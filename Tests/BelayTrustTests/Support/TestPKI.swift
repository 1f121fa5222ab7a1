import BelayCertificates
import BelayTrust
import Foundation

/// The moment at which tests judge: 2026-06-01T00:00:00Z. Everything that tests issue is valid around it.
let moment = Date(timeIntervalSince1970: 1_780_272_000)

extension Validity {
    /// From a month before ``moment`` to a year after it.
    static let current = Validity(
        from: moment.addingTimeInterval(-30 * 86_400), through: moment.addingTimeInterval(365 * 86_400))
}

/// A root, an intermediate and a server below it, of which a test bends what it is about.
struct TestPKI: Sendable {
    let root: CertificateIssuer
    let intermediate: CertificateIssuer
    let leaf: Certificate
    let leafKey: PrivateKey

    typealias Bend = (inout CertificateTemplate) -> Void

    static let host = "www.host.test"

    init(
        root bendRoot: Bend = { _ in }, intermediate bendIntermediate: Bend = { _ in }, leaf bendLeaf: Bend = { _ in },
        leafKey: PrivateKey? = nil
    ) throws {
        var template = CertificateTemplate.authority(named: "Root", organization: "Example", validity: .current)
        bendRoot(&template)
        root = try CertificateIssuer.selfSigned(template, key: .generate(.p256))
        template = .authority(named: "Intermediate", organization: "Example", validity: .current)
        bendIntermediate(&template)
        intermediate = try root.issueAuthority(template, key: .generate(.p256))
        template = .server(names: [Self.host], validity: .current)
        bendLeaf(&template)
        let key = try leafKey ?? PrivateKey.generate(.p256)
        self.leafKey = key
        // Encoded and read again, since a leaf may be bent into something that nobody would issue.
        leaf = try Certificate(der: intermediate.encode(template, for: key.publicKey))
    }

    /// One that nothing is wrong with, made once.
    static let good = Result { try TestPKI() }

    /// The leaf and intermediate as a server sends them, to be judged for ``host`` with the root as anchor.
    var trust: ServerTrust { Self.trust([leaf, intermediate.certificate], anchors: [root.certificate]) }

    static func trust(_ chain: [Certificate], host: String? = host, anchors: [Certificate]) -> ServerTrust {
        var trust = ServerTrust(
            chain: chain.map(\.der), policies: [.tlsServer(name: host.flatMap { try? ServerName($0) })],
            anchors: AnchorStore(anchors))
        trust.evaluationTime = moment
        return trust
    }
}

extension ServerTrust {
    /// The same with something changed.
    func with(_ change: (inout ServerTrust) throws -> Void) rethrows -> ServerTrust {
        var copy = self
        try change(&copy)
        return copy
    }
}

extension Verdict {
    /// The identifiers of the rules that found errors.
    var errors: Set<String> { Set(findings(.error).map(\.rule.identifier)) }

    /// The identifiers of all findings.
    var rules: Set<String> { Set(findings.map(\.rule.identifier)) }

    func finding(_ rule: String) -> Finding? { findings.first { $0.rule.identifier == rule } }
}

extension CertificateIssuer {
    /// An authority with a new key.
    static func root(named name: String, _ bend: TestPKI.Bend = { _ in }) throws -> CertificateIssuer {
        var template = CertificateTemplate.authority(named: name, validity: .current)
        bend(&template)
        return try selfSigned(template, key: .generate(.p256))
    }

    /// An authority below this one, with a new key or the one given.
    func authority(
        named name: String, key: PrivateKey? = nil, _ bend: TestPKI.Bend = { _ in }
    ) throws -> CertificateIssuer {
        var template = CertificateTemplate.authority(named: name, validity: .current)
        bend(&template)
        return try issueAuthority(template, key: key ?? .generate(.p256))
    }

    /// A server below this one.
    func server(
        _ names: [String] = [TestPKI.host], key: PrivateKey? = nil, _ bend: TestPKI.Bend = { _ in }
    ) throws -> Certificate {
        var template = CertificateTemplate.server(names: names, validity: .current)
        bend(&template)
        return try issue(template, for: key?.publicKey ?? PrivateKey.generate(.p256).publicKey)
    }

    /// A revocation list of this authority, current at ``moment``.
    func list(
        revoking certificates: [Certificate] = [], reason: Int? = nil, extensions: [CertificateExtension] = [],
        _ bend: (inout RevocationListTemplate) -> Void = { _ in }
    ) throws -> RevocationList {
        var template = RevocationListTemplate(
            thisUpdate: moment.addingTimeInterval(-86_400), nextUpdate: moment.addingTimeInterval(86_400),
            entries: certificates.map {
                .init(serialNumber: $0.serialNumber, date: moment.addingTimeInterval(-90_000), reason: reason)
            }, extensions: extensions)
        bend(&template)
        return try RevocationList(der: issue(template))
    }
}

/// A folder of its own for a test, taken away with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "belay-trust-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file; returns its path.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }
}
