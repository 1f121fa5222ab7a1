import BelayTrust
import CCurl

extension SessionURL {
    /// The longest URL or reference, in bytes. Servers seldom take more than 8 kB.
    public static let maximumLength = 65_536

    /// Reads an absolute URL.
    ///
    /// - Throws: ``SessionURLError``, which never repeats a user name, password or query.
    public init(_ text: String) throws(SessionURLError) {
        let octets = try Self.checked(text)
        guard let schemeEnd = Self.endOfScheme(octets) else { throw SessionURLError(text, .noScheme) }
        let schemeText = String(decoding: octets[..<schemeEnd], as: UTF8.self).lowercased()
        guard let scheme = Scheme(rawValue: schemeText) else { throw SessionURLError(text, .scheme(schemeText)) }
        // libcurl would also take one or three slashes.
        guard octets[schemeEnd...].starts(with: [0x3A, 0x2F, 0x2F]) else { throw SessionURLError(text, .noAuthority) }
        let start = schemeEnd + 3
        let end = octets[start...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? octets.endIndex
        let authority = octets[start..<end]
        guard !authority.contains(0x40) else { throw SessionURLError(text, .userInformation) }
        let (literal, port) = try Self.hostAndPort(authority, scheme, of: text)
        let host: ServerName
        do throws(ServerNameError) { host = try ServerName(literal) } catch {
            throw SessionURLError(text, .host(error))
        }
        let unbracketed = literal.utf8.first == 0x5B ? String(literal.dropFirst().dropLast()) : literal
        let beginning = Self.authority(scheme, unbracketed, host, port)
        let rest = URLOctets.encodingIllegal(octets[end...])
        guard let url = CurlURL() else { throw SessionURLError(text, .outOfMemory) }
        do throws(CurlURLFailure) {
            try url.read(beginning + String(decoding: rest, as: UTF8.self))
        } catch {
            throw SessionURLError(text, .unreadable(error.text))
        }
        try self.init(url, scheme, unbracketed, host, port, of: text)
    }

    /// Takes path, query and fragment of a URL that libcurl has read, and holds the rest against what we have read.
    ///
    /// - Throws: ``SessionURLError/Reason/disagreement`` where libcurl would connect to somebody else.
    init(
        _ url: borrowing CurlURL, _ scheme: Scheme, _ literal: String, _ host: ServerName, _ port: UInt16,
        of text: String
    ) throws(SessionURLError) {
        var written = host.urlText
        if case .dns = host, literal.utf8.last == 0x2E { written += "." }
        guard url.part(CURLUPART_SCHEME) == scheme.rawValue, url.part(CURLUPART_HOST) == written,
            url.part(CURLUPART_PORT, flags: CURLU_DEFAULT_PORT) == String(port), url.part(CURLUPART_USER) == nil,
            url.part(CURLUPART_ZONEID) == Self.zone(of: literal), let path = url.part(CURLUPART_PATH)
        else { throw SessionURLError(text, .disagreement) }
        self.init(
            scheme: scheme, hostLiteral: literal, host: host, port: port, path: path, query: url.part(CURLUPART_QUERY),
            fragment: url.part(CURLUPART_FRAGMENT))
    }

    /// The octets of a text, if it may be looked at further.
    static func checked(_ text: String) throws(SessionURLError) -> [UInt8] {
        let octets = Array(text.utf8)
        guard !octets.isEmpty else { throw SessionURLError(text, .empty) }
        guard octets.count <= maximumLength else { throw SessionURLError(text, .tooLong(octets.count)) }
        // Browsers drop line ends and tabs, which has let people past filters. Nobody means them.
        if let offset = octets.firstIndex(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw SessionURLError(text, .controlCharacter(offset: offset))
        }
        return octets
    }

    /// The offset of the colon after a scheme (RFC 3986, section 3.1); nil where there is no scheme.
    static func endOfScheme(_ octets: [UInt8]) -> Int? {
        guard let first = octets.first, URLOctets.isLetter(first) else { return nil }
        let end = octets.firstIndex { octet in
            !(URLOctets.isLetter(octet) || URLOctets.isDigit(octet) || octet == 0x2B || octet == 0x2D || octet == 0x2E)
        }
        guard let end, octets[end] == 0x3A else { return nil }
        return end
    }

    private static func hostAndPort(
        _ authority: ArraySlice<UInt8>, _ scheme: Scheme, of text: String
    ) throws(SessionURLError) -> (literal: String, port: UInt16) {
        var literal = authority
        var digits = authority[authority.endIndex...]
        // An address in brackets has colons of its own.
        let afterAddress =
            authority.first == 0x5B ? authority.lastIndex(of: 0x5D) ?? authority.startIndex : authority.startIndex
        if let colon = authority[afterAddress...].lastIndex(of: 0x3A) {
            literal = authority[..<colon]
            digits = authority[authority.index(after: colon)...]
        }
        guard !literal.isEmpty else { throw SessionURLError(text, .noHost) }
        let host = String(decoding: literal, as: UTF8.self)
        // RFC 3986, section 3.2.3: an empty port is the scheme's own.
        guard !digits.isEmpty else { return (host, scheme.defaultPort) }
        let portText = String(decoding: digits, as: UTF8.self)
        guard digits.allSatisfy(URLOctets.isDigit), let port = UInt16(portText), port > 0 else {
            throw SessionURLError(text, .port(portText))
        }
        return (host, port)
    }
}
