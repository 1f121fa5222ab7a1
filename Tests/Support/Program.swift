import Foundation

/// The built program, run as a user would.
package enum Program {
    /// How a run ended.
    package struct Run: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String

        /// The output as JSON.
        package func json() throws -> [String: Any] {
            let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
            guard let object = value as? [String: Any] else { throw NoObject(output: output) }
            return object
        }
    }

    package struct NoObject: Error {
        package let output: String
    }

    package struct NotBuilt: Error, CustomStringConvertible {
        let places: [String]
        package var description: String { "no built 'belay' in \(places.joined(separator: ", "))" }
    }

    /// Beside the tests' own executable, wherever the build put that.
    package static func executable() throws -> URL {
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
    package static func run(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) async throws -> Run {
        let result = try await Tool.finish(
            try executable().path, arguments, input: Array((input ?? "").utf8),
            environment: ["PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "ASAN_OPTIONS": sanitizing]
                .merging(environment) { $1 })
        return Run(status: result.status, output: result.text, errors: result.errors)
    }

    /// For a program that was built with the address sanitizer. It ends by `exit` wherever it stands, with objects that only
    /// registers know, which are no leaks; and freed memory that is held back would pass for growth.
    package static let sanitizing = "detect_leaks=0:quarantine_size_mb=1"

    /// Runs it with arguments as they come.
    package static func run(_ arguments: String...) async throws -> Run { try await run(arguments) }
}
