import BelayCertificates
import BelayTLS
import BelayTrust
import FoundationEssentials

/// The answer of `belay cert fetch`: see Documentation/json.md for its JSON.
struct FetchReport {
    let server: String
    let location: TLSLocation
    let options: FetchOptions
    var served: ServedChain?
    var certificates: [ServedCertificate] = []
    /// The files that were written, one for each certificate; nil where none were asked for.
    var files: [String]?
    /// Why something is missing.
    var error: FailureReport?

    init(
        _ server: String, _ location: TLSLocation, _ options: FetchOptions, served: ServedChain? = nil,
        certificates: [ServedCertificate] = [], error: FailureReport? = nil
    ) {
        self.server = server
        self.location = location
        self.options = options
        self.served = served
        self.certificates = certificates
        self.error = error
    }

    /// What happened, for people.
    func story(isShort: Bool) -> String {
        guard let served else { return "" }
        let count = served.certificates.count
        var lines = ["\(location): " + Self.negotiated(served)]
        lines.append(
            (isShort && count > 1 ? "the first of \(count) certificates" : Days.plural(count, "certificate"))
                + ", as the server sent \(count == 1 || isShort ? "it" : "them"). Nothing was judged: 'belay check' does that."
        )
        lines += Self.remarks(served, certificates)
        if let files { lines += files.map { "written: \(printable($0))" } }
        return lines.joined(separator: "\n")
    }

    /// What was negotiated, in a line.
    static func negotiated(_ served: ServedChain) -> String {
        guard let evidence = served.evidence else { return "the handshake failed" }
        return [evidence.version.description, evidence.cipherSuite.name, evidence.keyExchangeGroup ?? ""]
            .filter { !$0.isEmpty }.joined(separator: ", ") + " (at \(evidence.peerAddress))"
    }

    /// What people have to know of certificates that nobody has judged.
    static func remarks(_ served: ServedChain, _ certificates: [ServedCertificate]) -> [String] {
        var lines: [String] = []
        if served.evidence == nil {
            lines.append(
                "warning: the server did not prove that it has the key of its certificate; anybody can send these")
        }
        if let ending = served.ending { lines.append("note: the handshake failed after that: \(ending.summary)") }
        for certificate in certificates {
            guard let problem = certificate.problem else { continue }
            lines.append("warning: certificate \(certificate.index) cannot be read: \(problem)")
        }
        return lines
    }
}

extension FetchReport: Encodable {
    private enum Key: String, CodingKey {
        case url, host, port, startTLS, connectTo, serverName, connection, keyProven, clientCertificateRequested, ending
        case certificates, error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(printable(server), forKey: .url)
        try container.encode(location.endpoint.host, forKey: .host)
        try container.encode(location.endpoint.port, forKey: .port)
        try container.encode(location.startTLS?.rawValue, forKey: .startTLS)
        try container.encode(options.connectTo?.description, forKey: .connectTo)
        try container.encode((options.sni ?? .endpoint).name(for: location.endpoint), forKey: .serverName)
        try container.encode(served?.evidence.map(Connection.init), forKey: .connection)
        try container.encode(served?.evidence != nil, forKey: .keyProven)
        try container.encode(served?.certificateRequest != nil, forKey: .clientCertificateRequested)
        try container.encode(served?.ending?.summary, forKey: .ending)
        let moment = Date()
        try container.encode(
            certificates.map { Element($0, file: files?[$0.index], at: moment) }, forKey: .certificates)
        try container.encode(error, forKey: .error)
    }

    private struct Connection: Encodable {
        let address: String
        let version: String
        let cipherSuite: String
        let keyExchangeGroup: String?
        let time: String

        init(_ evidence: PeerEvidence) {
            address = evidence.peerAddress
            version = evidence.version.description
            cipherSuite = evidence.cipherSuite.name
            keyExchangeGroup = evidence.keyExchangeGroup
            time = RFC3339.text(evidence.moment)
        }
    }

    private struct Element: Encodable {
        let served: ServedCertificate
        let file: String?
        let moment: Date

        init(_ served: ServedCertificate, file: String?, at moment: Date) {
            self.served = served
            self.file = file
            self.moment = moment
        }

        private enum Key: String, CodingKey { case role, file, pem, certificate, problem }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(served.role, forKey: .role)
            try container.encode(file.map { printable($0) }, forKey: .file)
            try container.encode(PEM.encode(label: "CERTIFICATE", der: served.der), forKey: .pem)
            try container.encode(served.certificate.map { CertificateReport($0, at: moment) }, forKey: .certificate)
            try container.encode(served.problem, forKey: .problem)
        }
    }
}
