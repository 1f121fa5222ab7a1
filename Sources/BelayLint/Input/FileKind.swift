import Glibc

/// What stands at a path; links are not followed.
enum FileKind {
    case file, folder, other

    init(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            self = .other
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        default: self = .other
        }
    }

    /// Whether a regular file begins as ZIP archives do; false where it cannot be read, which whoever reads it will say.
    static func isArchive(_ path: String) -> Bool {
        var status = stat()
        // Opening a pipe would take from it.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var start = [UInt8](repeating: 0, count: 4)
        let count = start.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, 4) }
        return count == 4 && (start == [0x50, 0x4B, 0x03, 0x04] || start == [0x50, 0x4B, 0x05, 0x06])
    }
}
