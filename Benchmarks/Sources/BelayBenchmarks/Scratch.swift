import FoundationEssentials
import Glibc

/// Files and arguments for the programs that are measured.
enum Scratch {
    static func makeFolder() throws -> String {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/belay-bench.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw BenchmarkError("there is no folder for scratch files") }
        return String(cString: made)
    }

    static func write(_ text: String, to path: String) throws {
        // Keys are among these files.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("\(path) cannot be written") }
        emit(text, to: descriptor)
        close(descriptor)
    }

    static func remove(_ folder: String) {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Calls `body` with strings as C wants them, the end marked by a null pointer.
    static func withArguments<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) throws -> Result
    ) throws -> Result {
        var pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        return try pointers.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { throw BenchmarkError("no arguments") }
            return try body(base)
        }
    }
}
