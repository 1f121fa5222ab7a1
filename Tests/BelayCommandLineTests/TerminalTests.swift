import Foundation
import Testing

@Suite("On a terminal")
struct TerminalTests {
    /// Runs the program with a terminal as standard output; where something is typed, as standard input and error too.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], columns: UInt16 = 80, typing input: String? = nil
    ) async throws -> String {
        let program = try Program.executable()
        return try await blocking { try runHere(program, arguments, environment, columns, input) }
    }

    private static func runHere(
        _ program: URL, _ arguments: [String], _ environment: [String: String], _ columns: UInt16, _ input: String?
    ) throws -> String {
        // Swift's Glibc module has neither posix_openpt nor ptsname; this is what they do on Linux.
        let leader = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var unlocked: Int32 = 0
        var number: Int32 = 0
        try #require(
            leader >= 0 && ioctl(leader, 0x4004_5431, &unlocked) == 0 && ioctl(leader, 0x8004_5430, &number) == 0)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(leader, UInt(TIOCSWINSZ), &size)
        let name = "/dev/pts/\(number)"
        let follower = open(name, O_RDWR | O_NOCTTY)
        try #require(follower >= 0)
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ["TERM": "xterm-256color"].merging(environment) { $1 }
        process.standardOutput = FileHandle(fileDescriptor: follower)
        process.standardError = FileHandle.nullDevice
        if let input {
            process.standardInput = FileHandle(fileDescriptor: follower)
            process.standardError = FileHandle(fileDescriptor: follower)
            // The terminal keeps the lines until they are asked for.
            let typed = Array(input.utf8)
            try #require(write(leader, typed, typed.count) == typed.count)
        }
        try process.run()
        close(follower)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            // A terminal whose last user has gone is an error to read from, on Linux.
            let count = read(leader, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer.prefix(count)
        }
        process.waitUntilExit()
        close(leader)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("there is colour on a terminal, none with NO_COLOR or a dumb terminal, and none in a pipe")
    func colour() async throws {
        let arguments = ["check", "http://www.shop.test"]
        #expect(try await Self.run(arguments).hasPrefix("\u{1B}[1;31mrefused\u{1B}[0m"))
        #expect(!(try await Self.run(arguments, environment: ["NO_COLOR": "1"])).contains("\u{1B}"))
        #expect(!(try await Self.run(arguments, environment: ["TERM": "dumb"])).contains("\u{1B}"))
        #expect(try await Self.run(arguments, environment: ["NO_COLOR": ""]).contains("\u{1B}["))
        #expect(!(try await Program.run(arguments)).output.contains("\u{1B}"))
        #expect(!(try await Self.run(arguments + ["--format", "json"])).contains("\u{1B}"))
    }

    @Test("lines fit the terminal's width")
    func width() async throws {
        let text = try await Self.run(["rules"], environment: ["NO_COLOR": "1"], columns: 70)
        let long = text.split(whereSeparator: \.isNewline).filter { $0.count > 70 }
        #expect(long.isEmpty, "\(long)")
    }
}
