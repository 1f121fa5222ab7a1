import Foundation

/// A program of the machine, run to its end: the foreign opinion that tests compare with.
package enum Tool {
    /// How a run ended.
    package struct Result: Sendable {
        package let status: Int32
        package let output: [UInt8]
        package let errors: String
        package var text: String { String(decoding: output, as: UTF8.self) }
        /// Both outputs, for programs that are not particular about which they use.
        package var all: String { text + errors }
    }

    /// A program that should have succeeded.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// Runs a program with arguments; `input` goes to its standard input. It blocks its thread.
    ///
    /// Foundation's `Data(contentsOf:)` leaks at every empty file and its `Process` now and then, which would hide leaks of ours from
    /// the address sanitizer. So the system is called instead.
    package static func run(_ program: String, _ arguments: [String], input: [UInt8] = []) throws -> Result {
        let files = try Files(input: input)
        return try files.result(status: Launch.runToEnd([program] + arguments, files))
    }

    /// Runs a program with arguments, and lets other tasks run meanwhile.
    ///
    /// - Parameters:
    ///   - keepsInputOpen: whether the program sees no end of its input, which has to be small then.
    ///   - environment: the program's whole environment; the tests' own when nil.
    ///   - limit: how long it may take; it is killed then.
    package static func finish(
        _ program: String, _ arguments: [String], input: [UInt8] = [], keepsInputOpen: Bool = false,
        environment: [String: String]? = nil, limit: Duration = .seconds(60)
    ) async throws -> Result {
        await Gate.programs.enter()
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(
                try await finishNow(
                    program, arguments, input: input, keepsInputOpen: keepsInputOpen, environment: environment,
                    limit: limit))
        } catch {
            result = .failure(error)
        }
        await Gate.programs.leave()
        return try result.get()
    }

    private static func finishNow(
        _ program: String, _ arguments: [String], input: [UInt8], keepsInputOpen: Bool, environment: [String: String]?,
        limit: Duration
    ) async throws -> Result {
        let files = try Files(input: input)
        var pipe: [Int32] = [-1, -1]
        if keepsInputOpen {
            guard Foundation.pipe(&pipe) == 0, write(pipe[1], input, input.count) == input.count else {
                throw Failed(description: "pipe: \(String(cString: strerror(errno)))")
            }
            for descriptor in pipe { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
        defer { for descriptor in pipe where descriptor >= 0 { close(descriptor) } }
        let child = try Launch.start(
            [program] + arguments, files, input: keepsInputOpen ? pipe[0] : nil, environment: environment)
        let guardian = Task {
            try await Task.sleep(for: limit)
            kill(child, SIGKILL)
        }
        // Not to be cancelled: the process would go on without anybody.
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Launch.end(of: child)) }
        }
        guardian.cancel()
        return try files.result(status: status)
    }

    /// Runs `openssl`; anything but success is an error.
    @discardableResult
    package static func openssl(_ arguments: String..., input: [UInt8] = []) throws -> Result {
        try succeed("openssl", arguments, input: input)
    }

    /// Runs a program; anything but success is an error.
    @discardableResult
    package static func succeed(_ program: String, _ arguments: [String], input: [UInt8] = []) throws -> Result {
        let result = try run(program, arguments, input: input)
        guard result.status == 0 else {
            throw Failed(description: "\(program) \(arguments.joined(separator: " ")): \(result.errors)")
        }
        return result
    }

    /// The files that a program reads and writes: no program can block on them, as it could on a full pipe.
    struct Files {
        let input: String
        let output: String
        let errors: String
        private let folder: TemporaryFolder

        init(input bytes: [UInt8]) throws {
            folder = try TemporaryFolder()
            input = try folder.write("input", bytes)
            output = try folder.write("output", [])
            errors = try folder.write("errors", [])
        }

        /// What came of the program; a signal counts as 128 and its number, as in a shell.
        func result(status: Int32) throws -> Result {
            Result(
                status: status, output: try folder.read("output"),
                errors: String(decoding: try folder.read("errors"), as: UTF8.self))
        }
    }
}
