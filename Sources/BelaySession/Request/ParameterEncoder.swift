import BelayCertificates
import FoundationEssentials

extension Parameters {
    /// How dates are written.
    public enum DateFormat: Sendable, Hashable {
        /// Seconds since 2001, as `JSONEncoder` writes them unless told otherwise.
        case deferredToDate
        /// `2026-01-31T12:00:00Z`.
        case iso8601
        /// Seconds since 1970.
        case secondsSince1970
        /// Milliseconds since 1970.
        case millisecondsSince1970
    }

    /// The properties of a value, by name. Bytes are written in base64; what is nil and not encoded is left out.
    ///
    /// ```swift
    /// let parameters = try Parameters(encoding: Search(text: "red shoes", page: 2))
    /// ```
    ///
    /// - Throws: ``BodyError`` where the value, or something in it, has no names at its top; with the coding path.
    public init(encoding value: some Encodable, dates: DateFormat = .deferredToDate) throws(BodyError) {
        let root = ParameterNode()
        let encoder = ParameterEncoder(node: root, codingPath: [], dates: dates)
        do {
            try encoder.encodeAny(value)
        } catch {
            throw BodyError(.parameters, error)
        }
        guard case .dictionary(let values) = root.value else {
            throw BodyError(
                .parameters, path: "",
                detail: "it is \(root.kind), and parameters need names. Put it into a type or a dictionary")
        }
        self.init(values)
    }
}

/// A place in the tree that grows while a value is encoded. It lives only as long as that and is never shared.
private final class ParameterNode {
    enum Content {
        case nothing
        case value(ParameterValue)
        case members([(key: String, node: ParameterNode)])
        case elements([ParameterNode])
    }

    var content = Content.nothing

    var value: ParameterValue {
        switch content {
        case .nothing: .dictionary([:])
        case .value(let value): value
        case .members(let members): .dictionary(Dictionary(members.map { ($0.key, $0.node.value) }) { $1 })
        case .elements(let elements): .array(elements.map(\.value))
        }
    }

    var kind: String {
        switch content {
        case .elements: "a list"
        default: "a single value"
        }
    }

    func becomeMembers() {
        if case .members = content { return }
        content = .members([])
    }

    func becomeElements() {
        if case .elements = content { return }
        content = .elements([])
    }

    func member(_ key: String) -> ParameterNode {
        let node = ParameterNode()
        if case .members(let members) = content {
            if let known = members.first(where: { $0.key == key }) { return known.node }
            content = .nothing
            content = .members(members + [(key, node)])
        }
        return node
    }

    func element() -> ParameterNode {
        let node = ParameterNode()
        guard case .elements(var elements) = content else { return node }
        content = .nothing
        elements.append(node)
        content = .elements(elements)
        return node
    }

    var count: Int {
        guard case .elements(let elements) = content else { return 0 }
        return elements.count
    }
}

private struct ParameterKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    static let superKey = ParameterKey(stringValue: "super")
}

private struct ParameterEncoder: Encoder {
    let node: ParameterNode
    let codingPath: [any CodingKey]
    let dates: Parameters.DateFormat
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeMembers()
        return KeyedEncodingContainer(Keyed<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeElements()
        return Unkeyed(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    func child(_ node: ParameterNode, _ key: any CodingKey) -> ParameterEncoder {
        ParameterEncoder(node: node, codingPath: codingPath + [key], dates: dates)
    }

    /// Encodes into this place; some types have a form of their own.
    func encodeAny(_ value: some Encodable) throws {
        switch value {
        case let text as String: put(.string(text))
        case let isTrue as Bool: put(.bool(isTrue))
        case let number as Int: put(.integer(number))
        case let number as Double: put(.double(number))
        // Its own shortest digits, not those of the same number as a Double.
        case let number as Float: put(.string("\(number)"))
        case let number as any BinaryInteger: put(Int(exactly: number).map { .integer($0) } ?? .string("\(number)"))
        case let date as Date: try encode(date)
        case let data as Data: put(.string(Base64.encode(Array(data))))
        case let url as URL: put(.string(url.absoluteString))
        case let decimal as Decimal: put(.string("\(decimal)"))
        default: try value.encode(to: self)
        }
    }

    func put(_ value: ParameterValue) { node.content = .value(value) }

    private func encode(_ date: Date) throws {
        switch dates {
        case .deferredToDate: try date.encode(to: self)
        case .iso8601: put(.string(date.formatted(.iso8601)))
        case .secondsSince1970: put(.double(date.timeIntervalSince1970))
        case .millisecondsSince1970: put(.double(date.timeIntervalSince1970 * 1000))
        }
    }

    struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: ParameterEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        private func at(_ key: any CodingKey) -> ParameterEncoder {
            encoder.child(encoder.node.member(key.stringValue), key)
        }

        func encodeNil(forKey key: Key) { at(key).put(.null) }
        func encode(_ value: some Encodable, forKey key: Key) throws { try at(key).encodeAny(value) }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            at(key).container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { at(key).unkeyedContainer() }
        func superEncoder() -> any Encoder { at(ParameterKey.superKey) }
        func superEncoder(forKey key: Key) -> any Encoder { at(key) }
    }

    struct Unkeyed: UnkeyedEncodingContainer {
        let encoder: ParameterEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { encoder.node.count }

        private func next() -> ParameterEncoder {
            let index = count
            return encoder.child(encoder.node.element(), ParameterKey(intValue: index))
        }

        func encodeNil() { next().put(.null) }
        func encode(_ value: some Encodable) throws { try next().encodeAny(value) }
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            next().container(keyedBy: type)
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
        func superEncoder() -> any Encoder { next() }
    }

    struct Single: SingleValueEncodingContainer {
        let encoder: ParameterEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil() { encoder.put(.null) }
        func encode(_ value: some Encodable) throws { try encoder.encodeAny(value) }
    }
}
