import BelayTrust

/// The story of a path search for people.
struct ExplanationText {
    let explanation: Explanation
    let style: Style

    init(_ explanation: Explanation, style: Style) {
        self.explanation = explanation
        self.style = style
    }

    /// The tree, leaf first, with a mark at each certificate of the verdict's path; then what would make it work.
    var text: String {
        style.bold("How the path was searched") + "  (\u{25CF} on the path of the verdict, \u{25CB} tried)\n"
            + explanation.description
    }
}
