extension Request {
    /// The URL as it is sent: resolved, with the query, percent-encoded where it has to be, without fragment.
    func preparedURL(relativeTo base: String?) throws(RequestError) -> String {
        var reference: URLReference
        do throws(RequestError.URLProblem) {
            reference = try URLReference(checking: url)
            if reference.scheme != nil {
                try reference.checkOrigin()
            } else if base == nil {
                throw .relativeWithoutBase
            }
        } catch { throw .url(url, error) }
        if reference.scheme == nil, let base {
            do throws(RequestError.URLProblem) {
                reference = reference.resolved(against: try URLReference(base: base))
            } catch { throw .baseURL(base, error) }
            do throws(RequestError.URLProblem) { try reference.checkOrigin() } catch { throw .url(url, error) }
        }
        if reference.path.isEmpty { reference.path = "/" }
        reference.path = reference.path.percentEncodingStrays()
        let encoded = query.encoded(style: parameterStyle)
        if !encoded.isEmpty {
            let own = reference.query ?? ""
            reference.query = own.isEmpty ? encoded : "\(own)&\(encoded)"
        }
        reference.query = reference.query?.percentEncodingStrays()
        reference.fragment = nil
        return reference.text
    }
}

extension URLReference {
    /// Takes a text apart that holds no control character; those could end the request's first line.
    init(checking text: String) throws(RequestError.URLProblem) {
        var offset = 0
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F { throw .controlCharacter(offset: offset) }
            offset += 1
        }
        self.init(text)
    }

    /// Takes a session's base URL, whose path counts as a folder.
    init(base: String) throws(RequestError.URLProblem) {
        try self.init(checking: base)
        try checkOrigin()
        if path.utf8.last != 0x2F { path += "/" }
        query = nil
        fragment = nil
    }

    /// Finds out whether there is a scheme of HTTP and something like a host.
    func checkOrigin() throws(RequestError.URLProblem) {
        guard let scheme else { throw .relativeWithoutBase }
        guard scheme == "https" || scheme == "http" else { throw .scheme(scheme) }
        guard let authority else { throw .noHost }
        let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
        // A second @ and a backslash are read in different ways by different programs.
        guard parts.count <= 2, authority.utf8.allSatisfy(\.isPossibleInAuthority) else { throw .authority }
        guard let host = parts.last, !host.isEmpty, host.utf8.first != 0x3A else { throw .noHost }
    }
}

extension UInt8 {
    /// RFC 3986, section 3.2; from 0x80 on it may be a host's name with U-labels.
    fileprivate var isPossibleInAuthority: Bool {
        if isUnreservedInURL || self >= 0x80 { return true }
        switch self {
        case 0x21, 0x24...0x2C, 0x3A, 0x3B, 0x3D, 0x40, 0x5B, 0x5D, 0x25: return true
        default: return false
        }
    }

    /// What a path or query may hold unencoded; brackets too, which RFC 3986 does not want there but everybody writes.
    fileprivate var isPossibleInPathOrQuery: Bool {
        switch self {
        case 0x00...0x20, 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D, 0x7F...0xFF: false
        default: true
        }
    }
}

extension String {
    /// What cannot stand in a path or query is percent-encoded, and so is a `%` that begins no triplet; the rest is as it was.
    fileprivate func percentEncodingStrays() -> String {
        guard utf8.contains(where: { !$0.isPossibleInPathOrQuery || $0 == 0x25 }) else { return self }
        let bytes = Array(utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 16)
        for (index, byte) in bytes.enumerated() {
            let isTriplet =
                byte == 0x25 && index + 2 < bytes.count && bytes[index + 1].isHexadecimalDigit
                && bytes[index + 2].isHexadecimalDigit
            if byte == 0x25 ? isTriplet : byte.isPossibleInPathOrQuery {
                output.append(byte)
            } else {
                output.appendPercentEncoded(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
