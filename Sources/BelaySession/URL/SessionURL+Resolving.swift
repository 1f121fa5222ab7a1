import BelayTrust

extension SessionURL {
    /// Resolves a reference against this URL (RFC 3986, section 5): `users/1`, `/users`, `?page=2`, `//other.test/`, or a
    /// whole URL.
    ///
    /// - Throws: ``SessionURLError``, as ``init(_:)`` does. A reference whose first segment has a colon (`user:1`) is a URL
    ///   with a scheme by RFC 3986, section 4.2; write `./user:1`.
    public func resolving(_ reference: String) throws(SessionURLError) -> SessionURL {
        // libcurl 7.88 would take the last segment away for these two; section 5.2.2 keeps path and query.
        guard !reference.isEmpty else { return with(fragment: nil) }
        let octets = try Self.checked(reference)
        if octets.first == 0x23 {
            return with(fragment: String(decoding: URLOctets.encodingIllegal(octets).dropFirst(), as: UTF8.self))
        }
        if Self.endOfScheme(octets) != nil { return try SessionURL(reference) }
        if octets.starts(with: [0x2F, 0x2F]) { return try SessionURL("\(scheme.rawValue):\(reference)") }
        let encoded = String(decoding: URLOctets.encodingIllegal(octets), as: UTF8.self)
        guard let url = CurlURL() else { throw SessionURLError(reference, .outOfMemory) }
        do throws(CurlURLFailure) {
            try url.read(text)
            try url.read(encoded)
        } catch {
            throw SessionURLError(reference, .unreadable(error.text))
        }
        return try SessionURL(url, scheme, hostLiteral, host, port, of: reference)
    }

    /// The URL as a base for relative ones: its path ends in a slash, so that no segment of it is replaced, and it has no
    /// fragment. It is AFNetworking's rule for the base URL of a session.
    public var asBase: SessionURL {
        SessionURL(
            scheme: scheme, hostLiteral: hostLiteral, host: host, port: port,
            path: path.utf8.last == 0x2F ? path : path + "/", query: query, fragment: nil)
    }

    /// The URL with more of a query after the one it has.
    ///
    /// Names and values are percent-encoded, all but RFC 3986's unreserved characters. An item without a value is a name
    /// alone.
    public func appending(query items: [(name: String, value: String?)]) -> SessionURL {
        var octets: [UInt8] = []
        for item in items {
            if !octets.isEmpty { octets.append(0x26) }
            URLOctets.encodingReserved(item.name, into: &octets)
            if let value = item.value {
                octets.append(0x3D)
                URLOctets.encodingReserved(value, into: &octets)
            }
        }
        return appending(octets)
    }

    /// The URL with more of a query after the one it has; the text is a query already, as encoders make it. What may not
    /// stand in a query is percent-encoded, a number sign included.
    public func appending(encodedQuery text: String) -> SessionURL {
        var octets: [UInt8] = []
        for part in text.utf8.split(separator: 0x23, omittingEmptySubsequences: false) {
            if part.startIndex != text.utf8.startIndex { octets += [0x25, 0x32, 0x33] }
            octets += URLOctets.encodingIllegal(part)
        }
        return appending(octets)
    }

    /// The URL with another fragment, percent-encoded already; nil for none.
    func with(fragment: String?) -> SessionURL {
        SessionURL(
            scheme: scheme, hostLiteral: hostLiteral, host: host, port: port, path: path, query: query,
            fragment: fragment)
    }

    private func appending(_ octets: [UInt8]) -> SessionURL {
        guard !octets.isEmpty else { return self }
        let more = String(decoding: octets, as: UTF8.self)
        var whole = query ?? ""
        if !whole.isEmpty && whole.utf8.last != 0x26 { whole += "&" }
        whole += more
        return SessionURL(
            scheme: scheme, hostLiteral: hostLiteral, host: host, port: port, path: path, query: whole,
            fragment: fragment)
    }
}
