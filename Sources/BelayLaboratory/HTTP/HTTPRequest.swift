import BelayTLS

/// A request as a server of the laboratory reads it.
package struct HTTPRequest: Sendable {
    package var method: String
    package var target: String
    /// The fields in their order, names in lower case.
    package var fields: [(name: String, value: String)]
    package var content: [UInt8]

    package init(
        method: String, target: String, fields: [(name: String, value: String)] = [], content: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.content = content
    }

    /// The value of the first field of a name, which is in lower case.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The values of all fields of a name, which is in lower case.
    package func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

/// Reads requests of HTTP/1.1 from a connection, one after the other (RFC 9112). It is made for honest clients: what it cannot read
/// ends it.
package struct HTTPRequestReader: Sendable {
    private let connection: TLSServerConnection
    private var buffer: [UInt8] = []
    /// Called with what has arrived, before it is looked at.
    private let received: @Sendable ([UInt8]) async -> Void

    private static let limit = 1 << 20

    package init(
        connection: TLSServerConnection, received: @escaping @Sendable ([UInt8]) async -> Void = { _ in }
    ) {
        self.connection = connection
        self.received = received
    }

    /// The next request; nil when the client has ended the connection, or sends what is no request.
    package mutating func next() async throws(TLSError) -> HTTPRequest? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard head.count < Self.limit, let line = try await line() else { return nil }
            head += line
        }
        guard var request = Self.request(of: head) else { return nil }
        if request["expect"]?.lowercased() == "100-continue" {
            try await connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        if request["transfer-encoding"]?.lowercased() == "chunked" {
            while let line = try await line(), let size = Self.size(of: line) {
                guard let chunk = try await take(size + 2) else { return nil }
                request.content += chunk.dropLast(2)
                if size == 0 { return request }
            }
            return nil
        }
        guard let length = request["content-length"] else { return request }
        guard let count = Int(length), count >= 0, let content = try await take(count) else { return nil }
        request.content = content
        return request
    }

    /// A request without content.
    private static func request(of head: [UInt8]) -> HTTPRequest? {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (line[..<colon].lowercased(), String(value))
        }
        return HTTPRequest(method: String(words[0]), target: String(words[1]), fields: fields)
    }

    private static func size(of line: [UInt8]) -> Int? {
        guard let size = Int(String(decoding: line.prefix { $0 != 13 && $0 != 59 }, as: UTF8.self), radix: 16) else {
            return nil
        }
        return (0...(1 << 30)).contains(size) ? size : nil
    }

    /// A line with its end.
    private mutating func line() async throws(TLSError) -> [UInt8]? {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                let line = Array(buffer[...end])
                buffer.removeFirst(line.count)
                return line
            }
            guard buffer.count < Self.limit, try await fill() else { return nil }
        }
    }

    private mutating func take(_ count: Int) async throws(TLSError) -> [UInt8]? {
        while buffer.count < count {
            guard try await fill() else { return nil }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private mutating func fill() async throws(TLSError) -> Bool {
        let bytes = try await connection.read()
        await received(bytes)
        buffer += bytes
        return !bytes.isEmpty
    }
}
