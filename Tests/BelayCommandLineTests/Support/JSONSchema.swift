import Foundation

/// The part of JSON Schema (draft 2020-12) that the project's schemas use.
struct JSONSchema {
    private let root: [String: Any]

    struct Unreadable: Error {}

    /// Reads a schema of the project by its name in `Documentation/schemas`.
    init(named name: String) throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: package.appendingPathComponent("Documentation/schemas/\(name)"))
        guard let root = try JSONSerialization.jsonObject(with: data) as? [String: Any] else { throw Unreadable() }
        self.root = root
    }

    /// What in a value is not as the schema says; empty for a valid one.
    func faults(in value: Any) -> [String] { faults(value, root, "$") }

    /// Every property that the schema names, at any depth.
    var properties: Set<String> { Self.properties(in: root) }

    private static func properties(in value: Any) -> Set<String> {
        if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(properties(in: $1)) } }
        guard let object = value as? [String: Any] else { return [] }
        let own = (object["properties"] as? [String: Any])?.keys.map { $0 } ?? []
        return object.values.reduce(into: Set(own)) { $0.formUnion(properties(in: $1)) }
    }

    private func faults(_ value: Any, _ schema: [String: Any], _ place: String) -> [String] {
        if let reference = schema["$ref"] as? String {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            let definitions = root["$defs"] as? [String: Any]
            guard let target = definitions?[name] as? [String: Any] else { return ["\(place): no definition \(name)"] }
            return faults(value, target, place)
        }
        if let options = schema["anyOf"] as? [[String: Any]] {
            let results = options.map { faults(value, $0, place) }
            return results.contains { $0.isEmpty } ? [] : results.last ?? []
        }
        if let allowed = schema["enum"] as? [String] {
            return (value as? String).map(allowed.contains) == true ? [] : ["\(place): \(value) is none of \(allowed)"]
        }
        var found: [String] = []
        let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map { [$0] } ?? []
        if !types.isEmpty, !types.contains(where: { Self.isOf($0, value) }) {
            found.append("\(place): \(value) is not \(types)")
        }
        if let pattern = schema["pattern"] as? String, let text = value as? String,
            text.range(of: pattern, options: .regularExpression) == nil
        {
            found.append("\(place): '\(text)' does not match \(pattern)")
        }
        if let items = schema["items"] as? [String: Any], let list = value as? [Any] {
            found += list.enumerated().flatMap { faults($1, items, "\(place)[\($0)]") }
        }
        if let object = value as? [String: Any], let properties = schema["properties"] as? [String: Any] {
            for key in schema["required"] as? [String] ?? [] where object[key] == nil {
                found.append("\(place).\(key) is missing")
            }
            for (key, member) in object {
                guard let part = properties[key] as? [String: Any] else {
                    found.append("\(place).\(key) is not in the schema")
                    continue
                }
                found += faults(member, part, "\(place).\(key)")
            }
        }
        return found
    }

    private static func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "null": value is NSNull
        case "string": value is String
        case "array": value is [Any]
        case "object": value is [String: Any]
        case "boolean":
            (value as? NSNumber).map { "\($0.objCType.pointee)" == "99" || value is Bool } ?? (value is Bool)
        case "integer": value is Int
        default: false
        }
    }
}
