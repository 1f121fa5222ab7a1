/// Walks over one object of Java's serialisation (Java Object Serialization Specification, chapter 6), as JCEKS has for secret keys.
///
/// Nothing is made of it, no class is looked for: only where the object ends matters, and the name of the cipher that it is sealed
/// with. What sealed objects do not consist of (proxies, enumerations, externalizable classes, exceptions) is refused.
struct JavaSerializedObject {
    /// Where the walk has come to.
    private(set) var reader: JavaDataReader
    /// What can be referred to later, in the order of the stream.
    private var handles: [Value] = []
    private var cipher: String?

    private indirect enum Value {
        case null
        case string(String)
        case description(ClassDescription)
        case other
    }

    private struct ClassDescription {
        let name: String
        /// The fields of the topmost class first.
        var layers: [Layer]
    }

    private struct Layer {
        let fields: [(type: UInt8, name: String)]
        let hasAnnotations: Bool
    }

    init(_ reader: JavaDataReader) {
        self.reader = reader
    }

    /// Walks over the object; returns the value of the field `sealAlg`, by which `SealedObject` tells its cipher.
    mutating func skip() throws(KeyStoreError) -> String? {
        let start = reader.position
        guard try reader.readUInt16() == 0xACED, try reader.readUInt16() == 5 else {
            throw .malformed(reader.format, "a secret key that is no serialized Java object", at: start)
        }
        _ = try readValue(depth: 0)
        return cipher
    }

    /// A sealed object is nested four deep.
    private static let mostDepth = 16

    private mutating func readValue(depth: Int) throws(KeyStoreError) -> Value {
        let start = reader.position
        guard depth < Self.mostDepth else {
            throw .malformed(reader.format, "a Java object nested too deep", at: start)
        }
        switch try reader.readByte() {
        case 0x70: return .null
        case 0x71:
            let index = try reader.readInt32() - 0x7E_0000
            guard handles.indices.contains(index) else {
                throw .malformed(reader.format, "a Java object that refers to nothing", at: start)
            }
            return handles[index]
        case 0x72: return try readDescription(depth: depth)
        case 0x73: return try readObject(depth: depth)
        case 0x74:
            let text = Value.string(try reader.readText())
            handles.append(text)
            return text
        case 0x75: return try readArray(depth: depth)
        case 0x77:
            let count = Int(try reader.readByte())
            _ = try reader.take(count)
            return .other
        case 0x7A:
            _ = try reader.readBlock()
            return .other
        case let code:
            throw .malformed(reader.format, "a part of a Java object of the kind 0x\(hexadecimal(code))", at: start)
        }
    }

    private mutating func readDescription(depth: Int) throws(KeyStoreError) -> Value {
        let name = try reader.readText()
        _ = try reader.take(8)
        let handle = handles.count
        handles.append(.other)
        let start = reader.position
        let flags = try reader.readByte()
        // Serializable; bit 0 says that the class writes something of its own as well.
        guard flags & 0xFE == 0x02 else {
            throw .malformed(reader.format, "a Java class with the flags 0x\(hexadecimal(flags))", at: start)
        }
        var fields: [(type: UInt8, name: String)] = []
        for _ in 0..<(try reader.readUInt16()) {
            let type = try reader.readByte()
            fields.append((type, try reader.readText()))
            // The name of the field's class, which is a string of its own.
            if type == Self.array || type == Self.reference { _ = try readValue(depth: depth + 1) }
        }
        try skipAnnotations(depth: depth)
        var layers: [Layer] = []
        if case .description(let superclass) = try readValue(depth: depth + 1) { layers = superclass.layers }
        guard layers.count < Self.mostDepth else {
            throw .malformed(reader.format, "a Java class with more than \(Self.mostDepth) above it", at: start)
        }
        layers.append(Layer(fields: fields, hasAnnotations: flags & 1 != 0))
        let description = Value.description(ClassDescription(name: name, layers: layers))
        handles[handle] = description
        return description
    }

    private mutating func readObject(depth: Int) throws(KeyStoreError) -> Value {
        let start = reader.position
        guard case .description(let description) = try readValue(depth: depth + 1) else {
            throw .malformed(reader.format, "a Java object without a class", at: start)
        }
        handles.append(.other)
        for layer in description.layers {
            for field in layer.fields {
                let value = try readField(field.type, depth: depth)
                if depth == 0, field.name == "sealAlg", case .string(let text) = value { cipher = text }
            }
            if layer.hasAnnotations { try skipAnnotations(depth: depth) }
        }
        return .other
    }

    private mutating func readArray(depth: Int) throws(KeyStoreError) -> Value {
        let start = reader.position
        guard case .description(let description) = try readValue(depth: depth + 1),
            let type = description.name.utf8.dropFirst().first
        else { throw .malformed(reader.format, "a Java array without a class", at: start) }
        handles.append(.other)
        let count = try reader.readInt32()
        guard count >= 0 else { throw .malformed(reader.format, "a Java array of \(count)", at: start) }
        if let size = Self.sizes[type] {
            _ = try reader.take(count * size)
        } else {
            for _ in 0..<count { _ = try readValue(depth: depth + 1) }
        }
        return .other
    }

    private mutating func readField(_ type: UInt8, depth: Int) throws(KeyStoreError) -> Value {
        if type == Self.array || type == Self.reference { return try readValue(depth: depth + 1) }
        guard let size = Self.sizes[type] else {
            throw .malformed(reader.format, "a Java field of the kind 0x\(hexadecimal(type))", at: reader.position)
        }
        _ = try reader.take(size)
        return .other
    }

    private mutating func skipAnnotations(depth: Int) throws(KeyStoreError) {
        while true {
            var ahead = reader
            if try ahead.readByte() == 0x78 {
                reader = ahead
                return
            }
            _ = try readValue(depth: depth + 1)
        }
    }

    private static let array = UInt8(ascii: "[")
    private static let reference = UInt8(ascii: "L")
    /// How many bytes a value of a primitive type takes.
    private static let sizes: [UInt8: Int] = [
        UInt8(ascii: "B"): 1, UInt8(ascii: "Z"): 1, UInt8(ascii: "C"): 2, UInt8(ascii: "S"): 2, UInt8(ascii: "I"): 4,
        UInt8(ascii: "F"): 4, UInt8(ascii: "J"): 8, UInt8(ascii: "D"): 8,
    ]
}
