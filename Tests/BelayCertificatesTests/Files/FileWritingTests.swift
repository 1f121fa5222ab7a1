import BelayCertificates
import Foundation
import TestSupport
import Testing

@Suite("Writing files")
struct FileWritingTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func mode(_ name: String) throws -> Int {
        try #require(
            FileManager.default.attributesOfItem(atPath: folder(name))[.posixPermissions] as? NSNumber
        ).intValue
    }

    private func names() throws -> [String] { try FileReading.names(inFolder: folder.path) }

    @Test("A secret is for its owner alone, also where the mask would say otherwise, and nothing else is left behind")
    func modes() throws {
        let old = umask(0)
        defer { umask(old) }
        try FileWriting.write(Secret(text: "key"), to: folder("secret"))
        try FileWriting.write("encrypted", to: folder("owner"), access: .owner)
        try FileWriting.write("certificate", to: folder("everybody"), access: .everybody)
        #expect(try mode("secret") == 0o600 && mode("owner") == 0o600 && mode("everybody") == 0o644)
        #expect(try folder.read("secret") == "key".bytes)
        #expect(try names() == ["everybody", "owner", "secret"])
    }

    @Test("A file that is there stays as it is, unless it is to be replaced")
    func existing() throws {
        try folder.write("key", "old")
        #expect(throws: FileWritingError(file: folder("key"), problem: .exists)) {
            try FileWriting.write(Secret(text: "new"), to: folder("key"))
        }
        #expect(throws: FileWritingError(file: folder("key"), problem: .exists)) {
            try FileWriting.check(folder("key"))
        }
        #expect(try folder.read("key") == "old".bytes && names() == ["key"])
        try FileWriting.write(Secret(text: "new"), to: folder("key"), replacing: true)
        #expect(try folder.read("key") == "new".bytes && names() == ["key"] && mode("key") == 0o600)
    }

    @Test("A file that is replaced may keep its permissions", arguments: [0o600, 0o640, 0o755])
    func keepsPermissions(_ mode: Int) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a", "old")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        try FileWriting.write("new", to: file, access: .asBefore, replacing: true)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
        #expect(try folder.read("a") == Array("new".utf8))
        try FileWriting.write("new", to: folder("b"), access: .asBefore)
        let fresh = try FileManager.default.attributesOfItem(atPath: folder("b"))
        #expect((fresh[.posixPermissions] as? NSNumber).map { $0.intValue & ~0o644 } == 0)
    }

    @Test("Links, folders and devices are refused, also with leave to replace")
    func places() throws {
        try folder.write("target", "old")
        try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: folder("target"))
        try FileManager.default.createSymbolicLink(atPath: folder("dangling"), withDestinationPath: folder("nowhere"))
        try FileManager.default.createDirectory(atPath: folder("folder"), withIntermediateDirectories: false)
        #expect(mkfifo(folder("pipe"), 0o600) == 0)
        let cases: [(String, FileWritingProblem)] = [
            ("link", .isSymbolicLink), ("dangling", .isSymbolicLink), ("folder", .isFolder), ("pipe", .isSpecial),
            ("none/file", .noFolder), ("target/file", .noFolder), ("", .isFolder), ("..", .isFolder),
        ]
        for (name, problem) in cases {
            for replacing in [false, true] {
                #expect(throws: FileWritingError(file: folder(name), problem: problem)) {
                    try FileWriting.write(Secret(text: "new"), to: folder(name), replacing: replacing)
                }
            }
        }
        #expect(throws: FileWritingError(file: "/dev/null", problem: .isSpecial)) {
            try FileWriting.write(Secret(text: "new"), to: "/dev/null", replacing: true)
        }
        #expect(try folder.read("target") == "old".bytes)
        #expect(!FileManager.default.fileExists(atPath: folder("nowhere")))
        #expect(try names() == ["dangling", "folder", "link", "pipe", "target"])
    }

    @Test("Of many that write the same file at once, one does, whole, and the others are told")
    func race() async throws {
        let file = folder("key")
        let winners = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<16 {
                group.addTask {
                    do {
                        try FileWriting.write(Secret(repeatElement(UInt8(number), count: 100_000)), to: file)
                        return number
                    } catch { return nil }
                }
            }
            return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
        }
        #expect(winners.count == 1)
        #expect(try folder.read("key") == [UInt8](repeating: UInt8(winners[0]), count: 100_000))
        #expect(try names() == ["key"])
    }

    @Test("A full disk is told, and leaves the old file and nothing else")
    func fullDisk() throws {
        try #require(FileManager.default.fileExists(atPath: "/dev/full"))
        // A limit of the process on the size of files stands for the disk: the write fails in the middle.
        let result = try Tool.run(
            "bash",
            [
                "-c",
                """
                cd "$0"; set -o pipefail
                # Not for the pipe's other end, which writes what is said.
                (trap '' XFSZ; ulimit -f 0; exec "$1" ca init --no-passphrase --out new 2>&1) | cat
                """,
                folder.path, try Program.executable().path,
            ])
        #expect(result.status == 3 && result.text.contains("File too large"), "\(result.all)")
        #expect(try FileReading.names(inFolder: folder("new")) == [])
    }

    @Test("Lines are added at the end, by several at once")
    func appending() async throws {
        let file = folder("record")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try FileWriting.append(Array("line \(number)\n".utf8), to: file, access: .owner) }
            }
            try await group.waitForAll()
        }
        let lines = String(decoding: try folder.read("record"), as: UTF8.self).split(separator: "\n")
        #expect(Set(lines.map(String.init)) == Set((0..<20).map { "line \($0)" }) && lines.count == 20)
        #expect(try mode("record") == 0o600)
    }
}
