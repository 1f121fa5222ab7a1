import Foundation
import TestSupport
import Testing

/// What a release build must not offer: asked of the compiler, since that is what refuses.
@Suite("Debug-only trust")
struct ReleaseBuildTests {
    /// The program that somebody forgot to take out.
    private static let program = """
        import BelayTrust

        let trust = DebugTrust(anchors: [], hosts: [])
        print(trust.hosts.count)
        """

    /// The same with the overlay where it belongs.
    private static let guarded = """
        import BelayTrust

        #if DEBUG
        let trust = DebugTrust(anchors: [], hosts: [])
        print(trust.hosts.count)
        #else
        print(ServerTrust(chain: [], policies: []).chain.count)
        #endif
        """

    @Test(
        "a release build that asks for it does not compile; a debug build does, and both do where '#if DEBUG' guards it"
    )
    func compiler() async throws {
        #if DEBUG
        let debug = try Module(built: ["-Onone", "-DDEBUG"])
        #expect(try await debug.compile(Self.program).status == 0)
        #expect(try await debug.compile(Self.guarded).status == 0)
        #endif
        let release = try await Module(building: ["-O"])
        let refused = try await release.compile(Self.program)
        #expect(refused.status != 0)
        #expect(refused.all.contains("cannot find 'DebugTrust' in scope"), "\(refused.all)")
        let accepted = try await release.compile(Self.guarded)
        #expect(accepted.status == 0, "\(accepted.all)")
        // Asking for it by a setting of the program alone brings nothing back: the library has no such type.
        #expect(try await release.compile(Self.program, settings: ["-DDEBUG"]).status != 0)
    }

    /// The library's interface, and how programs are compiled against it.
    private struct Module {
        private let folder: TemporaryFolder
        private let settings: [String]
        private let places: [String]

        private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        private static let limit = Duration.seconds(240)

        /// What SwiftPM calls the package that its folder's name stands for: what modules share as `package` is found
        /// under this name alone, and people clone into folders of any name.
        private static let packageName = String(
            URL(fileURLWithPath: package).lastPathComponent.lowercased().enumerated().map { index, character in
                let fits = character.isLetter || character == "_" || (index > 0 && character.isNumber)
                return fits ? character : "_"
            })

        /// The one that the tests were built with.
        init(built settings: [String]) throws {
            self.settings = settings
            folder = try TemporaryFolder()
            let modules = try Program.executable().deletingLastPathComponent().appendingPathComponent("Modules").path
            let headers = [modules, "CIDN2", "CPSL", "COpenSSL", "CP11"].flatMap { place in
                ["-I", place.hasPrefix("/") ? place : "\(Self.package)/Sources/\(place)"]
            }
            // The map of a C target of the package's own is made by the build.
            let made = try Program.executable().deletingLastPathComponent()
                .appendingPathComponent("CSystem.build/module.modulemap").path
            places = headers + ["-Xcc", "-fmodule-map-file=\(made)"]
        }

        /// One made with other settings.
        init(building settings: [String]) async throws {
            try self.init(built: settings)
            let folder = "\(Self.package)/Sources/BelayTrust"
            let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
            let sources = files.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
            // Types are all that is asked for, so that no code is made.
            let made = try await Tool.finish(
                "swiftc",
                [
                    "-emit-module", "-emit-module-path", self.folder("BelayTrust.swiftmodule"), "-module-name",
                    "BelayTrust",
                ]
                    + ["-package-name", Self.packageName, "-swift-version", "6", "-parse-as-library"]
                    + ["-Xfrontend", "-experimental-skip-all-function-bodies"] + settings + places + sources,
                limit: Self.limit)
            guard made.status == 0 else { throw Tool.Failed(description: made.all) }
        }

        /// Compiles a program against it, as far as types go; `settings` replace those that it was built with.
        func compile(_ program: String, settings: [String]? = nil) async throws -> Tool.Result {
            let file = try folder.write("main.swift", program)
            return try await Tool.finish(
                "swiftc", ["-typecheck", "-I", folder.path] + (settings ?? self.settings) + places + [file],
                limit: Self.limit)
        }
    }
}
