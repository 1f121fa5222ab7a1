/// Colours and weights of text, or none of them where the reader is no terminal.
struct Style: Sendable {
    /// Whether escape sequences are written.
    let isColoured: Bool

    /// Without any escape sequences.
    static let plain = Style(isColoured: false)

    /// Accepted: green and bold.
    func good(_ text: String) -> String { sgr("1;32", text) }
    /// Refused: red and bold.
    func bad(_ text: String) -> String { sgr("1;31", text) }
    /// Attention: yellow.
    func warning(_ text: String) -> String { sgr("33", text) }
    /// Headings: bold.
    func bold(_ text: String) -> String { sgr("1", text) }
    /// What is less important.
    func dim(_ text: String) -> String { sgr("2", text) }

    private func sgr(_ codes: String, _ text: String) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(codes)m\(text)\u{1B}[0m" : text
    }
}
