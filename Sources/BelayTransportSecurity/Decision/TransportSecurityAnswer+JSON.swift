import BelayCertificates

/// An answer with the name of its case: a line of NDJSON.
public struct NamedTransportSecurityAnswer: Sendable, Encodable {
    /// The name.
    public let id: String
    /// The answer.
    public let answer: TransportSecurityAnswer

    /// Names an answer.
    public init(id: String, answer: TransportSecurityAnswer) {
        self.id = id
        self.answer = answer
    }

    /// Writes the fields that the format has, the name first.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        try container.encode(id, forKey: JSONKey("id"))
        try answer.encode(into: &container)
    }
}

extension TransportSecurityAnswer: Encodable {
    /// Writes the fields that the format has. A value that differs between the systems is null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        try encode(into: &container)
    }

    /// Writes the fields into an object that may have more.
    package func encode(into container: inout KeyedEncodingContainer<JSONKey>) throws {
        func encode(_ names: [Field.Name]) throws {
            for name in names {
                try container.encode(common { Field(name, of: $0) } ?? .text(nil), forKey: JSONKey(name.rawValue))
            }
        }
        try encode([
            .allowed, .requiresHTTPS, .minimumVersion, .forwardSecrecy, .transparency, .systemTransparency,
            .trustRelaxed,
            .matched, .error,
        ])
        try container.encode(decidedBy, forKey: JSONKey("decided_by"))
        try container.encode(why, forKey: JSONKey("why"))
        try encode([.suites, .minimumRSABits, .minimumECBits, .minimumHash])
        // Without pins the list is empty; null is for pins that differ.
        let pins: Field? = common { .pins($0.pins) }
        try container.encode(pins ?? .text(nil), forKey: JSONKey("pins"))
        // Only where the key is used: hardly any app does.
        if parts.contains(where: { $0.decision.niapPackage != nil }) { try encode([.niap]) }
        try container.encode(changes, forKey: JSONKey("changes"))
    }
}

extension TransportSecurityAnswer.Change: Encodable {
    /// Writes field, version and value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        try container.encode(field, forKey: JSONKey("field"))
        try container.encode(system.description, forKey: JSONKey("from"))
        try container.encode(value, forKey: JSONKey("value"))
    }
}

extension TransportSecurityAnswer.Field: Encodable {
    /// Writes the value; pins as a list of lists of which each must match.
    public func encode(to encoder: any Encoder) throws {
        if case .pins(let pins) = self {
            var list = encoder.unkeyedContainer()
            for (identity, keys) in [("leaf", pins?.leaf), ("ca", pins?.authority)] {
                guard let keys else { continue }
                var object = list.nestedContainer(keyedBy: JSONKey.self)
                try object.encode(identity, forKey: JSONKey("identity"))
                try object.encode(keys.map(\.description).sorted(), forKey: JSONKey("spki_sha256"))
            }
            return
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .flag(let flag): try container.encode(flag)
        case .number(let number?): try container.encode(number)
        case .text(let text?): try container.encode(text)
        default: try container.encodeNil()
        }
    }
}

/// A key of JSON that is known at run time.
package struct JSONKey: CodingKey {
    package let stringValue: String

    package init(_ name: String) { stringValue = name }
    package init?(stringValue: String) { self.init(stringValue) }
    package init?(intValue: Int) { nil }
    package var intValue: Int? { nil }
}
