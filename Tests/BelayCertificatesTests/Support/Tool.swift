import Foundation
import Testing

/// A program of the machine, run to its end: the foreign opinion that tests compare with.
enum Tool {
    struct Result {
        let status: Int32
        let output: [UInt8]
        let errors: String
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Runs a program with arguments; `input` goes to its standard input.
    static func run(_ program: String, _ arguments: [String], input: [UInt8] = []) throws -> Result {
        let folder = try TemporaryFolder()
        // Files instead of pipes: no program can block on a full one.
        let inputFile = try folder.write("input", input)
        let outputFile = try folder.write("output", [])
        let errorFile = try folder.write("errors", [])
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputFile))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: outputFile))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errorFile))
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: Array(try Data(contentsOf: URL(fileURLWithPath: outputFile))),
            errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: errorFile)), as: UTF8.self))
    }

    /// Runs `openssl`; anything but success fails the test.
    @discardableResult
    static func openssl(_ arguments: String..., input: [UInt8] = []) throws -> Result {
        let result = try run("openssl", arguments, input: input)
        try #require(result.status == 0, "openssl \(arguments.joined(separator: " ")): \(result.errors)")
        return result
    }
}

/// A folder of its own for a test, taken away with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "belay-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in the folder.
    func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a file; returns its path.
    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = self(name)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Writes a file of text; returns its path.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

    /// The bytes of a file.
    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: self(name)))) }
}
