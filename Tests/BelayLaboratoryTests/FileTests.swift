import BelayCertificates
import BelayLaboratory
import BelayTLS
import Foundation
import Testing

@Suite("The laboratory's files")
struct FileTests {
    /// A laboratory of one server, with its files in a new folder.
    private func run(_ body: (Laboratory, LaboratoryFiles) throws -> Void) async throws {
        try await Bench.run([.oneWay]) { bench in
            let files = try LaboratoryFiles.write(
                bench.laboratory, to: try LaboratoryFiles.makeTemporaryFolder())
            defer { files.remove() }
            try body(bench.laboratory, files)
        }
    }

    @Test("certificates, pins and identities can be read back from the files")
    func contents() async throws {
        try await run { laboratory, files in
            let world = laboratory.world
            #expect(
                try Certificate.read(contentsOf: files.path(LaboratoryFiles.anchors)) == world.authorities.systemRoots)
            for letter in Situation.Letter.allCases {
                #expect(
                    try Certificate.read(contentsOf: files.path(LaboratoryFiles.pinned(letter)))
                        == [world.situation(letter).pinned])
            }
            #expect(try Identity.read(contentsOf: files.path(LaboratoryFiles.clientPEM)) == world.client)
            let passphrase = try Data(contentsOf: URL(fileURLWithPath: files.path(LaboratoryFiles.clientPassphrase)))
            #expect(
                try Identity.read(
                    contentsOf: files.path(LaboratoryFiles.clientPKCS12), passphrase: Secret(passphrase.dropLast()))
                    == world.client)
            let leaf = try #require(try laboratory.server(.oneWay).leaf)
            let pins = try String(contentsOfFile: files.path("one-way.pins"), encoding: .utf8)
            #expect(pins.contains("sha256/\(leaf.pin)"))
        }
    }

    @Test("only their owner can read files with secrets")
    func permissions() async throws {
        try await run { laboratory, files in
            func mode(_ path: String) throws -> Int {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                return try #require(attributes[.posixPermissions] as? Int)
            }
            #expect(try mode(files.folder) == 0o700)
            for file in files.files {
                let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file.path)), as: UTF8.self)
                if text.contains("PRIVATE KEY") { #expect(file.isSecret, "\(file.name)") }
                #expect(try mode(file.path) == (file.isSecret ? 0o600 : 0o644), "\(file.name)")
            }
            #expect(files.files.filter(\.isSecret).count == 4)
        }
    }

    @Test("a folder with anything in it is refused, and nothing in it is touched")
    func notEmpty() async throws {
        try await run { laboratory, files in
            let before = try Data(contentsOf: URL(fileURLWithPath: files.path(LaboratoryFiles.clientPEM)))
            #expect(throws: LaboratoryError.folderNotEmpty(files.folder)) {
                _ = try LaboratoryFiles.write(laboratory, to: files.folder + "//")
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: files.path(LaboratoryFiles.clientPEM))) == before)
        }
    }

    @Test("a link in a file's place is not followed")
    func link() async throws {
        try await run { laboratory, files in
            let elsewhere = files.folder + "-elsewhere"
            defer { unlink(elsewhere) }
            files.remove()
            #expect(mkdir(files.folder, 0o700) == 0)
            #expect(symlink(elsewhere, files.path(LaboratoryFiles.clientPEM)) == 0)
            #expect {
                _ = try LaboratoryFiles.write(laboratory, to: files.folder)
            } throws: {
                "\($0)".contains(files.folder)
            }
            #expect(access(elsewhere, F_OK) != 0)
        }
    }

    @Test("a folder that cannot be made is an error that names it")
    func unwritable() async throws {
        try await Bench.run([.oneWay]) { bench in
            #expect {
                _ = try LaboratoryFiles.write(bench.laboratory, to: "/proc/no-such-place")
            } throws: {
                guard case .cannotWrite(let file, _) = $0 as? LaboratoryError else { return false }
                return file == "/proc/no-such-place"
            }
        }
    }

    @Test("removing the files removes the folder, but nothing of somebody else's")
    func removal() async throws {
        try await run { _, files throws in
            let own = files.path("own.txt")
            #expect(FileManager.default.createFile(atPath: own, contents: Data()))
            files.remove()
            #expect(try FileManager.default.contentsOfDirectory(atPath: files.folder) == ["own.txt"])
            unlink(own)
            files.remove()
            #expect(!FileManager.default.fileExists(atPath: files.folder))
        }
    }
}
