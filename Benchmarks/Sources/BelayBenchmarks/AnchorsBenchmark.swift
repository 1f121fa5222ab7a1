import BelayTrust
import CPeers

/// Loading the machine's anchors: ours beside X509_STORE_load_file.
struct AnchorsBenchmark {
    let interleaving: Interleaving

    func run(into report: inout Report) async throws {
        let path = SystemAnchors.standardFiles[0]
        guard peer_load_anchors(path) > 0 else {
            report.skip("the machine's anchors: \(path) is not there (Debian: ca-certificates)")
            return
        }
        let environment = ["SSL_CERT_FILE": path]
        let count = try SystemAnchors.load(environment: environment).certificates.count
        let ours = Job(
            name: "SystemAnchors.load",
            includes: "reading the file, PEM, strict walk of all \(count) certificates, index by subject"
        ) { count in
            for _ in 0..<count { Sink.keep(try SystemAnchors.load(environment: environment).certificates.count) }
        }
        let peer = Job(name: "X509_STORE_load_file", includes: "the same file into a fresh X509_STORE, which is freed")
        { count in
            for _ in 0..<count {
                guard peer_load_anchors(path) > 0 else { throw BenchmarkError("OpenSSL cannot load \(path)") }
            }
        }
        let rates = try await report.compare("load of the machine's anchors", ours, peer, nil, interleaving)
        guard let rates else { return }
        let milliseconds = Comparison.Spread(rates.perProcessorSecond.map { 1_000 / $0 })
        report.add(
            Limit(
                name: "load time of the machine's anchors", includes: ours.includes, unit: "CPU-ms",
                value: milliseconds,
                target: Target.atMost(2).text, isMet: Target.atMost(2).isMet(by: milliseconds.median)))
    }
}
