import BelayCertificates
import BelayTLS
import BelayTrust

/// One request of a session on its way: through interceptors, redirects and challenges to a response.
///
/// An object, so that who works for it takes it along without copying the request. It belongs to one task.
final class Exchange {
    let session: Session
    let identifier: UInt64
    private let original: Request
    private var method: String
    /// Where the request is going at the moment; nil before that is known.
    private var target: SessionURL?

    init(session: Session, identifier: UInt64, request: Request) {
        self.session = session
        self.identifier = identifier
        original = request
        method = request.method.rawValue
    }

    /// Where the request is going at the moment, for errors and events.
    private var place: String {
        target?.description ?? Redaction.url(String(original.url.prefix { $0 != "?" && $0 != "#" }))
    }

    // Each asynchronous function that returns looks for its task's executor: what every request passes is one function, when compiled.

    /// Sends the request and takes it to its end.
    @inline(__always)
    func run() async throws(SessionError) -> Response {
        guard !session.configuration.interceptors.isEmpty else { return try await response(to: original) }
        var adapted = original
        for interceptor in session.configuration.interceptors {
            do { adapted = try await interceptor.adapt(adapted) } catch { throw failure(.interceptor(error)) }
        }
        return try await response(to: adapted)
    }

    @inline(__always)
    private func response(to request: Request) async throws(SessionError) -> Response {
        let prepared: PreparedRequest
        do throws(RequestError) {
            prepared = try request.prepared(recent: session.recentURLs)
        } catch { throw failure(.badURL(error.description)) }
        var order = ExchangeOrder(
            prepared, request, headers: session.configuration.headers, timeouts: session.configuration.timeouts)
        var context = RedirectContext(
            method: request.method, url: prepared.url, hasBody: prepared.body != nil, headerNames: order.headerNames)
        method = prepared.method
        target = prepared.url
        session.configuration.onEvent?(.began(id: identifier, method: method, url: place))
        while true {
            var authentication = Authentication(exchange: self)
            let response = try await authentication.response(to: order, context)
            // Nothing else redirects, so that the headers of most responses need not be searched.
            guard (300..<400).contains(response.statusCode) else { return try accepted(response, request) }
            switch RedirectDecision.next(
                for: response.statusCode, locations: response.headers.values(of: "Location"), from: context,
                policy: session.configuration.redirects)
            {
            case .stop:
                return try accepted(response, request)
            case .refuse(let refusal):
                throw failure(.redirect(refusal), .receive)
            case .follow(let hop):
                order.follow(hop)
                context = context.following(hop)
                method = order.method
                target = hop.url
                session.configuration.onEvent?(
                    .redirected(id: identifier, status: response.statusCode, to: place))
            }
        }
    }

    private func accepted(_ response: Response, _ request: Request) throws(SessionError) -> Response {
        do throws(ResponseRejection) {
            try (request.acceptance ?? session.configuration.acceptance).check(response)
        } catch { throw failure(.rejected(error), .receive) }
        return response
    }

    // MARK: - Errors

    func failure(_ reason: SessionError.Reason, _ phase: SessionPhase = .prepare) -> SessionError {
        SessionError(method: method, url: place, phase: phase, reason: reason)
    }

    func failure(_ failed: TransferFailure) -> SessionError {
        switch failed {
        case .refused(let verdict): failure(.untrusted(verdict), .handshake)
        case .undecided(_, let verdict): failure(.untrusted(verdict), .handshake)
        case .identityUndecided(let request, _):
            failure(.tls(.clientCertificateRequired(acceptableIssuers: request.acceptableIssuers)), .handshake)
        case .unjudged, .superseded: failure(.unjudged, .send)
        case .tls(let reason): failure(.tls(reason), .handshake)
        case .unusable(let text): failure(.configuration(text))
        case .notResolved(let text), .notConnected(let text):
            if let path = session.configuration.unixSocket {
                // No name is looked up, and no port asked: it is the path that matters.
                failure(.notConnected("\(SessionError.socketBeginning)'\(path)': \(text)"), .connect)
            } else if case .notResolved = failed {
                failure(.notResolved(text), .resolve)
            } else {
                failure(.notConnected(text), .connect)
            }
        case .proxy(let text): failure(.proxy(text), .connect)
        case .timedOut(let phase, let limit): failure(.timedOut(limit), phase)
        case .lost(let text): failure(.connectionLost(text), .wait)
        case .brokenOff(let text): failure(.connectionLost(text), .receive)
        case .truncated(let received): failure(.truncated(received: received), .receive)
        case .malformed(let text): failure(.malformedResponse(text), .receive)
        case .contentCoding(let error): failure(.contentCoding(error), .receive)
        case .bodyTooLarge(let limit): failure(.bodyTooLarge(limit: limit), .receive)
        case .headersTooLarge(let limit): failure(.headersTooLarge(limit: limit), .receive)
        case .tooManyInformational(let limit): failure(.tooManyInformational(limit: limit), .receive)
        case .cancelled(let phase): failure(.cancelled, phase)
        case .other(let code, let text): failure(.other(code: code, text), .receive)
        }
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

extension Exchange {
    /// Where a response came from, for errors.
    static func place(of response: Response) -> String {
        (try? SessionURL(response.url))?.description ?? ""
    }
}
