import BelayCertificates
import BelayTLS
import BelayTrust
import Foundation
import Testing

@testable import BelayLaboratory

@Suite("The report")
struct ReportTests {
    private static let run = Task {
        let loop = try EventLoop()
        let laboratory = try await Laboratory.start(
            on: loop, servers: LaboratoryServer.Kind.situations + PathSearchExample.kinds)
        let client = TLSClient(loop: loop)
        let run = try await PolicyTableRun.measure(in: laboratory, with: client)
        let searches = try await PathSearchExample.measure(in: laboratory, with: client)
        await laboratory.stop()
        return (run, searches)
    }

    private func page() async throws -> String {
        let (run, searches) = try await Self.run.value
        return PolicyTableReport(run, searches: searches).html
    }

    @Test("the page stands alone: nothing is loaded, nothing runs")
    func selfContained() async throws {
        let page = try await page().lowercased()
        for reference in [
            "<script", "<link", "<img", "<iframe", " src=", "@import", "url(", "=\"http", " onclick",
        ] {
            #expect(!page.contains(reference), "\(reference)")
        }
        #expect(page.utf8.count < 500_000)
        for needed in ["<!doctype html>", "lang=\"en\"", "width=device-width", "prefers-color-scheme", "<caption"] {
            #expect(page.contains(needed), "\(needed)")
        }
    }

    @Test("every element is closed in its place, every identifier is unique, and every link leads to one")
    func wellFormed() async throws {
        let page = try await page()
        let body = try #require(page.range(of: "</style>")).upperBound
        var open: [Substring] = []
        for match in page[body...].matches(of: /<(\/?)([a-z0-9]+)([^>]*)>/) {
            let (_, slash, name, rest) = match.output
            if rest.hasSuffix("/") { continue }
            if slash.isEmpty {
                open.append(name)
            } else {
                #expect(open.popLast() == name || ["html", "head"].contains(name))
            }
        }
        #expect(open.isEmpty)
        let identifiers = page.matches(of: /\bid="([^"]*)"/).map { String($0.output.1) }
        #expect(Set(identifiers).count == identifiers.count)
        // The situations, and the reasons of each cell.
        #expect(identifiers.count == 14 + 12 * 14)
        let links = Set(page.matches(of: /href="#([^"]*)"/).map { String($0.output.1) })
        #expect(links == Set(identifiers))
    }

    @Test("the table is markup that a screen reader can read: 12 rows of 14 cells, each with words")
    func table() async throws {
        let page = try await page()
        let start = try #require(page.range(of: "<table class=\"matrix\">")).lowerBound
        let end = try #require(page.range(of: "</table>")).lowerBound
        let table = page[start..<end]
        #expect(table.matches(of: /<th scope="row">/).count == 12)
        #expect(table.matches(of: /<th scope="col">/).count == 14)
        #expect(table.matches(of: /<th scope="rowgroup"/).count == 3)
        // Counted by hand in the published table: 3 + 6 + 0 + 14 + 2 + 4 + 10 + 10 + 1 + 3 + 3 + 7.
        #expect(table.matches(of: /<span class="hidden">[A-N] accepted<\/span>/).count == 63)
        #expect(table.matches(of: /<span class="hidden">[A-N] refused<\/span>/).count == 105)
        #expect(page.contains("176 of 176"))
        // 12 policies by 14 servers, and the 8 that pin without a pin.
        #expect(page.contains("The table holds 168 answers") && page.contains("which makes 8 more: 176 in all"))
    }

    @Test("the search for a path is drawn for each situation, and for the chains that are easy to get wrong")
    func searches() async throws {
        let page = try await page()
        let articles = page.components(separatedBy: "<article").dropFirst()
        #expect(articles.count == 14 + 4)
        for article in articles { #expect(article.contains("<svg class=\"graph\" role=\"img\" aria-label=\"Graph")) }
        #expect(page.contains("The anchor &#39;Old Public Root&#39; expired on "))
        #expect(page.contains("It is published at http://public-root.lab.test/issuing-authority.cer."))
        #expect(page.contains("The server sent its certificates out of order."))
    }

    @Test("a difference is shown on top, in the table and at the cell's reasons")
    func difference() async throws {
        let run = try await Self.run.value.0
        let cells = run.cells.enumerated().map { index, cell in
            PolicyTableCell(
                setting: cell.setting, situation: cell.situation, hasEmptyPinSet: cell.hasEmptyPinSet,
                expected: index == 0 ? !cell.expected : cell.expected, outcome: cell.outcome,
                applicationBytes: cell.applicationBytes)
        }
        let page = PolicyTableReport(
            PolicyTableRun(
                situations: run.situations, authorities: run.authorities, moment: run.moment, cells: cells)
        ).html
        #expect(page.contains("1 of 176"))
        #expect(page.contains("Not as expected"))
        #expect(page.contains("A accepted, not as expected"))
        #expect(page.contains("expected: refused"))
    }

    @Test(
        "what a certificate says stays text",
        arguments: ["<script>alert(1)</script>", "\"'><b>&amp;", "a\u{202E}b\u{0}c"])
    func escaping(_ name: String) throws {
        let world = try LaboratoryWorld()
        let key = try PrivateKey.generate(.p256)
        let issuer = try CertificateIssuer.selfSigned(
            CertificateTemplate(
                subject: DistinguishedName(commonName: name, organization: name), validity: .days(1)), key: key)
        let situation = Situation(
            letter: .a, host: LaboratoryWorld.host,
            identity: try Identity(certificate: issuer.certificate, privateKey: key),
            pinned: world.authorities.privateRoot.certificate)
        let setting = try #require(PolicySetting.all.first)
        let trust = ServerTrust(
            chain: situation.chain, policies: [.tlsServer(name: try ServerName(LaboratoryWorld.host))])
        let verdict = setting.policy(pinning: [situation.pinned]).evaluate(trust)
        #expect(verdict.findings.contains { $0.found?.contains("CN=") == true })
        let evidence = PeerEvidence(
            chain: situation.chain, version: .tls13, cipherSuite: CipherSuite(code: 0x1301, name: name),
            moment: world.moment, hostLiteral: name, host: name, peerAddress: name)
        let cell = PolicyTableCell(
            setting: setting, situation: .a, hasEmptyPinSet: false, expected: true,
            outcome: .judged(verdict, evidence), applicationBytes: 0)
        let page = PolicyTableReport(
            PolicyTableRun(
                situations: [situation], authorities: world.authorities, moment: world.moment, cells: [cell])
        ).html
        #expect(!page.contains(name))
        #expect(!page.contains("<script"))
        #expect(!page.contains("><b>&amp;"))
        #expect(!page.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0 })
    }

    @Test(
        "each chain is drawn with what is wrong with it",
        arguments: [
            (Situation.Letter.a, ["pinned", "", "system anchor+not sent"]),
            (.b, ["pinned+wrong name", "", "system anchor+not sent"]),
            (.c, ["pinned+expired", "", "system anchor+not sent"]),
            (.d, ["pinned+self-signed"]), (.e, ["pinned+self-signed+wrong name"]), (.f, ["pinned+self-signed+expired"]),
            (.g, ["self-signed"]), (.h, ["wrong name", "", "system anchor+not sent"]),
            (.i, ["", "", "system anchor+not sent"]), (.j, ["", "", "pinned+not sent"]),
            (.k, ["has the pinned key", "", "system anchor+not sent"]), (.l, ["wrong name", "", "pinned+not sent"]),
            (.m, ["", "not an authority", "", "pinned+not sent"]),
            (.n, ["wrong name", "", "pinned+system anchor+not sent"]),
        ])
    func drawing(_ letter: Situation.Letter, _ marks: [String]) throws {
        let world = try LaboratoryWorld()
        let drawing = ChainDrawing(world.situation(letter), authorities: world.authorities, at: world.moment)
        #expect(drawing.nodes.map { $0.marks.map(\.text).joined(separator: "+") } == marks)
        #expect((drawing.absentPin != nil) == [.g, .h, .i, .k].contains(letter))
        let forged = drawing.nodes.filter { $0.edge == .forged }
        #expect(forged.count == (letter == .m ? 1 : 0))
    }

    @Test("text has a contrast of at least 4.5 : 1 on its ground, light and dark")
    func contrast() throws {
        let sheet = ReportStyle.sheet.text
        let colours = sheet.matches(of: /--([a-z-]+):(#[0-9a-f]{3,6})/).map {
            (String($0.output.1), String($0.output.2))
        }
        #expect(colours.count.isMultiple(of: 2))
        for scheme in [colours.prefix(colours.count / 2), colours.suffix(colours.count / 2)] {
            let values = try Dictionary(scheme.map { ($0.0, try luminance($0.1)) }) { first, _ in first }
            for (text, grounds) in [
                ("ink", ["ground", "card"]), ("soft", ["ground", "card"]), ("yes", ["yes-ground", "card"]),
                ("no", ["no-ground", "card", "ground"]), ("warn", ["warn-ground"]), ("blue", ["blue-ground", "card"]),
                ("violet", ["violet-ground"]),
            ] {
                for ground in grounds {
                    let (first, second) = (try #require(values[text]), try #require(values[ground]))
                    #expect((max(first, second) + 0.05) / (min(first, second) + 0.05) >= 4.5, "\(text) on \(ground)")
                }
            }
        }
    }

    /// Relative luminance (WCAG 2.1).
    private func luminance(_ colour: String) throws -> Double {
        var digits = colour.dropFirst().map(String.init)
        if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
        let channels = try stride(from: 0, to: 6, by: 2).map { index in
            let value = Double(try #require(UInt8(digits[index] + digits[index + 1], radix: 16))) / 255
            return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }
}
