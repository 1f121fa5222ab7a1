/// The help of one command, made from its declarations.
struct HelpText {
    private let path: CommandPath
    private let declarations: [Declaration]
    private let width: Int

    /// A width of nil asks `COLUMNS` and the terminal; anything below 30 columns is unreadable and counts as 30.
    init(path: CommandPath, includeHidden: Bool = false, columns: Int? = nil) {
        self.path = path
        width = max(columns ?? Terminal.columns(), 30)
        declarations = Schema(unchecked: path.type).declarations
            .filter { includeHidden || $0.help.visibility == .default }
    }

    /// Everything, without a line break at the end.
    var text: String {
        let configuration = path.configuration
        var blocks: [String] = []
        if !configuration.abstract.isEmpty { blocks.append(wrap(configuration.abstract, indent: 0)) }
        blocks.append("Usage: " + wrap(usage, indent: 7).dropFirst(7))
        if !configuration.discussion.isEmpty { blocks.append(wrap(configuration.discussion, indent: 0)) }
        blocks.append(contentsOf: sections)
        if let examples { blocks.append(examples) }
        if !configuration.subcommands.isEmpty {
            blocks.append(wrap("See '\(path.names[0]) help\(inner) <command>' for one command.", indent: 0))
        }
        return blocks.joined(separator: "\n\n")
    }

    /// `belay check [options] <url>`. Required options are spelled out.
    var usage: String {
        let options = declarations.filter { $0.kind != .positional }
        var words = [path.description]
        if !options.allSatisfy(\.isRequired) { words.append("[options]") }
        words += options.filter(\.isRequired).map {
            $0.usage + ($0.isRepeatable ? " ..." : "")
        }
        words += declarations.filter { $0.kind == .positional }.map { argument in
            let word = argument.displayName + (argument.isRepeatable ? " ..." : "")
            return argument.isRequired ? word : "[\(word)]"
        }
        if !path.configuration.subcommands.isEmpty { words.append("<command>") }
        return words.joined(separator: " ")
    }

    private var inner: String { path.names.dropFirst().map { " " + $0 }.joined() }

    // MARK: Sections

    private var sections: [String] {
        let arguments = declarations.filter { $0.kind == .positional }
        let options = declarations.filter { $0.kind != .positional }
        var titles: [String] = []
        for title in options.map(\.groupTitle) where !title.isEmpty && !titles.contains(title) { titles.append(title) }
        let own = options.filter(\.groupTitle.isEmpty).map(row) + builtIn
        let commands = path.configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .map { Row(label: $0._commandName, detail: $0.configuration.abstract) }
        return section("Commands", commands) + section("Arguments", arguments.map(row))
            + titles.flatMap { title in section(title, options.filter { $0.groupTitle == title }.map(row)) }
            + section(titles.isEmpty ? "Options" : "Other options", own)
    }

    private var builtIn: [Row] {
        let declared = Set(declarations.flatMap(\.names))
        let help = ["-h", "--help"].filter { !declared.contains($0) }.joined(separator: ", ")
        let version = path.configuration.version.isEmpty || declared.contains("--version")
        return (version ? [] : [Row(label: "--version", detail: "Show the version.")])
            + (help.isEmpty ? [] : [Row(label: help, detail: "Show this help.")])
    }

    private struct Row {
        var label: String
        var detail: String
    }

    private func row(_ declaration: Declaration) -> Row {
        var label = declaration.names.joined(separator: ", ")
        switch declaration.kind {
        case .option: label += " <\(declaration.valueName)>"
        case .flag: label = (declaration.names + declaration.negatedNames).joined(separator: ", ")
        case .positional: label = declaration.displayName
        }
        var notes: [String] = []
        let values = declaration.allowedValues
        if !values.isEmpty { notes.append("values: " + values.joined(separator: ", ")) }
        if let text = declaration.defaultText { notes.append("default: " + text) }
        if declaration.isRequired, declaration.kind == .option { notes.append("required") }
        if declaration.isRepeatable { notes.append("repeatable") }
        let abstract = [declaration.help.abstract, notes.isEmpty ? "" : "(\(notes.joined(separator: "; ")))"]
        let lines = [abstract.filter { !$0.isEmpty }.joined(separator: " "), declaration.help.discussion]
        return Row(label: label, detail: lines.filter { !$0.isEmpty }.joined(separator: "\n"))
    }

    private func section(_ title: String, _ rows: [Row]) -> [String] {
        guard !rows.isEmpty else { return [] }
        // Labels share a column that is as wide as the widest of those that leave room for text beside them.
        let limit = min(30, width / 2 - 4)
        let widest = rows.map(\.label.count).filter { $0 <= limit }.max() ?? 0
        let column = widest == 0 ? 8 : widest + 4
        let lines = rows.map { row in
            let label = "  " + row.label
            let detail = wrap(row.detail, indent: column)
            if detail.isEmpty { return label }
            guard row.label.count <= widest else { return label + "\n" + detail }
            return label + detail.dropFirst(label.count)
        }
        return ["\(title):\n" + lines.joined(separator: "\n")]
    }

    private var examples: String? {
        let examples = path.configuration.examples
        guard !examples.isEmpty else { return nil }
        let lines = examples.map { example in
            "  \(example.command)" + (example.explanation.isEmpty ? "" : "\n" + wrap(example.explanation, indent: 6))
        }
        return "Examples:\n" + lines.joined(separator: "\n")
    }

    // MARK: Wrapping

    /// Breaks lines at spaces. A word that is too long stays whole, so that it can be copied; a line that begins with
    /// a space is left as it is.
    private func wrap(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.first != " " else {
                lines.append(margin + line)
                continue
            }
            var current = ""
            for word in line.split(separator: " ") {
                if !current.isEmpty, indent + current.count + 1 + word.count > width {
                    lines.append(margin + current)
                    current = ""
                }
                current += (current.isEmpty ? "" : " ") + word
            }
            lines.append(current.isEmpty ? "" : margin + current)
        }
        return lines.joined(separator: "\n")
    }
}
