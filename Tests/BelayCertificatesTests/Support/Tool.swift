import BelayCertificates
import Foundation
import Testing

/// A program of the machine, run to its end: the foreign opinion that tests compare with.
///
/// Foundation's `Data(contentsOf:)` leaks at every empty file and its `Process` now and then, which would hide leaks of
/// ours from the address sanitizer. So the system is called instead.
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
        let status = try spawn([program] + arguments, input: inputFile, output: outputFile, errors: errorFile)
        return Result(
            status: status,
            output: try FileReading.bytes(ofFile: outputFile),
            errors: String(decoding: try FileReading.bytes(ofFile: errorFile), as: UTF8.self))
    }

    /// Starts a program, waits for its end and returns its exit status, or -1 where a signal ended it.
    private static func spawn(_ command: [String], input: String, output: String, errors: String) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY, 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process = pid_t()
        let failure = posix_spawnp(&process, command[0], &actions, nil, &arguments, environ)
        try #require(failure == 0, "\(command[0]): \(String(cString: strerror(failure)))")
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            try #require(errno == EINTR)
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
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
    func read(_ name: String) throws -> [UInt8] { try FileReading.bytes(ofFile: self(name)) }
}
