import BelayCertificates
import BelayTrust
import FoundationEssentials

/// A measured policy table as a page for people: one file of HTML that needs nothing else, no network and no script.
///
/// It shows the table, each situation with its chain drawn, and for each cell the reasons of the verdict.
///
/// ```swift
/// let page = PolicyTableReport(run).html
/// ```
public struct PolicyTableReport: Sendable {
    let run: PolicyTableRun
    let searches: [PathSearchExample]
    let settings: [PolicySetting]

    /// Prepares a report; `searches` are shown as examples of how a path is found.
    public init(_ run: PolicyTableRun, searches: [PathSearchExample] = []) {
        self.run = run
        self.searches = searches
        settings = PolicySetting.all
    }

    /// The page.
    public var html: String { page.text }

    private var page: HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Belay: which servers would this app trust?</title>
        <style>\(ReportStyle.sheet)</style>
        </head>
        <body>
        <main>
        \(head)
        \(differences)
        \(tableSection)
        \(situationSection)
        \(searchSection)
        \(settingSection)
        \(emptyPinSection)
        \(foot)
        </main>
        </body>
        </html>

        """
    }

    // MARK: Head

    private var head: HTML {
        let count = run.cells.count
        let right = count - run.differences.count
        let state: HTML =
            right == count
            ? "<p class=\"state good\"><b>✓ \(right) of \(count)</b> answers are the expected ones.</p>"
            : "<p class=\"state bad\"><b>✗ \(count - right) of \(count)</b> answers are not the expected ones.</p>"
        return """
            <header>
            <p class="eyebrow">Belay, measured \(CivilTime.text(run.moment))</p>
            <h1>Which servers would this app trust?</h1>
            \(state)
            <p>An app that speaks HTTPS has to decide whether the server that answers is the right one. Three settings of
            its security policy decide: what it <b>pins</b> (nothing, a key, or a certificate), whether
            <b>invalid certificates are allowed</b>, and whether the <b>name is checked</b>. That makes twelve policies.
            Each of them met fourteen servers, some genuine and some of an attacker, over real TLS connections on this
            machine. The table shows whom each policy let in.</p>
            <p>The table holds \(count - run.emptyPinCells.count) answers, twelve policies by fourteen servers. Each policy
            that pins was also tried with an empty pin set, which makes \(run.emptyPinCells.count) more: \(count) in all.</p>
            </header>
            """
    }

    private var differences: HTML {
        guard !run.differences.isEmpty else { return "" }
        let items = run.differences.map { cell -> HTML in "<li>\(cell.difference ?? cell.name)</li>" }
        return """
            <section class="differences"><h2>Not as expected</h2><ul>\(items)</ul></section>
            """
    }

    private var foot: HTML {
        let bytes = run.cells.filter { $0.measured == false }.reduce(0) { $0 + $1.applicationBytes }
        let early = run.cells.count { if case .refusedBeforeConnecting = $0.outcome { true } else { false } }
        return """
            <footer>
            <p>To servers that were refused, <b>\(bytes)</b> bytes of application data were sent. \(early) answers are of
            policies that refuse every server: those made no connection at all.</p>
            <p>The system's anchors were those of a private world that was made for this run: its public roots stand for
            the authorities that a system trusts. The expected answers follow AFNetworking's order of evaluation.</p>
            </footer>
            """
    }

    // MARK: Empty pin sets

    private var emptyPinSection: HTML {
        let rows = run.emptyPinCells.map { cell -> HTML in
            """
            <tr><th scope="row">\(cell.setting.modeText)</th><td>\(cell.setting.validityText)</td>\
            <td>\(cell.setting.nameText)</td><td>\(answer(cell))</td></tr>
            """
        }
        return """
            <section>
            <h2>With an empty pin set</h2>
            <p>A policy that wants pins and has none refuses everything, even the genuine server of situation A, before
            anything is sent. An app that lost its pin files must not become an app that trusts everybody.</p>
            <div class="scroll"><table class="plain">
            <thead><tr><th scope="col">pins</th><th scope="col">invalid certificates</th><th scope="col">name</th>\
            <th scope="col">situation A</th></tr></thead>
            <tbody>\(rows)</tbody>
            </table></div>
            </section>
            """
    }

    // MARK: Settings

    private var settingSection: HTML {
        let items = settings.map { setting -> HTML in
            // Two certificates, so that the advice to have a pin in reserve does not repeat itself.
            let pins = run.situations.prefix(2).map(\.pinned)
            let policy = setting.policy(pinning: pins)
            let refusals = policy.contradictions()
            let weaknesses = policy.weaknesses
            let texts: [HTML] =
                if !refusals.isEmpty {
                    refusals.map { "<p><b>Refuses every server.</b> \($0.message.sentence) \($0.remedy)</p>" }
                } else if weaknesses.isEmpty {
                    ["<p>Loosens nothing.</p>"]
                } else {
                    weaknesses.map { "<p>\($0.message)</p>" }
                }
            return "<dt>\(setting.modeText), \(setting.validityText), \(setting.nameText)</dt><dd>\(texts)</dd>"
        }
        return """
            <section>
            <h2>What each setting opens</h2>
            <dl class="settings">\(items)</dl>
            </section>
            """
    }
}

extension PolicyTableReport {
    /// The answer of a cell, in a mark and in words.
    func answer(_ cell: PolicyTableCell) -> HTML {
        let text: HTML =
            switch cell.measured {
            case true?: "<span class=\"yes\"><span aria-hidden=\"true\">✓</span> accepted</span>"
            case false?: "<span class=\"no\"><span aria-hidden=\"true\">✗</span> refused</span>"
            case nil: "<span class=\"no\"><span aria-hidden=\"true\">!</span> no connection</span>"
            }
        return cell.isAsExpected
            ? text : text + " <b class=\"differs\">expected: \(cell.expected ? "accepted" : "refused")</b>"
    }
}

extension PolicySetting {
    /// What is pinned, for people.
    var modeText: String {
        switch pinning {
        case .none: "no pins"
        case .publicKey: "pinned key"
        case .certificate: "pinned certificate"
        }
    }

    /// Whether invalid certificates are let through, for people.
    var validityText: String { allowInvalidCertificates ? "invalid allowed" : "valid only" }

    /// Whether the name is compared, for people.
    var nameText: String { validatesDomainName ? "name checked" : "any name" }
}

extension String {
    /// With a capital and a full stop, as a sentence.
    var sentence: String {
        let start = prefix(1).uppercased() + dropFirst()
        return start.hasSuffix(".") ? start : start + "."
    }
}
