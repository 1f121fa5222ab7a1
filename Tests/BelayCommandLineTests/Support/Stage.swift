import BelayCertificates
import BelayLaboratory
import BelayTLS
import Foundation
import TestSupport

/// A laboratory with all its servers, and files for the command line: made once for all tests.
struct Stage: Sendable {
    let loop: EventLoop
    let laboratory: Laboratory
    let folder: Folder
    /// The public roots: what stands for the machine's anchors.
    let anchors: String

    static let shared = Task {
        let loop = try EventLoop()
        let laboratory = try await Laboratory.start(on: loop)
        let folder = try Folder()
        let roots = laboratory.world.authorities.systemRoots.map(\.pem).joined()
        return Stage(
            loop: loop, laboratory: laboratory, folder: folder, anchors: try folder.write("roots.pem", roots))
    }

    /// The options that a check of a laboratory server needs: where to dial, and what to trust.
    func arguments(_ kind: LaboratoryServer.Kind, path: String = "") throws -> [String] {
        let server = try laboratory.server(kind)
        return [
            "check", "https://\(server.host)\(path)", "--connect-to", "\(server.target)", "--timeout", "120",
            "--no-system-anchors", "--anchor", anchors,
        ]
    }

    /// Checks a server.
    func check(_ kind: LaboratoryServer.Kind, _ more: String...) async throws -> Program.Run {
        try await Program.run(try arguments(kind) + more)
    }
}

/// A folder for one test, gone when the last of its users is.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "belay-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and returns its path.
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        // In one step: other tests may be reading a file of this name.
        try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        return file
    }

    func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

    func write(_ name: String, _ secret: Secret) throws -> String { try write(name, secret.bytes) }
}

extension Folder {
    /// A folder for files whose names are used once.
    static let shared = SharedFolder()

    /// Made at first use.
    struct SharedFolder: Sendable {
        private let folder = Result { try Folder() }

        func write(_ name: String, _ text: String) throws -> String { try folder.get().write(name, text) }
    }
}
