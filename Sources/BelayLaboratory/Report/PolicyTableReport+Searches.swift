import BelayTrust

extension PolicyTableReport {
    /// How paths are searched, by examples.
    var searchSection: HTML {
        guard !searches.isEmpty else { return "" }
        return """
            <section>
            <h2>How a path is found</h2>
            <p>A server sends certificates; whom the client trusts is the client's affair. Between them a path has to be
            found, and there may be several, or none. The drawings show what was tried: the leaf on top, below each
            certificate everybody who could have issued it. The <b>thick line</b> is the path of the verdict, a crossed
            dashed one a signature that is not the issuer's, a dotted box a certificate that is missing.</p>
            \(searches.map(example))
            </section>
            """
    }

    private func example(_ example: PathSearchExample) -> HTML {
        let answer: HTML =
            example.verdict.isTrusted
            ? "<span class=\"yes\"><span aria-hidden=\"true\">✓</span> accepted</span>"
            : "<span class=\"no\"><span aria-hidden=\"true\">✗</span> refused</span>"
        let notes = example.verdict.findings(.note).map { note -> HTML in "<li>\(note.message.sentence)</li>" }
        return """
            <article>
            <h3>\(example.kind.summary.sentence)</h3>
            <p class="asked">The app asks for <b>\(example.host)</b>; by the system's anchors alone it is \(answer).</p>
            \(example.verdict.explanation.map { ExplanationFigure($0).html } ?? "")
            \(notes.isEmpty ? "" : "<p class=\"lead\">Noticed besides:</p><ul class=\"ways\">\(notes)</ul>" as HTML)
            </article>
            """
    }

    /// The searches of a situation: each that differs once, with the policies whose verdict it tells.
    func searches(_ cells: [PolicyTableCell]) -> HTML {
        var stories: [(story: Explanation, settings: [PolicySetting])] = []
        for cell in cells {
            guard let story = cell.verdict?.explanation else { continue }
            if let index = stories.firstIndex(where: { $0.story == story }) {
                stories[index].settings.append(cell.setting)
            } else {
                stories.append((story, [cell.setting]))
            }
        }
        guard !stories.isEmpty else { return "" }
        let items = stories.map { story, settings -> HTML in
            """
            <h4>\(stories.count == 1 ? "Under every policy that looks for one" : names(settings))</h4>
            \(ExplanationFigure(story).html)
            """
        }
        return """
            <details class="answers"><summary>How a path was searched</summary>
            \(items)
            </details>
            """
    }

    private func names(_ settings: [PolicySetting]) -> String {
        settings.map { "\($0.modeText), \($0.validityText), \($0.nameText)" }.joined(separator: "; ")
    }
}
