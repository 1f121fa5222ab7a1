import BelayCertificates
import Glibc

/// Where a body goes: standard output, or a file that is there whole or not at all.
struct BodyOutput: Sendable {
    /// As `--output` has it: a path, `-` for standard output whatever it is, nil for standard output unless that is a terminal
    /// and the body no text.
    let name: String?

    /// The file, where it is one.
    var file: String? { name == "-" ? nil : name }

    /// Finds out before anything is sent whether there is a place for the body.
    func check() throws(InputError) {
        guard let file else { return }
        if FileReading.isFolder(file) { throw Self.failure(file, "it is a folder") }
        guard Self.place(of: file) != nil else { return }
        let folder = Self.folder(of: Self.target(of: file))
        guard access(folder, W_OK | X_OK) == 0 else { throw Self.failure(folder, Self.systemText(errno)) }
    }

    /// Whether bytes would do more to a terminal than show text.
    static func isPlainText(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "\n", "\r", "\t": true
            default: scalar.properties.generalCategory != .control
            }
        }
    }

    /// Writes the file: under another name first, which then takes the file's place in one step.
    static func write(_ bytes: [UInt8], to file: String) throws(InputError) {
        guard let mode = place(of: file) else { return try writeThrough(bytes, to: file) }
        let target = target(of: file)
        var random = SystemRandomNumberGenerator()
        let name = target.split(separator: "/").last.map(String.init) ?? target
        let temporary =
            folder(of: target)
            + "/.\(name.prefix(100)).\(String(UInt64.random(in: 0...UInt64.max, using: &random), radix: 36))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(file, systemText(errno)) }
        var failed = Console.write(bytes, to: descriptor)
        // What replaces a file keeps its permissions.
        if failed == 0, let mode = mode.permissions, fchmod(descriptor, mode) != 0 { failed = errno }
        if failed == 0, fsync(descriptor) != 0 { failed = errno }
        if close(descriptor) != 0, failed == 0 { failed = errno }
        if failed == 0, rename(temporary, target) != 0 { failed = errno }
        guard failed == 0 else {
            unlink(temporary)
            throw failure(file, systemText(failed))
        }
    }

    /// A place that can be taken in one step.
    private struct Place {
        /// Those of the file that is there; nil where there is none.
        let permissions: mode_t?
    }

    /// Nil for devices and pipes, which are written to and never replaced.
    private static func place(of file: String) -> Place? {
        var status = stat()
        guard stat(file, &status) == 0 else { return Place(permissions: nil) }
        return status.st_mode & S_IFMT == S_IFREG ? Place(permissions: status.st_mode & 0o7777) : nil
    }

    private static func writeThrough(_ bytes: [UInt8], to file: String) throws(InputError) {
        let descriptor = open(file, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(file, systemText(errno)) }
        defer { close(descriptor) }
        let failed = Console.write(bytes, to: descriptor)
        guard failed == 0 else { throw failure(file, systemText(failed)) }
    }

    /// The file itself, where the name is that of a link to it.
    private static func target(of file: String) -> String {
        guard let resolved = realpath(file, nil) else { return file }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    private static func failure(_ path: String, _ detail: String) -> InputError {
        InputError(
            message: "\(printable(path)) cannot be written: \(detail)",
            remedy: "Give '--output' a file in a folder that can be written to.")
    }

    private static func systemText(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
