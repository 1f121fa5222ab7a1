import Foundation

/// The `openssl` program, the peer that says what is right.
enum OpenSSL {
    struct Failed: Error, CustomStringConvertible { let description: String }

    /// Runs it and returns what it prints.
    static func run(_ arguments: String..., input: [UInt8] = []) async throws -> String {
        try await blocking { try runHere(arguments, input) }
    }

    private static func runHere(_ arguments: [String], _ input: [UInt8]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        let output = Pipe()
        let source = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = source
        try process.run()
        try source.fileHandleForWriting.write(contentsOf: Data(input))
        try source.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(description: "openssl \(arguments)") }
        return String(decoding: data, as: UTF8.self)
    }
}
