/// What a server does wrong in HTTP, or what is hard on its clients, after a handshake that is as it should be.
///
/// Each is a server of the laboratory, ``LaboratoryServer/Kind/http(_:)``, and a script for connections, ``script``. They speak
/// HTTP/1.1 (RFC 9110, RFC 9112).
public enum HTTPFault: String, Sendable, Hashable, CaseIterable {
    // Time.
    case slowHeaders = "http-slow-headers"
    case slowBody = "http-slow-body"
    case noAnswer = "http-no-answer"
    case stalledHeaders = "http-stalled-headers"
    case stalledBody = "http-stalled-body"
    // Ends.
    case resetAfterHandshake = "http-reset-after-handshake"
    case resetBeforeAnswer = "http-reset-before-answer"
    case resetInHeaders = "http-reset-in-headers"
    case resetInBody = "http-reset-in-body"
    case closedBeforeAnswer = "http-closed-before-answer"
    case closedInHeaders = "http-closed-in-headers"
    case truncatedBody = "http-truncated-body"
    // Lengths.
    case lengthTooShort = "http-length-too-short"
    case differingLengths = "http-differing-lengths"
    case negativeLength = "http-negative-length"
    case hugeLength = "http-huge-length"
    case overflowingLength = "http-overflowing-length"
    case lengthAndChunks = "http-length-and-chunks"
    case bodyWithoutContent = "http-body-without-content"
    case endlessBody = "http-endless-body"
    // Heads.
    case headerFlood = "http-header-flood"
    case hugeHeader = "http-huge-header"
    case garbage = "http-garbage"
    case bareBody = "http-bare-body"
    case futureVersion = "http-future-version"
    case badStatus = "http-bad-status"
    case zeroInHeader = "http-zero-in-header"
    case headerWithoutColon = "http-header-without-colon"
    case spaceBeforeColon = "http-space-before-colon"
    case foldedHeader = "http-folded-header"
    // Chunks.
    case chunkSizeNonsense = "http-chunk-size-nonsense"
    case chunkSizeNegative = "http-chunk-size-negative"
    case chunkSizeOverflow = "http-chunk-size-overflow"
    case chunkWithoutEnd = "http-chunk-without-end"
    case chunksWithoutEnd = "http-chunks-without-end"
    case chunkExtension = "http-chunk-extension"
    case trailers = "http-trailers"
    case trailerFlood = "http-trailer-flood"
    // Answers before the answer.
    case informational = "http-informational"
    case informationalStorm = "http-informational-storm"
    case unaskedSwitch = "http-unasked-switch"
    // Encodings.
    case compressionBomb = "http-compression-bomb"
    case truncatedCompression = "http-truncated-compression"
    case corruptCompression = "http-corrupt-compression"
    case manyEncodings = "http-many-encodings"
    case unknownEncoding = "http-unknown-encoding"
    // Redirects.
    case redirectLoop = "http-redirect-loop"
    case redirectChain = "http-redirect-chain"
    case redirectToCleartext = "http-redirect-to-cleartext"
    case redirectToFile = "http-redirect-to-file"
    case redirectToNowhere = "http-redirect-to-nowhere"
    case redirectWithoutLocation = "http-redirect-without-location"
    // Cookies.
    case foreignCookie = "http-foreign-cookie"
    case publicSuffixCookie = "http-public-suffix-cookie"
    case hugeCookie = "http-huge-cookie"
    case manyCookies = "http-many-cookies"
}

extension HTTPFault {
    /// What a careful client makes of it.
    public enum Outcome: Sendable, Hashable {
        /// An answer with this content.
        case answer(String)
        /// An error.
        case error
        /// Either: the standards leave it to the client.
        case answerOrError(String)
    }

    /// The content of a whole answer.
    public static let content = "The whole answer.\n"

    /// What a careful client makes of it.
    public var outcome: Outcome {
        switch self {
        case .slowHeaders, .slowBody, .trailers, .foreignCookie, .publicSuffixCookie, .hugeCookie, .manyCookies,
            .informational:
            .answer(HTTPFault.content)
        // Only what the length covers belongs to the answer; the rest makes the connection useless (RFC 9112, section 6.3).
        case .lengthTooShort: .answerOrError(String(HTTPFault.content.prefix(9)))
        // RFC 9112, sections 5.2, 6.3 and 7.1.1; RFC 9110, section 8.4.
        case .lengthAndChunks, .chunkExtension, .foldedHeader, .zeroInHeader, .headerWithoutColon, .spaceBeforeColon,
            .unknownEncoding, .redirectWithoutLocation:
            .answerOrError(HTTPFault.content)
        case .bodyWithoutContent: .answerOrError("")
        // The bytes are as many as announced; many clients take what can be unpacked of them.
        case .truncatedCompression: .answerOrError(String(HTTPFault.content.prefix(14)))
        default: .error
        }
    }

    /// Whether a client learns of it by its own patience only.
    public var needsTimeout: Bool {
        switch self {
        case .noAnswer, .stalledHeaders, .stalledBody: true
        default: false
        }
    }
}
