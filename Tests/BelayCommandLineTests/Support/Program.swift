import Foundation
import Testing

/// The built program, run as a user would.
enum Program {
    /// How a run ended.
    struct Run {
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
        let process = Process()
        process.executableURL = try executable()
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "TERM": "xterm-256color"].merging(environment) { $1 }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        let source = Pipe()
        process.standardInput = input == nil ? FileHandle.nullDevice : source
        // Before it starts: a handler that is set after the end is never called.
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        let pid = process.processIdentifier
        let limit = Task {
            try await Task.sleep(for: .seconds(60))
            kill(pid, SIGKILL)
        }
        async let outputBytes = read(output)
        async let errorBytes = read(errors)
        if let input {
            let bytes = Data(input.utf8)
            let handle = source.fileHandleForWriting
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    try? handle.write(contentsOf: bytes)
                    try? handle.close()
                    continuation.resume()
                }
            }
        }
        let run = (await outputBytes, await errorBytes)
        for await _ in ends {}
        limit.cancel()
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Run(
            status: status, output: String(decoding: run.0, as: UTF8.self),
            errors: String(decoding: run.1, as: UTF8.self)
        )
    }

    /// Runs it with arguments as they come.
    static func run(_ arguments: String...) async throws -> Run { try await run(arguments) }

    private static func read(_ pipe: Pipe) async -> Data {
        let handle = pipe.fileHandleForReading
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: handle.readDataToEndOfFile()) }
        }
    }
}
