/// Hands finished property values to the memberwise `init(from:)` that the compiler writes for `Decodable` types:
/// the one way in the language to fill the properties of a type that is known only at run time.
struct PropertyDecoder: Decoder {
    /// The property values by name.
    var values: [String: Any]
    /// The properties with wrappers: a type with coding keys of its own must not leave one out, or what the user typed
    /// would be lost in silence.
    var required: [String]
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if let lost = required.first(where: { Key(stringValue: $0) == nil }) {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "the coding keys leave out '\(lost)'"))
        }
        return KeyedDecodingContainer(Container<Key>(values: values))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unsupported() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw unsupported() }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        var values: [String: Any]
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { values.keys.compactMap(Key.init(stringValue:)) }

        func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

        func decodeNil(forKey key: Key) -> Bool {
            guard let value = values[key.stringValue] else { return true }
            let mirror = Mirror(reflecting: value)
            return mirror.displayStyle == .optional && mirror.children.isEmpty
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(key) }
        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key) }
        func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key) }
        func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key) }
        func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key) }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key) }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key) }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key) }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key) }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key) }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key) }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key) }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key) }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw unsupported() }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw unsupported() }
        func superDecoder() throws -> any Decoder { throw unsupported() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw unsupported() }

        private func value<Value>(_ key: Key) throws -> Value {
            guard let value = values[key.stringValue] as? Value else {
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: [key], debugDescription: "declare it with a wrapper or give it a default"))
            }
            return value
        }
    }
}

private func unsupported() -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "properties are filled by name only"))
}
