import BelayCertificates

extension Certificate {
    /// A short name for people: the common name, else the subject, else the first alternative name.
    var label: String {
        if let name = subject.commonName { return Text.short(printable(name)) }
        let text = subject.description
        if !text.isEmpty { return Text.short(text) }
        guard let names = try? subjectAlternativeNames, let first = names.first else { return "(no name)" }
        return Text.short(first.description)
    }
}

/// Text cut to a length that people read.
enum Text {
    /// At most so many characters.
    static func short(_ text: String, _ limit: Int = 100) -> String {
        text.count > limit ? "\(text.prefix(limit))…" : text
    }

    /// The first few of many, and how many more there are.
    static func list(_ texts: [String], limit: Int, separator: String = ", ") -> String {
        let shown = texts.prefix(limit).map { short($0) }.joined(separator: separator)
        return texts.count > limit ? "\(shown)\(separator)and \(texts.count - limit) more" : shown
    }
}
