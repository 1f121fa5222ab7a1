/// Everything that a type declares on the command line, found by looking at the properties of a fresh value.
struct Schema {
    private enum Property {
        case argument(any DeclaredProperty, Declaration)
        case group(any DeclaredGroup, Schema)
        /// A property without a wrapper keeps the value that it was declared with.
        case plain(Any)
    }

    private var properties: [(name: String, property: Property)] = []

    /// The declarations of the type and of its groups, in the order of the source.
    private(set) var declarations: [Declaration] = []

    /// Throws `Reason.declaration` where names collide or an argument could never be filled.
    init(of type: any ParsableArguments.Type) throws(CommandError.Reason) {
        self.init(type, prefix: "", title: "")
        if let problem { throw .declaration(problem) }
    }

    /// Does not look for mistakes, for the help.
    init(unchecked type: any ParsableArguments.Type) { self.init(type, prefix: "", title: "") }

    private init(_ type: any ParsableArguments.Type, prefix: String, title: String) {
        for child in Mirror(reflecting: type.init()).children {
            guard let label = child.label else { continue }
            let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
            if let property = child.value as? any DeclaredProperty,
                let declaration = property.declaration(property: name, prefix: prefix, groupTitle: title)
            {
                properties.append((name, .argument(property, declaration)))
                declarations.append(declaration)
            } else if let group = child.value as? any DeclaredGroup {
                let title = group.title.isEmpty ? title : group.title
                let schema = Schema(group.memberType, prefix: "\(prefix)\(name).", title: title)
                properties.append((name, .group(group, schema)))
                declarations += schema.declarations
            } else {
                properties.append((label, .plain(child.value)))
            }
        }
    }

    /// Whether an option or a flag has this name, which includes its dashes.
    func declares(_ name: String) -> Bool {
        declarations.contains { $0.names.contains(name) || $0.negatedNames.contains(name) }
    }

    var positionals: [Declaration] { declarations.filter { $0.kind == .positional } }

    /// Makes the value: each property from the texts given under its key, then `validate()`, groups first.
    func instantiate<Value: ParsableArguments>(
        _ type: Value.Type, given: [String: [String]]
    ) throws(CommandError.Reason) -> Value {
        var values: [String: Any] = [:]
        var required: [String] = []
        for (name, property) in properties {
            switch property {
            case .plain(let value):
                values[name] = value
                continue
            case .group(let group, let schema): values[name] = try group.filled(from: schema, given: given)
            case .argument(let wrapper, let declaration):
                values[name] = try fill(wrapper, declaration, given[declaration.key] ?? [])
            }
            required.append(name)
        }
        var value: Value
        do {
            value = try Value(from: PropertyDecoder(values: values, required: required))
        } catch {
            throw .declaration("'\(type)' cannot be filled: \(error)")
        }
        do {
            try value.validate()
        } catch {
            throw .validation(error)
        }
        return value
    }

    private func fill(
        _ wrapper: any DeclaredProperty, _ declaration: Declaration, _ texts: [String]
    ) throws(CommandError.Reason) -> any DeclaredProperty {
        do throws(ConversionFailure) {
            if let filled = try wrapper.filled(with: texts) { return filled }
        } catch {
            throw .invalidValue(error.text, name: declaration.displayName, reason: error.reason, declaration)
        }
        throw .missing([declaration.usage])
    }

    private var problem: String? {
        var seen: Set<String> = []
        for name in declarations.flatMap({ $0.names + $0.negatedNames }) {
            if !seen.insert(name).inserted { return "'\(name)' is declared twice" }
            if name.drop(while: { $0 == "-" }).isEmpty || name.contains("=") { return "'\(name)' cannot be a name" }
        }
        for declaration in declarations where declaration.kind != .positional && declaration.names.isEmpty {
            return "'\(declaration.key)' has no name"
        }
        if let list = positionals.dropLast().first(where: \.isRepeatable) {
            return "arguments follow '\(list.displayName)', which takes all"
        }
        return nil
    }
}
