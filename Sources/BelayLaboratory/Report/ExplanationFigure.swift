import BelayCertificates
import BelayTrust

/// The story of a search in a page: the graph, beside it the same in words, and what would make it work.
struct ExplanationFigure {
    private let explanation: Explanation
    private let graph: ExplanationGraph

    init(_ explanation: Explanation) {
        self.explanation = explanation
        graph = ExplanationGraph(explanation)
    }

    var html: HTML {
        let ways = explanation.ways.map { way -> HTML in
            "<li>\(way.obstacle.sentence) <b>\(way.remedy)</b></li>"
        }
        let remarks = explanation.remarks.map { remark -> HTML in "<li>\(remark.sentence)</li>" }
        let title: HTML =
            ways.count == 1 ? "What would make it work" : "What would make it work, one of"
        return """
            <figure class="search">
            <div class="scroll">\(ExplanationDrawing(graph, title: summary).svg)</div>
            <figcaption>
            <ol class="tried">\(graph.nodes.map(item))</ol>
            \(omitted)
            \(ways.isEmpty ? "" : "<p class=\"lead\">\(title):</p><ul class=\"ways\">\(ways)</ul>" as HTML)
            \(remarks.isEmpty ? "" : "<p class=\"lead\">Beside the path:</p><ul class=\"ways\">\(remarks)</ul>" as HTML)
            </figcaption>
            </figure>
            """
    }

    /// The graph in a sentence, for those who cannot see it.
    private var summary: String {
        let tried = graph.nodes.count { $0.certificate != nil }
        let path = graph.nodes.filter(\.isOnPath)
        let chain = path.map { "\($0.number) \($0.name)" }.joined(separator: ", issued by ")
        return "Graph of the search: \(tried) certificate\(tried == 1 ? "" : "s") tried. The verdict's path: \(chain). "
            + "The list that follows says what came of each."
    }

    private var omitted: HTML {
        graph.omitted == 0 ? "" : "<p>\(graph.omitted) more attempts are not shown.</p>"
    }

    private func item(_ node: ExplanationGraph.Node) -> HTML {
        let tag: HTML = node.isOnPath ? " <span class=\"tag path\">on the path</span>" : ""
        let findings = node.findings.map { finding -> HTML in
            let kind: HTML = finding.severity == .error ? "fault" : "warn"
            return """
                <li class="\(kind)"><code>\(finding.rule.identifier)</code> \(finding.message.sentence)</li>
                """
        }
        return """
            <li><p><b>\(node.name)</b> <span class="place">place \(node.depth), \(node.place)</span>\(tag)</p>\
            <p class="\(isGood(node) ? "good" : "bad" as HTML)">\(result(node))</p>\
            \(findings.isEmpty ? "" : "<ul>\(findings)</ul>" as HTML)</li>

            """
    }

    private func isGood(_ node: ExplanationGraph.Node) -> Bool { node.state == .anchor || node.state == .fits }

    private func result(_ node: ExplanationGraph.Node) -> String {
        switch node.state {
        case .anchor: "✓ An anchor: a path ends here."
        case .fits: "✓ Nothing is wrong with it in this place."
        case .refused: "✗ Refused in this place."
        case .deadEnd: "? Nobody who could have issued it was sent or is trusted."
        case .selfSigned: "✗ Self-signed, and not among the anchors."
        case .impostor: "✗ It has the right name, but its key did not sign the certificate that names it."
        case .notFollowed: "… Not followed further: the budget of the evaluation was spent."
        case .missing(let location):
            "? Missing: \(node.subject)" + (location.map { ". It is published at \($0)." } ?? ".")
        }
    }
}
