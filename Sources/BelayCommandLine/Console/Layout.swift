/// Text in lines of a width.
enum Layout {
    /// Breaks text at spaces into lines that fit beside `indent` spaces.
    ///
    /// A word that is too long stays whole, so that it can be copied; line breaks in the text are kept.
    ///
    /// - Parameter first: what the first line has in place of the indent; as wide as the indent, colour not counted.
    static func wrap(_ text: String, indent: Int = 0, first: String? = nil, columns: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var current = ""
            var width = 0
            for word in line.split(separator: " ") {
                let length = word.count
                if width > 0, indent + width + 1 + length > columns {
                    lines.append(current)
                    (current, width) = ("", 0)
                }
                if width > 0 { (current, width) = (current + " ", width + 1) }
                current += word
                width += length
            }
            lines.append(current)
        }
        return lines.enumerated().map { index, line in
            (index == 0 ? first ?? margin : margin) + line
        }.joined(separator: "\n")
    }

    /// Text with spaces behind it up to a width.
    static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
