import BelayTLS

extension HTTPFault {
    /// What a server of this kind does with a connection.
    public var script: TLSServerConfiguration.Handler {
        { connection throws(TLSError) in try await HTTPScript(connection: connection).play(self) }
    }
}

/// Plays what a server does wrong in HTTP.
private struct HTTPScript {
    let connection: TLSServerConnection

    private static let content = HTTPFault.content
    private static let line = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
    private static let head = line + "Content-Length: \(content.utf8.count)\r\n"
    private static let chunked = line + "Transfer-Encoding: chunked\r\n\r\n"
    private static let chunk = "12\r\n\(content)\r\n"
    /// A piece of what has no end.
    private static let flood = String(repeating: "Filling: \(String(repeating: "x", count: 1_000))\r\n", count: 16)

    func play(_ fault: HTTPFault) async throws(TLSError) {
        if fault == .resetAfterHandshake { return await connection.reset() }
        var reader = HTTPRequestReader(connection: connection)
        // Asked again it answers again, for as long as the client stays.
        while let request = try await reader.next() {
            guard try await answer(fault, request) else { return }
        }
    }

    /// Answers a request; whether the connection stays.
    private func answer(_ fault: HTTPFault, _ request: HTTPRequest) async throws(TLSError) -> Bool {
        switch fault {
        case .slowHeaders, .slowBody, .noAnswer, .stalledHeaders, .stalledBody: return try await slowly(fault)
        case .resetAfterHandshake, .resetBeforeAnswer, .resetInHeaders, .resetInBody, .closedBeforeAnswer,
            .closedInHeaders, .truncatedBody:
            return try await ending(fault)
        case .endlessBody, .headerFlood, .trailerFlood, .informationalStorm, .compressionBomb:
            return try await endlessly(fault)
        case .redirectLoop, .redirectChain, .redirectToCleartext, .redirectToFile, .redirectToNowhere,
            .redirectWithoutLocation:
            return try await redirecting(fault, request)
        case .foreignCookie, .publicSuffixCookie, .hugeCookie, .manyCookies:
            return try await send(Self.head + cookies(fault) + "\r\n" + Self.content)
        case .lengthTooShort, .differingLengths, .negativeLength, .hugeLength, .overflowingLength, .lengthAndChunks,
            .bodyWithoutContent:
            return try await send(measuring(fault), stays: fault == .lengthTooShort || fault == .bodyWithoutContent)
        case .hugeHeader, .garbage, .bareBody, .futureVersion, .badStatus, .zeroInHeader, .headerWithoutColon,
            .spaceBeforeColon, .foldedHeader:
            return try await send(heading(fault), stays: false)
        case .chunkSizeNonsense, .chunkSizeNegative, .chunkSizeOverflow, .chunkWithoutEnd, .chunksWithoutEnd,
            .chunkExtension, .trailers:
            return try await send(Self.chunked + chunks(fault), stays: fault == .trailers)
        case .informational:
            let hint = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
            return try await send(String(repeating: hint, count: 10) + Self.head + "\r\n" + Self.content)
        case .unaskedSwitch:
            let answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: nothing\r\nConnection: Upgrade\r\n\r\n"
            return try await send(answer + "nothing", stays: false)
        case .truncatedCompression, .corruptCompression, .manyEncodings, .unknownEncoding:
            return try await encoding(fault)
        }
    }

    // MARK: Time and ends

    private func slowly(_ fault: HTTPFault) async throws(TLSError) -> Bool {
        switch fault {
        case .slowHeaders:
            try await drip(Self.head + "\r\n")
            return try await send(Self.content)
        case .slowBody:
            try await send(Self.head + "\r\n")
            try await drip(Self.content)
            return true
        case .stalledHeaders: try await send(String(Self.head.prefix(30)))
        case .stalledBody: try await send(Self.head + "\r\n" + Self.content.prefix(9))
        default: break
        }
        // Nothing more, until the client leaves.
        while try await !connection.read().isEmpty {}
        return false
    }

    private func drip(_ text: String) async throws(TLSError) {
        for byte in text.utf8 {
            try await connection.write([byte])
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    private func ending(_ fault: HTTPFault) async throws(TLSError) -> Bool {
        switch fault {
        case .resetInHeaders, .closedInHeaders: try await send(String(Self.head.prefix(30)))
        case .resetInBody, .truncatedBody: try await send(Self.head + "\r\n" + Self.content.prefix(9))
        default: break
        }
        switch fault {
        case .closedBeforeAnswer, .closedInHeaders: await connection.cut()
        case .truncatedBody: break
        default: await connection.reset()
        }
        return false
    }

    // MARK: What has no end

    private func endlessly(_ fault: HTTPFault) async throws(TLSError) -> Bool {
        let start: String
        var piece = Array(Self.flood.utf8)
        switch fault {
        case .endlessBody: start = Self.line + "\r\n"
        case .headerFlood: start = Self.line
        case .trailerFlood: start = Self.chunked + Self.chunk + "0\r\n"
        case .compressionBomb:
            start = Self.line + "Content-Encoding: gzip\r\n\r\n"
            try await connection.write(Array(start.utf8) + GzipContent.bombStart)
            piece = GzipContent.bombPiece
        default:
            start = ""
            piece = Array(String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 100).utf8)
        }
        if fault != .compressionBomb { try await send(start) }
        // It ends when the client leaves, which a write notices.
        while !Task.isCancelled { try await connection.write(piece) }
        return false
    }

    // MARK: Heads and lengths

    private func measuring(_ fault: HTTPFault) -> String {
        func length(_ text: String) -> String { "Content-Length: \(text)\r\n" }
        let rest = "\r\n" + Self.content
        return switch fault {
        case .lengthTooShort: Self.line + length("9") + rest
        case .differingLengths: Self.line + length("9") + length("18") + rest
        case .negativeLength: Self.line + length("-18") + rest
        case .hugeLength: Self.line + length("4611686018427387904") + rest
        case .overflowingLength: Self.line + length("99999999999999999999999") + rest
        case .lengthAndChunks: Self.line + length("9") + "Transfer-Encoding: chunked\r\n\r\n" + Self.chunk + "0\r\n\r\n"
        default: "HTTP/1.1 204 No Content\r\n" + rest
        }
    }

    private func heading(_ fault: HTTPFault) -> String {
        let rest = "\r\n" + Self.content
        return switch fault {
        case .hugeHeader: Self.head + "Filling: \(String(repeating: "x", count: 1 << 20))\r\n" + rest
        case .garbage: "\u{01}\u{02}\u{03}\u{7F}\u{00}\u{1B}\r\n\r\n"
        case .bareBody: Self.content
        case .futureVersion: "HTTP/9.9 200 OK\r\n" + Self.head.dropFirst(17) + rest
        case .badStatus: "HTTP/1.1 42 Odd\r\n" + Self.head.dropFirst(17) + rest
        case .zeroInHeader: Self.head + "Filling: a\u{00}b\r\n" + rest
        case .headerWithoutColon: Self.head + "Filling\r\n" + rest
        case .spaceBeforeColon: Self.head + "Filling : a\r\n" + rest
        default: Self.head + "Filling: a\r\n  b\r\n" + rest
        }
    }

    private func chunks(_ fault: HTTPFault) -> String {
        switch fault {
        case .chunkSizeNonsense: "zz\r\n" + Self.content + "\r\n0\r\n\r\n"
        case .chunkSizeNegative: "-12\r\n" + Self.content + "\r\n0\r\n\r\n"
        case .chunkSizeOverflow: "1" + String(repeating: "0", count: 32) + "\r\n" + Self.content
        case .chunkWithoutEnd: "9\r\n" + Self.content + "\r\n0\r\n\r\n"
        case .chunksWithoutEnd: Self.chunk
        case .chunkExtension:
            "12;filling=\(String(repeating: "x", count: 1 << 20))\r\n\(Self.content)\r\n0\r\n\r\n"
        default: Self.chunk + "0\r\nFilling: a\r\nContent-Length: 3\r\n\r\n"
        }
    }

    // MARK: Encodings, redirects, cookies

    private func encoding(_ fault: HTTPFault) async throws(TLSError) -> Bool {
        var content = GzipContent.stored(Array(Self.content.utf8))
        var name = "gzip"
        switch fault {
        case .truncatedCompression: content.removeLast(12)
        case .corruptCompression: content[content.count - 8] ^= 0xFF
        case .manyEncodings: name = Array(repeating: "gzip", count: 50).joined(separator: ", ")
        default:
            content = Array(Self.content.utf8)
            name = "unheard-of"
        }
        let head = Self.line + "Content-Encoding: \(name)\r\nContent-Length: \(content.count)\r\n\r\n"
        try await connection.write(Array(head.utf8) + content)
        return true
    }

    private func redirecting(_ fault: HTTPFault, _ request: HTTPRequest) async throws(TLSError) -> Bool {
        let location: String? =
            switch fault {
            case .redirectLoop: request.target
            case .redirectChain: "/\((Int(request.target.dropFirst()) ?? 0) &+ 1)"
            case .redirectToCleartext: "http://\(request["host"] ?? "")/"
            case .redirectToFile: "file:///etc/passwd"
            case .redirectToNowhere: "https://[::1/"
            default: nil
            }
        let line = location.map { "Location: \($0)\r\n" } ?? ""
        let head = "HTTP/1.1 302 Found\r\n" + Self.head.dropFirst(17)
        return try await send(head + line + "\r\n" + Self.content)
    }

    private func cookies(_ fault: HTTPFault) -> String {
        switch fault {
        case .foreignCookie: "Set-Cookie: foreign=1; Domain=\(LaboratoryWorld.otherHost); Path=/\r\n"
        case .publicSuffixCookie: "Set-Cookie: wide=1; Domain=test; Path=/\r\nSet-Cookie: wider=1; Domain=.co.uk\r\n"
        case .hugeCookie: "Set-Cookie: huge=\(String(repeating: "x", count: 1 << 16))\r\n"
        default: (1...1_000).map { "Set-Cookie: many\($0)=1; Path=/\r\n" }.joined()
        }
    }

    /// Sends text; `stays`.
    @discardableResult
    private func send(_ text: String, stays: Bool = true) async throws(TLSError) -> Bool {
        try await connection.write(Array(text.utf8))
        return stays
    }
}
