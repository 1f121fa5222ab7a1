/// A request as it goes onto the wire: absolute URL, header lines in order, bytes.
package struct PreparedRequest: Sendable {
    /// The method's name, a token.
    package let method: String
    /// The absolute URL, query included.
    package let url: SessionURL
    /// Name and value of each header field; all can be sent as they are. A value may be empty.
    package let headerLines: [(name: String, value: String)]
    /// The body; nil where there is none.
    package let body: [UInt8]?
}

extension Request {
    /// Puts the request into the form in which it is sent.
    ///
    /// - Parameter base: the session's base URL, as ``SessionURL/asBase`` makes it.
    /// - Throws: ``RequestError`` where something in it cannot be sent.
    package func prepared(relativeTo base: SessionURL? = nil) throws(RequestError) -> PreparedRequest {
        try prepared(recent: RecentURLs(base: base))
    }

    /// The same against the base of a session, with what it remembers of URLs.
    ///
    /// - Throws: ``RequestError`` where something in it cannot be sent.
    func prepared(recent: RecentURLs) throws(RequestError) -> PreparedRequest {
        guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy(\.isTokenByte) else {
            throw .method(method.rawValue)
        }
        return PreparedRequest(
            method: method.rawValue, url: try absoluteURL(recent), headerLines: try headerLines(),
            body: body.bytes)
    }

    private func headerLines() throws(RequestError) -> [(name: String, value: String)] {
        do throws(HTTPHeaderError) { try headers.check() } catch { throw .header(error) }
        var lines: [(name: String, value: String)] = []
        lines.reserveCapacity(headers.fields.count + 2)
        for field in headers.fields {
            if field.isNamed("Content-Length") || field.isNamed("Transfer-Encoding") {
                throw .framingHeader(field.name)
            }
            lines.append((field.name, field.value))
        }
        if body.bytes != nil, let contentType = body.contentType, !headers.contains("Content-Type") {
            do throws(HTTPHeaderError) {
                let field = try HTTPHeaders.Field.checked("Content-Type", contentType)
                lines.append((field.name, field.value))
            } catch { throw .header(error) }
        }
        if !headers.contains("Cache-Control") {
            for field in cachePolicy.headerFields where !headers.contains(field.name) { lines.append(field) }
        }
        return lines
    }

    private func absoluteURL(_ recent: RecentURLs) throws(RequestError) -> SessionURL {
        do throws(SessionURLError) {
            let resolved = try recent.url(url)
            return query.isEmpty ? resolved : resolved.appending(encodedQuery: query.encoded(style: parameterStyle))
        } catch { throw .url(error) }
    }
}
