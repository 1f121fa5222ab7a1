import BelayArguments
import BelayCertificates
import BelayLaboratory
import BelayTLS
import FoundationEssentials

/// `belay demo`: the main job on a laboratory, with nothing else needed.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show the main job on a laboratory of its own: every policy meets every server.",
        discussion: """
            Starts a private world on loopback, lets twelve security policies meet fourteen servers over real TLS \
            connections, and compares each answer with the right one. Then it writes a page that explains them.

            Exit status: 0 when all answers are right, 1 when one differs.
            """,
        examples: [
            ("belay demo", "Print the table and write report.html."),
            ("belay demo --no-report", "Print the table only."),
            ("belay demo --format json", "Print the measured table for programs."),
        ])

    @Option(
        help: ArgumentHelp(
            "Where the page goes; with '--format json' it is written only when asked for.", valueName: "file"))
    var report: String?
    @Flag(help: "Write no page.") var noReport = false
    @OptionGroup var output: FormatOptions

    func validate() throws {
        if noReport, report != nil { throw ValidationError("'--report' and '--no-report' contradict each other") }
    }

    func run() async throws {
        let console = Console()
        let page = noReport || (output.format == .json && report == nil) ? nil : report ?? "report.html"
        if let page { try writing(page, console) { try FileWriting.check(page, replacing: true) } }
        let start = ContinuousClock.now
        let (run, searches) = try await measure(console)
        let duration = ContinuousClock.now - start
        switch output.format {
        case .json: try console.write(Array(run.measured().json.utf8))
        case .text: try console.print(PolicyTableText(run, duration: duration).text(console))
        }
        for difference in run.differences.compactMap(\.difference) {
            console.note("belay: \(console.noteStyle.bad("not as expected")): \(difference)")
        }
        if let page {
            let html = PolicyTableReport(run, searches: searches).html
            try writing(page, console) {
                try FileWriting.write(html, to: page, access: .everybody, replacing: true)
            }
            let message = "Report: \(absolute(page))"
            if output.format == .text { try console.print(message) } else { console.note(message) }
        }
        guard run.differences.isEmpty else { throw ExitStatus.refused }
    }

    private func measure(_ console: Console) async throws -> (PolicyTableRun, [PathSearchExample]) {
        let progress = ProgressLine(total: 176, "cells")
        do {
            let loop = try EventLoop()
            let laboratory = try await Laboratory.start(
                on: loop, servers: LaboratoryServer.Kind.situations + PathSearchExample.kinds)
            do {
                let client = TLSClient(loop: loop)
                let run = try await PolicyTableRun.measure(in: laboratory, with: client) { _ in progress.step() }
                let searches = try await PathSearchExample.measure(in: laboratory, with: client)
                await laboratory.stop()
                await progress.end()
                return (run, searches)
            } catch {
                await laboratory.stop()
                throw error
            }
        } catch {
            await progress.end()
            throw console.fail("\(error)")
        }
    }

    private func writing(_ file: String, _ console: Console, _ body: () throws -> Void) throws {
        do { try body() } catch {
            throw console.fail("\(error)\n  name another file with '--report FILE'")
        }
    }

    private func absolute(_ file: String) -> String {
        file.hasPrefix("/") ? file : "\(FileManager.default.currentDirectoryPath)/\(file)"
    }
}
