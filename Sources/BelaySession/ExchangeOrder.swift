import BelayTLS

/// What is sent to whatever host is next on a request's way.
struct ExchangeOrder {
    private(set) var method: String
    private(set) var headers: [(name: String, value: String)]
    private(set) var body: [UInt8]?
    let timeouts: SessionTimeouts

    init(_ prepared: PreparedRequest, _ request: Request, _ configuration: SessionConfiguration) {
        method = prepared.method
        headers = prepared.headerLines
        for field in configuration.headers.fields where !request.headers.contains(field.name) {
            headers.append((field.name, field.value))
        }
        body = prepared.body
        timeouts = request.timeouts.applied(to: configuration.timeouts)
    }

    /// Becomes what the redirect asks for.
    mutating func follow(_ hop: RedirectHop) {
        method = hop.method.rawValue
        if !hop.keepsBody { body = nil }
        headers.removeAll { header in hop.dropsHeaders.contains { $0.equalsIgnoringCase(header.name) } }
    }

    /// One exchange with a server.
    func transfer(
        to url: SessionURL, under terms: ConnectionTerms, _ configuration: SessionConfiguration
    ) -> TransferOrder {
        TransferOrder(
            url: url.text, isEncrypted: url.isSecure, method: method, headers: lines, body: body, terms: terms,
            route: TransferRoute(
                connectTo: configuration.connectTo, unixSocket: configuration.unixSocket, proxy: configuration.proxy),
            limits: TransferLimits(body: configuration.maximumBodySize, headers: configuration.maximumHeaderSize),
            timeouts: timeouts, protocols: configuration.protocols, decompresses: configuration.decompresses)
    }

    /// Lines as libcurl wants them: a field without a value is written with a semicolon.
    private var lines: [String] {
        headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    }
}
