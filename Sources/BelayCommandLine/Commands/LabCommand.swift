import BelayArguments
import BelayLaboratory
import BelayTLS

/// `belay lab`: servers in good and bad states to try things on, until interrupted.
struct LabCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Start servers in good and bad states on loopback, to try things on.",
        discussion: """
            Starts a private world: authorities, and TLS servers in every state, each on a port of its own that the \
            system chooses. Prints where they are, what each is for, and the files that go with them, and runs until \
            interrupted. Without '--folder' the files are in a new temporary folder that is removed at the end.
            """,
        examples: [
            ("belay lab", "Start everything; interrupt with Ctrl-C."),
            ("belay lab --folder lab", "Keep the files in ./lab."),
            ("belay lab --format json > lab.json", "For scripts: one JSON document, once everything runs."),
        ])

    @Option(help: ArgumentHelp("Where the files go; they stay there.", valueName: "dir")) var folder: String?
    @OptionGroup var output: FormatOptions

    func run() async throws {
        let console = Console()
        let interruption = Interruption()
        let laboratory: Laboratory
        do {
            laboratory = try await Laboratory.start(on: EventLoop())
        } catch {
            throw console.fail("\(error)")
        }
        do {
            let files = try write(laboratory, console)
            defer { if folder == nil { files.remove() } }
            let report = LabReport(laboratory, files)
            switch output.format {
            case .json: try console.printJSON(report)
            case .text: try console.print(report.text(console, isTemporary: folder == nil))
            }
            await interruption.wait()
        } catch {
            await laboratory.stop()
            throw error
        }
        await laboratory.stop()
        console.note("The laboratory has stopped.")
    }

    private func write(_ laboratory: Laboratory, _ console: Console) throws -> LaboratoryFiles {
        try console.reading { () throws(LaboratoryError) in
            let folder = if let folder { folder } else { try LaboratoryFiles.makeTemporaryFolder() }
            return try LaboratoryFiles.write(laboratory, to: folder)
        }
    }
}
