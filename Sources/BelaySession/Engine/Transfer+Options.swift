import BelayTLS
import CCurl

extension Transfer {
    /// Sets the handle up for the order. False where libcurl does not take an option.
    func prepare(sharing share: OpaquePointer?, usesCookies: Bool) -> Bool {
        easy.prepare(for: order) { setUp(sharing: share, usesCookies: usesCookies) }
        return easy.refusedOption == nil
    }

    private func setUp(sharing share: OpaquePointer?, usesCookies: Bool) {
        easy.setCallbacks()
        if order.trace != nil || mayBeTurnedDown { easy.setDebugCallback() }
        if order.trace != nil { easy.tell() }
        if mayTunnel { easy.setProgressCallback() }
        easy.set(CURLOPT_NOSIGNAL, 1)
        // Else the engine would wait for the system's resolver whenever a request is given up that waits for it, and all others with it.
        easy.set(CURLOPT_QUICK_EXIT, 1)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        setTrust()
        setMethod()
        setRoute()
        setTimeouts()
        // Bodies are unpacked here; see ContentUnpacker.
        easy.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        if let share {
            easy.set(CURLOPT_SHARE, UnsafeMutableRawPointer(share))
            // An empty name switches the engine on and reads no file.
            if usesCookies { easy.set(CURLOPT_COOKIEFILE, "") }
        }
        if order.isAlone {
            easy.set(CURLOPT_FRESH_CONNECT, 1)
            easy.set(CURLOPT_FORBID_REUSE, 1)
        }
        if let password = order.password {
            easy.set(CURLOPT_HTTPAUTH, belay_curlauth_basic)
            easy.set(CURLOPT_USERNAME, password.user)
            easy.set(CURLOPT_PASSWORD, password.password)
        }
    }

    private func setTrust() {
        // With verification off libcurl ignores what the guard says; the name is the guard's business.
        easy.set(CURLOPT_SSL_VERIFYPEER, 1)
        easy.set(CURLOPT_SSL_VERIFYHOST, 0)
        // Debian's libcurl would read the whole system bundle for each connection.
        easy.set(CURLOPT_CAINFO, nil)
        // No folder is ever read here. libcurl compares the path when it looks for a connection or a TLS session to use
        // again, and it does not compare callbacks: so the path says which terms they were made under.
        easy.set(CURLOPT_CAPATH, "/dev/null/\(order.terms.identifier)")
        easy.set(CURLOPT_PROXY_CAINFO, nil)
        easy.set(CURLOPT_PROXY_CAPATH, nil)
        easy.set(CURLOPT_HTTP_VERSION, httpVersion)
        guard order.settings.protocols == .automatic, order.isEncrypted else { return }
        easy.set(CURLOPT_PIPEWAIT, 1)
        // libcurl 7.88 hands a head of HTTP/2 over by so many bytes at a time, and forgets the rest where the whole response has come by
        // then. So all of it has to fit.
        // A handle that still has its buffer takes no other size: that of a request which had to wait for a server's word.
        let size = min(max(order.settings.limits.headers, 16 << 10) + (16 << 10), 512 << 10)
        _ = belay_curl_set_number(easy.pointer, CURLOPT_BUFFERSIZE, size)
    }

    /// The window that every stream starts with (RFC 9113, section 6.9.2), in bytes.
    private static let longestHTTP2Body = 65_535

    private var httpVersion: Int {
        switch order.settings.protocols {
        // libcurl 7.88 waits for ever, and keeps its thread busy, where an HTTP/2 server answers before it has read the whole of a
        // body that is longer than the window it gave.
        case .automatic where (order.content.body?.count ?? 0) > Transfer.longestHTTP2Body: Int(CURL_HTTP_VERSION_1_1)
        case .automatic: Int(CURL_HTTP_VERSION_2TLS)
        case .http1: Int(CURL_HTTP_VERSION_1_1)
        }
    }

    private func setMethod() {
        var headers = order.content.headers
        takeCookies(outOf: &headers)
        func lacks(_ name: String) -> Bool {
            !headers.contains { $0.prefix(name.count + 1).lowercased() == name + ":" }
        }
        if order.settings.decompresses, lacks("accept-encoding") {
            // libcurl's own option would have it written twice, letter by letter.
            headers.append("Accept-Encoding: \(ContentUnpacker.accepted)")
        }
        if let body = order.content.body ?? (["POST", "PUT", "PATCH"].contains(order.content.method) ? [] : nil) {
            easy.setBody(body)
            // libcurl would take every body for a form, and wait before it sends a long one.
            if lacks("content-type") { headers.append("Content-Type:") }
            if lacks("expect") { headers.append("Expect:") }
            if order.content.method != "POST" { easy.set(CURLOPT_CUSTOMREQUEST, order.content.method) }
        } else if order.content.method == "HEAD" {
            easy.set(CURLOPT_NOBODY, 1)
        } else if order.content.method != "GET" {
            easy.set(CURLOPT_CUSTOMREQUEST, order.content.method)
        }
        easy.setHeaders(headers)
    }

    /// Has libcurl put the caller's cookies behind those that servers have set: a request has one `Cookie` field (RFC 6265, section 5.4), and
    /// libcurl would send one of its own beside it.
    private func takeCookies(outOf headers: inout [String]) {
        let given = headers.filter { $0.hasFieldName("cookie") }
        guard !given.isEmpty else { return }
        headers.removeAll { $0.hasFieldName("cookie") }
        // A field without a value ends with its semicolon.
        let values = given.compactMap { line in
            line.utf8.firstIndex(of: 0x3A).map { String(line[line.utf8.index(after: $0)...].drop { $0 == " " }) }
        }
        easy.set(CURLOPT_COOKIE, values.filter { !$0.isEmpty }.joined(separator: "; "))
    }

    private func setRoute() {
        if let target = order.settings.route.connectTo { easy.setConnectTo("::\(target)") }
        if let path = order.settings.route.unixSocket { easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        // What a proxy says to CONNECT is no part of the response.
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        switch order.settings.route.proxy {
        case .environment: break
        case .none: easy.set(CURLOPT_PROXY, "")
        case .url(let url):
            easy.set(CURLOPT_PROXY, url)
            // Whoever names a proxy means it, whatever the environment excepts.
            easy.set(CURLOPT_NOPROXY, "")
        }
    }

    private func setTimeouts() {
        // Without a limit libcurl would have one of its own.
        easy.set(milliseconds: CURLOPT_CONNECTTIMEOUT_MS, order.content.timeouts.connect ?? .seconds(1 << 20))
        if let total = order.content.timeouts.total { easy.set(milliseconds: CURLOPT_TIMEOUT_MS, total) }
    }
}

extension String {
    /// Whether a header line, `Name: value` or `Name;`, has this name, which is in lower case.
    fileprivate func hasFieldName(_ name: String) -> Bool {
        let length = name.utf8.count
        guard let end = utf8.dropFirst(length).first, end == 0x3A || end == 0x3B else { return false }
        return zip(utf8, name.utf8).allSatisfy { $0.asciiLowercased == $1 }
    }
}
