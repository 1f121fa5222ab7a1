/// The candidate that a mistyped text most likely stands for, or nil where none is near.
///
/// Near is: the same but for case, within a third of its length in edits (an edit inserts, deletes or replaces a
/// character, or swaps two neighbours), or an abbreviation of exactly one candidate.
func nearest(to text: String, among candidates: [String]) -> String? {
    // Nobody mistypes an option at such length, and the work is the product of both lengths.
    guard (1...64).contains(text.utf8.count) else { return nil }
    let typed = Array(text.lowercased())
    let letters = typed.filter { $0 != "-" }.count
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
        let distance = editDistance(typed, Array(candidate.lowercased()))
        if distance <= max(1, letters / 3), distance < letters, distance < best?.distance ?? .max {
            best = (candidate, distance)
        }
    }
    if let best { return best.candidate }
    let completions = candidates.filter { $0.hasPrefix(text) }
    return letters >= 2 && completions.count == 1 ? completions.first : nil
}

/// The number of edits from one text to the other (optimal string alignment).
func editDistance(_ first: [Character], _ second: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for (row, letter) in first.enumerated() {
        var current = [row + 1]
        for (column, other) in second.enumerated() {
            var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
            if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                cost = min(cost, beforeLast[column - 1] + 1)
            }
            current.append(cost)
        }
        beforeLast = last
        last = current
    }
    return last[second.count]
}

/// The text in quotes, safe on a terminal: control and invisible characters escaped, long text shortened.
func quoted(_ text: String) -> String {
    let limit = 160
    let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))
    return "'\(escapingControls(shown))\(text.unicodeScalars.count > limit ? "…" : "")'"
}

/// The text with its control and invisible characters as `\u{1B}`, so that nothing typed can command the terminal.
func escapingControls(_ text: String, except kept: Set<Unicode.Scalar> = []) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            shown += kept.contains(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: shown.unicodeScalars.append(scalar)
        }
    }
    return shown
}
