import BelayCertificates
import CPeers

/// Reading certificates: ours beside d2i_X509.
struct ReadingBenchmarks {
    let materials: [Material]
    let interleaving: Interleaving

    func run(into report: inout Report) async throws {
        for material in materials {
            let der = material.leaves[0].der
            let peer = Job(name: "d2i_X509, X509_free", includes: "OpenSSL's parse, which decodes the public key") {
                count in
                for _ in 0..<count {
                    guard peer_parse(der, der.count) == 1 else { throw BenchmarkError("OpenSSL refuses the leaf") }
                }
            }
            let parse = Job(
                name: "Certificate(der:)",
                includes: "strict walk of the whole certificate, places of all fields and extensions"
            ) { count in
                for _ in 0..<count { Sink.keep(try Certificate(der: der).version) }
            }
            let decode = Job(
                name: "Certificate(der:) and fields",
                includes:
                    "parse, and the attributes of both names, key usage, purposes, basic constraints, key identifiers, alternative names, "
                    + "SPKI SHA-256 as values"
            ) { count in
                for _ in 0..<count { try Self.decode(Certificate(der: der)) }
            }
            try await report.compare(
                "parse, \(material.kind) leaf, \(der.count) bytes", parse, peer, .atLeast(200), interleaving)
            try await report.compare(
                "decode, \(material.kind) leaf, \(der.count) bytes", decode, peer, .atLeast(60), interleaving)
        }
    }

    private static func decode(_ certificate: Certificate) throws {
        Sink.keep(certificate.issuer.relativeNames.count)
        Sink.keep(certificate.subject.relativeNames.count)
        Sink.keep(try certificate.keyUsage != nil)
        Sink.keep(try certificate.extendedKeyUsage != nil)
        Sink.keep(try certificate.basicConstraints != nil)
        Sink.keep(try certificate.subjectKeyIdentifier?.count)
        Sink.keep(try certificate.authorityKeyIdentifier?.keyIdentifier?.count)
        Sink.keep(try certificate.subjectAlternativeNames?.count)
        Sink.keep(certificate.pin)
    }
}

/// Where results go that nobody wants, so that the optimiser does not take the work away.
enum Sink {
    @inline(never)
    @_optimize(none)
    static func keep<Value>(_ value: Value) {}
}
