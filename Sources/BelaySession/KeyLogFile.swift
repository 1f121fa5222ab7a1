import BelayCertificates
import Glibc

/// A file that keys of connections are appended to, in the form that Wireshark reads (NSS key log).
final class KeyLogFile: Sendable {
    private let descriptor: CInt

    /// Opens the file, and makes it for its owner alone where it is not there.
    init(path: String) throws(KeyLogFileError) {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw KeyLogFileError(path: path, code: errno) }
    }

    deinit { close(descriptor) }

    /// Appends a line, in one call, so that the lines of several sessions do not mix.
    func append(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}

/// A key log that cannot be written.
public struct KeyLogFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The value of `errno`.
    public let code: Int32

    /// What is wrong.
    public var description: String {
        let text = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return "the key log '\(printable(path))' cannot be opened: \(text)"
    }
}
