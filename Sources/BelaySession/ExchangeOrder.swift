import BelayTLS

/// What is sent to whatever host is next on a request's way.
struct ExchangeOrder {
    private var headers: [(name: String, value: String)]
    /// What goes onto the wire.
    private(set) var content: TransferContent

    /// The method's name.
    var method: String { content.method }

    /// The names of the headers that the caller, or the session for the caller, has set.
    var headerNames: [String] { headers.map(\.name) }

    /// Whether a header of the caller's authenticates.
    var authenticates: Bool { headers.contains { $0.name.equalsIgnoringCase("Authorization") } }

    /// What is sent first.
    ///
    /// - Parameters:
    ///   - usual: the session's headers, for those that the request does not have.
    ///   - timeouts: the session's limits.
    init(_ prepared: PreparedRequest, _ request: Request, headers usual: HTTPHeaders, timeouts: SessionTimeouts) {
        headers = prepared.headerLines
        for field in usual.fields where !request.headers.contains(field.name) {
            headers.append((field.name, field.value))
        }
        content = TransferContent(
            method: prepared.method, headers: Self.lines(headers), body: prepared.body,
            timeouts: request.timeouts.applied(to: timeouts))
    }

    /// Becomes what the redirect asks for.
    mutating func follow(_ hop: RedirectHop) {
        headers.removeAll { header in hop.dropsHeaders.contains { $0.equalsIgnoringCase(header.name) } }
        content = TransferContent(
            method: hop.method.rawValue, headers: Self.lines(headers), body: hop.keepsBody ? content.body : nil,
            timeouts: content.timeouts)
    }

    /// Lines as libcurl wants them: a field without a value is written with a semicolon.
    private static func lines(_ headers: [(name: String, value: String)]) -> [String] {
        headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    }
}
