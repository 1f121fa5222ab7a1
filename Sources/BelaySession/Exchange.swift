import BelayCertificates
import BelayTLS
import BelayTrust

/// One request of a session on its way: through interceptors, redirects and challenges to a response.
struct Exchange {
    let session: Session
    let identifier: UInt64
    private let original: Request
    private var method: String
    private var phase = SessionPhase.prepare
    /// Where the request is going at the moment, for errors.
    private var place: String

    init(session: Session, identifier: UInt64, request: Request) {
        self.session = session
        self.identifier = identifier
        original = request
        method = request.method.rawValue
        place = "\(request)"
    }

    /// Sends the request and takes it to its end.
    mutating func run() async throws(SessionError) -> Response {
        let request = try await adapted()
        let prepared: PreparedRequest
        do throws(RequestError) {
            prepared = try request.prepared(relativeTo: session.baseURL)
        } catch { throw failure(.badURL(error.description)) }
        let url = prepared.url
        method = prepared.method
        var order = Order(prepared, request, session.configuration)
        place = url.description
        session.configuration.onEvent?(.began(id: identifier, method: method, url: place))
        let outcome = try await exchange(&order, with: url)
        let response = Response(outcome, url: url.text)
        do throws(ResponseRejection) {
            try (request.acceptance ?? session.configuration.acceptance).check(response)
        } catch { throw failure(.rejected(error), .receive) }
        return response
    }

    private func adapted() async throws(SessionError) -> Request {
        var request = original
        for interceptor in session.configuration.interceptors {
            do { request = try await interceptor.adapt(request) } catch { throw failure(.interceptor(error)) }
        }
        return request
    }

    /// What is sent to whatever host is next.
    struct Order {
        var method: String
        var headers: [(name: String, value: String)]
        var body: [UInt8]?
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

        /// Lines as libcurl wants them: a field without a value is written with a semicolon.
        var lines: [String] {
            headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        }
    }

    /// Makes one exchange with one host.
    private mutating func exchange(
        _ order: inout Order, with url: SessionURL
    ) async throws(SessionError) -> TransferOutcome {
        let terms: SessionRules.Terms
        do throws(SessionError.Reason) {
            terms = try session.rules.withLock { rules throws(SessionError.Reason) in try rules.terms(for: url) }
        } catch { throw failure(error) }
        var transfer = TransferOrder(
            url: url.text, isEncrypted: url.isSecure, method: order.method, headers: order.lines, body: order.body,
            terms: terms.connection)
        let configuration = session.configuration
        transfer.route = TransferRoute(
            connectTo: configuration.connectTo, unixSocket: configuration.unixSocket, proxy: configuration.proxy)
        transfer.limits = TransferLimits(
            body: configuration.maximumBodySize, headers: configuration.maximumHeaderSize)
        transfer.timeouts = order.timeouts
        transfer.protocols = configuration.protocols
        transfer.decompresses = configuration.decompresses
        let outcome = await session.engine.perform(transfer)
        configuration.onEvent?(.exchanged(id: identifier, metrics: ExchangeMetrics(outcome)))
        if let failed = outcome.failure { throw failure(failed) }
        return outcome
    }

    // MARK: - Errors

    private func failure(_ reason: SessionError.Reason, _ phase: SessionPhase = .prepare) -> SessionError {
        SessionError(method: method, url: place, phase: phase, reason: reason)
    }

    private func failure(_ failed: TransferFailure) -> SessionError {
        switch failed {
        case .refused(let verdict): failure(.untrusted(verdict), .handshake)
        case .undecided(_, let verdict): failure(.untrusted(verdict), .handshake)
        case .identityUndecided(let request, _):
            failure(.tls(.clientCertificateRequired(acceptableIssuers: request.acceptableIssuers)), .handshake)
        case .unjudged: failure(.unjudged, .send)
        case .tls(let reason): failure(.tls(reason), .handshake)
        case .unusable(let text): failure(.configuration(text))
        case .notResolved(let text): failure(.notResolved(text), .resolve)
        case .notConnected(let text): failure(.notConnected(text), .connect)
        case .proxy(let text): failure(.proxy(text), .connect)
        case .timedOut(let phase, let limit): failure(.timedOut(limit), phase)
        case .lost(let text): failure(.connectionLost(text), .wait)
        case .truncated(let received): failure(.truncated(received: received), .receive)
        case .malformed(let text): failure(.malformedResponse(text), .receive)
        case .bodyTooLarge(let limit): failure(.bodyTooLarge(limit: limit), .receive)
        case .headersTooLarge(let limit): failure(.headersTooLarge(limit: limit), .receive)
        case .tooManyInformational(let limit): failure(.tooManyInformational(limit: limit), .receive)
        case .cancelled: failure(.cancelled)
        case .other(let code, let text): failure(.other(code: code, text), .receive)
        }
    }
}

extension Response {
    /// What an exchange brought.
    init(_ outcome: TransferOutcome, url: String) {
        var headers = HTTPHeaders()
        for index in 0..<outcome.headers.count { headers.addReceived(line: outcome.headers[index]) }
        self.init(
            url: url, statusCode: outcome.status, httpVersion: outcome.httpVersion, headers: headers,
            body: outcome.body)
    }
}

extension TransferOutcome {
    /// The version as people write it.
    var httpVersion: String {
        switch version {
        case 10: "HTTP/1.0"
        case 20: "HTTP/2"
        default: "HTTP/1.1"
        }
    }
}
