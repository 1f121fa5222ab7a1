import CCurl

/// One of libcurl's parsed URLs: the only owner of its handle, which is freed when the value ends.
///
/// Texts that go in must hold no NUL, at which C would end them.
struct CurlURL: ~Copyable {
    private let handle: OpaquePointer

    /// An empty URL; nil without memory.
    init?() {
        guard let handle = curl_url() else { return nil }
        self.handle = handle
    }

    deinit { curl_url_cleanup(handle) }

    /// Reads an absolute URL or, where there is one already, resolves a reference against it.
    ///
    /// - Throws: libcurl's reason.
    func read(_ text: String) throws(CurlURLFailure) {
        let code = curl_url_set(handle, CURLUPART_URL, text, CUnsignedInt(CURLU_DISALLOW_USER))
        guard code == CURLUE_OK else { throw CurlURLFailure(code) }
    }

    /// A part as it stands; nil where there is none.
    func part(_ part: CURLUPart, flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, CUnsignedInt(flags)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

/// Why libcurl does not read a URL.
struct CurlURLFailure: Error {
    /// libcurl's words.
    let text: String

    init(_ code: CURLUcode) {
        text = curl_url_strerror(code).map { String(cString: $0) } ?? "unknown error"
    }
}
