import FoundationEssentials

extension Response {
    /// What the server says that the body is; nil where it says nothing that can be read. Of several the last counts.
    public var mediaType: MediaType? { headers.values(of: "Content-Type").last.flatMap(MediaType.init) }

    /// Whether there is something to decode. 204 and 205 have none (RFC 9110), and neither has a body of nothing but white
    /// space: some servers send a single space where they mean an empty body.
    public var hasContent: Bool {
        statusCode != 204 && statusCode != 205
            && body.contains { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    }

    /// The body as text, in the charset that the server declares, else in that of its byte order mark, else in UTF-8.
    ///
    /// UTF-8, UTF-16, US-ASCII, ISO-8859-1 and windows-1252 are read. A byte order mark is no part of the text.
    ///
    /// - Throws: ``ResponseRejection`` where it is another charset, and where the bytes are none of it.
    public func text() throws(ResponseRejection) -> String {
        guard let name = mediaType?.charset else {
            let charset = Charset(markOf: body) ?? .utf8
            guard let text = charset.decode(body) else {
                throw undecodable("the server declares no charset, and it is not UTF-8. Take its bytes")
            }
            return text
        }
        guard let charset = Charset(name: name) else {
            throw undecodable("its charset is '\(name)', which is not among those that are read. Take its bytes")
        }
        guard let text = charset.decode(body) else {
            throw undecodable("its charset is declared as '\(name)', and it is none. Take its bytes")
        }
        return text
    }

    /// The body as a value, from JSON in any charset that ``text()`` reads.
    ///
    /// A response without content gives nil for an optional, and what ``EmptyRepresentable`` types have for it.
    ///
    /// - Parameters:
    ///   - type: what to make of it.
    ///   - removingNulls: whether members of objects that are null count as missing, at every depth.
    ///   - decoder: how to make it.
    /// - Throws: ``ResponseRejection`` naming the place in the body.
    public func json<Value: Decodable>(
        as type: Value.Type = Value.self, removingNulls: Bool = false, decoder: JSONDecoder = JSONDecoder()
    ) throws(ResponseRejection) -> Value {
        if let value = try valueWithoutContent(type) { return value }
        let bytes = try jsonBytes()
        do {
            if type == JSONValue.self {
                let whole = try JSONReader.read(bytes)
                if let value = (removingNulls ? whole.removingNulls() : whole) as? Value { return value }
            }
            guard removingNulls else { return try decoder.decode(type, from: Data(bytes)) }
            let whole = try JSONReader.read(bytes)
            return try decoder.decode(type, from: try JSONEncoder().encode(whole.removingNulls()))
        } catch {
            throw undecodable(error)
        }
    }

    /// The body as JSON of any form; nil without content.
    ///
    /// - Parameter removingNulls: whether members of objects that are null are left out, at every depth.
    /// - Throws: ``ResponseRejection`` where it is no JSON.
    public func jsonValue(removingNulls: Bool = false) throws(ResponseRejection) -> JSONValue? {
        guard hasContent else { return nil }
        return try json(as: JSONValue.self, removingNulls: removingNulls)
    }

    /// The body as a value, from a property list in XML or binary.
    ///
    /// A response without content gives nil for an optional, and what ``EmptyRepresentable`` types have for it.
    ///
    /// - Throws: ``ResponseRejection`` naming the place in the body.
    public func propertyList<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: PropertyListDecoder = PropertyListDecoder()
    ) throws(ResponseRejection) -> Value {
        if let value = try valueWithoutContent(type) { return value }
        do {
            return try decoder.decode(type, from: Data(body))
        } catch {
            throw undecodable(error)
        }
    }

    /// The value for a response without content; nil where there is content to be read.
    private func valueWithoutContent<Value>(_ type: Value.Type) throws(ResponseRejection) -> Value? {
        if hasContent, type != NoContent.self { return nil }
        if let type = type as? any EmptyRepresentable.Type, let value = type.noContent as? Value { return value }
        throw undecodable("there is no content, and \(type) needs some. Ask for an optional where there may be none")
    }

    /// The body in UTF-8, which is what RFC 8259 wants it to be in anyway.
    private func jsonBytes() throws(ResponseRejection) -> [UInt8] {
        let declared = mediaType?.charset.flatMap(Charset.init(name:))
        guard let charset = declared ?? Charset(markOf: body), charset != .utf8 else { return body }
        guard let text = charset.decode(body) else {
            throw undecodable("it is not in the charset that it is said to be in")
        }
        return Array(text.utf8)
    }

    private func undecodable(_ detail: String) -> ResponseRejection {
        ResponseRejection(response: self, reason: .undecodable(path: "", detail: detail))
    }

    private func undecodable(_ error: any Error) -> ResponseRejection {
        guard let error = error as? DecodingError else { return undecodable("\(error)") }
        let (path, detail): ([any CodingKey], String)
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            (path, detail) = (context.codingPath, context.debugDescription)
        case .keyNotFound(let key, let context):
            (path, detail) = (context.codingPath, "there is no '\(key.stringValue)'")
        @unknown default: return undecodable("\(error)")
        }
        return ResponseRejection(response: self, reason: .undecodable(path: path.pathText, detail: detail))
    }
}
