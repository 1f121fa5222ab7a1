import BelayLaboratory
import Foundation
import Testing

@testable import BelayCommandLine

@Suite("belay lab")
struct LabTests {
    /// A laboratory in a process of its own.
    private struct Running {
        let process: Process
        let report: [String: Any]
        let ended: Task<Void, Never>

        /// Starts it, and waits until it has said where everything is.
        static func start(_ arguments: [String]) async throws -> Running {
            let process = Process()
            process.executableURL = try Program.executable()
            process.arguments = ["lab", "--format", "json"] + arguments
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in continuation.finish() }
            let ended = Task { for await _ in stream {} }
            try process.run()
            let pid = process.processIdentifier
            let limit = Task {
                try await Task.sleep(for: .seconds(60))
                kill(pid, SIGKILL)
            }
            defer { limit.cancel() }
            let handle = output.fileHandleForReading
            let text = await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    var text = Data()
                    // The document ends with a brace in the first column; the process goes on.
                    while !text.hasSuffix("\n}\n"), case let part = handle.availableData, !part.isEmpty { text += part }
                    continuation.resume(returning: text)
                }
            }
            let report = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
            return Running(process: process, report: report, ended: ended)
        }

        /// Sends a signal and returns the status it ends with.
        func stop(_ signal: Int32) async -> Int32 {
            kill(process.processIdentifier, signal)
            await ended.value
            return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        }
    }

    @Test("it runs until it is interrupted, and takes its temporary files with it", arguments: [SIGINT, SIGTERM])
    func interruption(_ signal: Int32) async throws {
        let running = try await Running.start([])
        let folder = try #require(running.report["folder"] as? String)
        let files = try #require(running.report["files"] as? [[String: Any]]).compactMap { $0["path"] as? String }
        #expect(files.count > 10)
        for file in files { #expect(FileManager.default.fileExists(atPath: file)) }
        #expect(running.process.isRunning)
        #expect(await running.stop(signal) == 0)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("a folder that was asked for stays")
    func folder() async throws {
        let folder = try Folder()
        let running = try await Running.start(["--folder", "\(folder.path)/lab"])
        // While it runs, and after it: nobody's files are replaced.
        let identity = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/lab/client.p12"))
        func second() async throws {
            let run = try await Program.run("lab", "--folder", "\(folder.path)/lab/")
            #expect(run.status == 3 && run.output.isEmpty)
            #expect(run.errors.contains("\(folder.path)/lab is not empty"), "\(run.errors)")
        }
        try await second()
        #expect(await running.stop(SIGINT) == 0)
        try await second()
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/lab/client.p12")) == identity)
    }

    @Test("the good server comes first, and what it prints to try holds a policy of pins that is met")
    func text() async throws {
        let stage = try await Stage.shared.value
        #expect(stage.laboratory.servers.first?.kind == .oneWay)
        let files = try LaboratoryFiles.write(stage.laboratory, to: try LaboratoryFiles.makeTemporaryFolder())
        defer { files.remove() }
        let text = LabReport(stage.laboratory, files).text(Console(), isTemporary: true)
        #expect(text.contains("accepted with the client identity, no connection without"))
        #expect(text.contains("refused: pin.mismatch with --pins pinned-a.pem"))
        let line = try #require(text.split(separator: "\n").first { $0.hasSuffix("one-way.pins") })
        let run = try await Program.run(line.split(separator: " ").dropFirst().map(String.init))
        #expect(run.status == 0 && run.output.contains("a pinned key is on it"))
    }

    @Test("the command line that it prints for each server gives the answer that it announces")
    func checks() async throws {
        let running = try await Running.start([])
        let servers = try #require(running.report["servers"] as? [[String: Any]])
        #expect(servers.count == LaboratoryServer.Kind.allCases.count)
        // Those that are wrong in HTTP make the same handshake, all of them.
        let faults = LaboratoryServer.Kind.faults.dropFirst().map(\.id)
        for server in servers {
            let id = try #require(server["id"] as? String)
            if faults.contains(id) { continue }
            let command = try #require(server["check"] as? [String])
            let expected = try #require(server["expected"] as? String)
            #expect(command.first == "belay")
            let run = try await Program.run(Array(command.dropFirst()))
            // A server that showed nothing gets no verdict.
            let status: Int32 = expected.hasPrefix("accepted") ? 0 : expected.hasPrefix("refused") ? 1 : 3
            #expect(run.status == status, "\(id): \(expected)\n\(run.output)\n\(run.errors)")
            // The rule is the word behind the colon; the options that it takes may follow.
            if expected.hasPrefix("refused: ") {
                let rule = try #require(expected.dropFirst(9).split(separator: " ").first)
                #expect(run.output.contains(rule), "\(id)")
            }
        }
        #expect(await running.stop(SIGINT) == 0)
    }

    @Test("a folder that cannot be made is an error that names it")
    func unwritable() async throws {
        let run = try await Program.run("lab", "--folder", "/proc/no-such-place")
        #expect(run.status == 3)
        #expect(run.errors.contains("/proc/no-such-place"))
    }
}

extension Data {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count) == Data(text.utf8) }
}
