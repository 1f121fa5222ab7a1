/// One pass over the arguments of one command: which texts belong to which declaration.
///
/// An argument that begins with `-` (other than a lone `-`) is an option and never a value, so that a forgotten value
/// does not swallow the next option. After `--` nothing is an option.
struct Scan {
    typealias Reason = CommandError.Reason

    /// The texts for each declaration's key, in the order given; for a flag `true` or `false`, once per use.
    private(set) var given: [String: [String]] = [:]
    /// From the subcommand's name on.
    private(set) var rest: ArraySlice<String> = []

    private let schema: Schema
    private let version: String
    private let stopsAtCommand: Bool
    private let named: [String: Declaration]
    private var positionals: [Declaration]
    private var leftover: [String] = []

    init(schema: Schema, version: String, stopsAtCommand: Bool) {
        self.schema = schema
        self.version = version
        self.stopsAtCommand = stopsAtCommand
        positionals = schema.positionals
        named = Dictionary(
            schema.declarations.flatMap { declaration in
                (declaration.names + declaration.negatedNames).map { ($0, declaration) }
            }, uniquingKeysWith: { first, _ in first })
    }

    mutating func read(_ arguments: ArraySlice<String>) throws(Reason) {
        var remaining = arguments
        while let argument = remaining.popFirst() {
            if argument == "--" {
                if stopsAtCommand, !remaining.isEmpty { return rest = remaining }
                while let text = remaining.popFirst() { try take(positional: text) }
            } else if argument.utf8.starts(with: "--".utf8) {
                try readLong(argument, &remaining)
            } else if argument.utf8.first == UInt8(ascii: "-"), argument.utf8.count > 1 {
                try readShort(argument, &remaining)
            } else if let option = optionBehindDash(argument) {
                throw .unknownOption(argument, within: nil, suggestion: option)
            } else if stopsAtCommand {
                return rest = [argument] + remaining
            } else {
                try take(positional: argument)
            }
        }
        try checkComplete()
    }

    // MARK: Options

    private mutating func readLong(_ argument: String, _ remaining: inout ArraySlice<String>) throws(Reason) {
        let (name, value) = split(argument)
        guard let declaration = named[name] else { throw builtIn(name, value: value) ?? unknown(name) }
        try take(declaration, as: name, value: value, &remaining)
    }

    /// `-p value`, `-pvalue`, and flags together as `-vq`, the last of which may be an option. As with curl, everything behind an option's
    /// letter is its value, an equals sign too.
    private mutating func readShort(_ argument: String, _ remaining: inout ArraySlice<String>) throws(Reason) {
        let (cluster, value) = split(argument)
        // `-pins` is more often a long option with one dash too few than the option `-p`, or four flags.
        let long = named["-\(cluster)"] != nil ? "-\(cluster)" : nil
        // By code points: what a value begins with may make one character with the letter.
        var letters = argument.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            guard let declaration = named[name] else {
                if let reason = builtIn(name, value: letters.isEmpty ? nil : value) { throw reason }
                throw unknownShort(String(String.UnicodeScalarView([letter] + letters)), cluster, long)
            }
            if declaration.kind == .option {
                if let long { throw .valueInCluster(option: name, cluster: cluster, suggestion: long) }
                let attached = letters.isEmpty ? nil : String(String.UnicodeScalarView(letters))
                return try take(declaration, as: name, value: attached, &remaining)
            }
            if letters.first == "=" { throw .unexpectedValue(flag: name, value: value ?? "") }
            try take(declaration, as: name, value: nil, &remaining)
        }
    }

    private func unknownShort(_ rest: String, _ cluster: String, _ long: String?) -> Reason {
        let name = "-\(rest.first.map { String($0) } ?? "")"
        return cluster == name || cluster == "-"
            ? unknown(cluster == "-" ? "-\(rest)" : name) : .unknownOption(name, within: cluster, suggestion: long)
    }

    private mutating func take(
        _ declaration: Declaration, as name: String, value: String?, _ remaining: inout ArraySlice<String>
    ) throws(Reason) {
        let text: String
        if declaration.kind == .flag {
            if let value { throw .unexpectedValue(flag: name, value: value) }
            text = declaration.negatedNames.contains(name) ? "false" : "true"
        } else {
            if let value {
                text = value
            } else {
                text = try nextValue(for: declaration, as: name, &remaining)
            }
            if text.isEmpty { throw .emptyText(name: name) }
        }
        if let earlier = given[declaration.key]?.first, !declaration.isRepeatable {
            guard declaration.kind == .flag else {
                throw .givenTwice(name: declaration.displayName, values: (earlier, text))
            }
            guard earlier != text else { throw .givenTwice(name: name, values: nil) }
            throw .contradiction(declaration.displayName, declaration.negatedNames.last ?? name)
        }
        given[declaration.key, default: []].append(text)
    }

    private func nextValue(
        for declaration: Declaration, as name: String, _ remaining: inout ArraySlice<String>
    ) throws(Reason) -> String {
        guard let next = remaining.first, next != "--" else {
            throw .missingValue(option: name, valueName: declaration.valueName, next: nil)
        }
        guard next.utf8.first == UInt8(ascii: "-"), next != "-" else { return remaining.removeFirst() }
        let nextName = split(next).name
        if named[nextName] != nil || builtIn(nextName, value: nil) != nil {
            throw .missingValue(option: name, valueName: declaration.valueName, next: nextName)
        }
        throw .valueLikeOption(option: name, value: next)
    }

    private func builtIn(_ name: String, value: String?) -> Reason? {
        guard name == "--help" || name == "-h" || (name == "--version" && !version.isEmpty) else { return nil }
        if let value { return .unexpectedValue(flag: name, value: value) }
        return name == "--version" ? .versionRequested(version) : .helpRequested
    }

    private func unknown(_ name: String) -> Reason {
        let visible = schema.declarations.filter { $0.help.visibility == .default }
        let names = visible.flatMap { $0.names + $0.negatedNames } + ["--help"] + (version.isEmpty ? [] : ["--version"])
        let otherCase = [name.lowercased(), name.uppercased()].first { named[$0] != nil }
        let near = otherCase ?? nearest(to: name, among: names.filter { $0.hasPrefix("--") })
        return .unknownOption(name, within: nil, suggestion: near)
    }

    // MARK: Arguments

    private mutating func take(positional text: String) throws(Reason) {
        guard let declaration = positionals.first else { return leftover.append(text) }
        if text.isEmpty { throw .emptyText(name: declaration.displayName) }
        given[declaration.key, default: []].append(text)
        if !declaration.isRepeatable { positionals.removeFirst() }
    }

    private func checkComplete() throws(Reason) {
        if !leftover.isEmpty { throw .unexpectedArguments(leftover) }
        let missing = schema.declarations.filter { $0.isRequired && given[$0.key] == nil }
        if !missing.isEmpty { throw .missing(missing.map(\.usage)) }
    }

    /// Word processors turn `--pins` into `—pins`, which then looks like an argument.
    private func optionBehindDash(_ text: String) -> String? {
        guard let dash = text.first, "‐‑‒–—−".contains(dash) else { return nil }
        let name = "--" + split(text).name.drop { "‐‑‒–—−-".contains($0) }
        return named[name] != nil ? name : nil
    }
}

/// Splits at the first `=`, by bytes, because `=` and a combining mark after it are one character.
private func split(_ argument: String) -> (name: String, value: String?) {
    guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (argument, nil) }
    return (String(argument[..<sign]), String(argument[argument.utf8.index(after: sign)...]))
}
