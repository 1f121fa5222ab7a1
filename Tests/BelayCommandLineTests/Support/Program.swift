import Foundation
import Testing

/// The built program, run as a user would.
enum Program {
    /// How a run ended.
    struct Run: Sendable {
        let status: Int32
        let output: String
        let errors: String

        /// The output as JSON.
        func json() throws -> [String: Any] {
            let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
            return try #require(value as? [String: Any])
        }
    }

    struct NotBuilt: Error, CustomStringConvertible {
        let places: [String]
        var description: String { "no built 'belay' in \(places.joined(separator: ", "))" }
    }

    /// Beside the tests' own executable, wherever the build put that.
    static func executable() throws -> URL {
        let places = [
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "",
            CommandLine.arguments.first ?? "", Bundle.main.executablePath ?? "",
        ].map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let candidates = places + places.map { $0.deletingLastPathComponent() } + loadedTestBundles()
        for place in candidates {
            let file = place.appendingPathComponent("belay")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        throw NotBuilt(places: candidates.map(\.path))
    }

    /// Where the test bundle was loaded from, when another program runs it.
    private static func loadedTestBundles() -> [URL] {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return [] }
        let files = maps.split(separator: "\n").compactMap { line in
            line.firstIndex(of: "/").map { String(line[$0...]) }
        }
        return Set(files.filter { $0.hasSuffix(".xctest") }).map {
            URL(fileURLWithPath: $0).deletingLastPathComponent()
        }
    }

    /// Runs it and waits for its end, at most a minute.
    ///
    /// - Parameter environment: settings beside a plain environment; nothing of the tests' own environment counts.
    static func run(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) async throws -> Run {
        let executable = try executable()
        await Gate.programs.enter()
        let result: Result<Run, any Error>
        do {
            result = .success(
                try await blocking { try runHere(executable, arguments, input: input, environment: environment) })
        } catch {
            result = .failure(error)
        }
        await Gate.programs.leave()
        return try result.get()
    }

    private static func runHere(
        _ executable: URL, _ arguments: [String], input: String?, environment: [String: String]
    ) throws -> Run {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "TERM": "xterm-256color"].merging(environment) { $1 }
        let output = Pipe()
        let errors = Pipe()
        let source = Pipe()
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = input == nil ? FileHandle.nullDevice : source
        try process.run()
        let pid = process.processIdentifier
        let limit = DispatchWorkItem { kill(pid, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: limit)
        let complaints = Reader(errors)
        if let input {
            let writer = source.fileHandleForWriting
            Thread.detachNewThread {
                try? writer.write(contentsOf: Data(input.utf8))
                try? writer.close()
            }
        }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let errorText = complaints.wait()
        process.waitUntilExit()
        limit.cancel()
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Run(
            status: status, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: errorText, as: UTF8.self))
    }

    /// Runs it with arguments as they come.
    static func run(_ arguments: String...) async throws -> Run { try await run(arguments) }

    /// Reads a pipe to its end in a thread of its own.
    private final class Reader: @unchecked Sendable {
        // `data` is written before `done` is signalled and read after it was waited for.
        private var data = Data()
        private let done = DispatchSemaphore(value: 0)

        init(_ pipe: Pipe) {
            let handle = pipe.fileHandleForReading
            Thread.detachNewThread { [self] in
                data = handle.readDataToEndOfFile()
                done.signal()
            }
        }

        func wait() -> Data {
            done.wait()
            return data
        }
    }
}
