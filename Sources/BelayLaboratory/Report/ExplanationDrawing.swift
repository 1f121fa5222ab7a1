import BelayCertificates
import BelayTrust

/// An ``ExplanationGraph`` as SVG: the leaf on top, its possible issuers below it, and so on; the path of the verdict goes
/// straight down on the left.
///
/// It is drawn in its natural size, in which text is as large as in the page: two nodes beside each other fit a phone, a
/// row of more is scrolled.
struct ExplanationDrawing {
    private let graph: ExplanationGraph
    private let title: String

    private static let nodeWidth = 152
    private static let nodeHeight = 80
    private static let columnGap = 10
    private static let rowGap = 34
    /// How many letters fit in a line of a node, and how many of a name, which is bold and has a number beside it.
    private static let letters = (line: 21, name: 16)

    /// Draws a graph; `title` says in a sentence what a person who cannot see it has to know.
    init(_ graph: ExplanationGraph, title: String) {
        self.graph = graph
        self.title = title
    }

    var svg: HTML {
        let width = graph.columns * Self.nodeWidth + (graph.columns - 1) * Self.columnGap
        let height = graph.rows * Self.nodeHeight + (graph.rows - 1) * Self.rowGap
        // What is highlighted is drawn last, over the rest.
        let edges = graph.edges.filter { !$0.isOnPath } + graph.edges.filter(\.isOnPath)
        return """
            <svg class="graph" role="img" aria-label="\(title)" width="\(width + 4)" height="\(height + 4)" \
            viewBox="-2 -2 \(width + 4) \(height + 4)">
            \(edges.map(edge))
            \(graph.nodes.map(node))
            </svg>
            """
    }

    // MARK: Nodes

    private func origin(_ number: Int) -> (x: Int, y: Int) {
        let node = graph.nodes[number - 1]
        return (node.column * (Self.nodeWidth + Self.columnGap), node.depth * (Self.nodeHeight + Self.rowGap))
    }

    private func node(_ node: ExplanationGraph.Node) -> HTML {
        let (x, y) = origin(node.number)
        let path: HTML = node.isOnPath ? " path" : ""
        let (first, second) = lines(node.name)
        // A picture within the picture, since that cuts off what is too wide.
        return """
            <svg class="node \(kind(node))\(path)" x="\(x - 2)" y="\(y - 2)" width="\(Self.nodeWidth + 4)" \
            height="\(Self.nodeHeight + 4)" viewBox="-2 -2 \(Self.nodeWidth + 4) \(Self.nodeHeight + 4)">\
            <rect width="\(Self.nodeWidth)" height="\(Self.nodeHeight)" rx="8"/>\
            <text class="number" x="\(Self.nodeWidth - 8)" y="18" text-anchor="end">\(node.number)</text>\
            <text class="who" x="8" y="18">\(first)<tspan x="8" dy="15">\(second)</tspan></text>\
            <text class="whence" x="8" y="52">\(elided(node.place, Self.letters.line))</text>\
            <text class="what" x="8" y="70">\(elided(node.verdict, Self.letters.line))</text></svg>

            """
    }

    private func kind(_ node: ExplanationGraph.Node) -> HTML {
        switch node.state {
        case .anchor: "anchor"
        case .fits: "fits"
        case .refused, .selfSigned, .impostor: "refused"
        case .deadEnd, .notFollowed: "open"
        case .missing: "missing"
        }
    }

    /// A name in two lines, broken where there is a space or a dot if one is near enough.
    private func lines(_ name: String) -> (String, String) {
        let scalars = Array(printable(name).unicodeScalars)
        guard scalars.count > Self.letters.name else { return (String(name), "") }
        let most = scalars.prefix(Self.letters.name + 1)
        let space = most.lastIndex(of: " ").map { ($0, $0 + 1) }
        let dot = most.dropLast().lastIndex(of: ".").map { ($0 + 1, $0 + 1) }
        let cut = [space, dot].compactMap(\.self).filter { $0.0 > 3 }.max { $0.0 < $1.0 }
        let (end, start) = cut ?? (Self.letters.name, Self.letters.name)
        func text(_ part: ArraySlice<Unicode.Scalar>) -> String { String(String.UnicodeScalarView(part)) }
        return (text(scalars[..<end]), elided(text(scalars[start...]), Self.letters.line - 2))
    }

    /// Counted in scalars, of which a letter from outside may hold any number.
    private func elided(_ text: String, _ count: Int) -> String {
        let scalars = printable(text).unicodeScalars
        guard scalars.count > count else { return String(scalars) }
        return String(String.UnicodeScalarView(scalars.prefix(count - 1))) + "…"
    }

    // MARK: Edges

    private func edge(_ edge: ExplanationGraph.Edge) -> HTML {
        let (child, issuer) = (origin(edge.child), origin(edge.issuer))
        let (fromX, fromY) = (child.x + Self.nodeWidth / 2, child.y + Self.nodeHeight)
        let (toX, toY) = (issuer.x + Self.nodeWidth / 2, issuer.y)
        let kind: HTML =
            switch (edge.isOnPath, edge.isSigned) {
            case (true, _): "path"
            case (false, true?): "signed"
            case (false, false?): "unsigned"
            case (false, nil): "missing"
            }
        let middle = (fromY + toY) / 2
        let (crossX, crossY) = ((fromX + toX) / 2, middle)
        let cross: HTML =
            edge.isSigned == false
            ? """
            <path class="cross" d="M\(crossX - 5) \(crossY - 5)l10 10m0 -10l-10 10"/>
            """ : ""
        return """
            <g class="edge \(kind)"><path d="M\(fromX) \(fromY)C\(fromX) \(middle) \(toX) \(middle) \(toX) \(toY - 3)"/>\
            <path d="M\(toX - 5) \(toY - 8)l5 6l5 -6"/>\(cross)</g>

            """
    }
}
