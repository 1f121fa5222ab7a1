import Glibc

/// Reads whole files and lists folders with the system's own calls.
package enum FileReading {
    /// The most bytes that are read of a file: a hundred times the machine's bundle of anchors.
    package static let limit = 16 * 1_048_576

    /// The bytes of a file. Pipes are read to their end, so that `<(command)` and `/dev/stdin` work.
    package static func bytes(
        ofFile path: String, limit: Int = FileReading.limit
    ) throws(FileReadingError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw refusal(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw refusal(errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .isFolder }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        guard !isFile || status.st_size <= limit else { throw .tooLarge(limit: limit) }

        var result: [UInt8] = []
        // One byte more than the file has, so that its end is seen without a second buffer.
        var room = isFile ? Int(status.st_size) + 1 : 65_536
        while true {
            let start = result.count
            var failure: Int32 = 0
            let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                (count, failure) = fill(buffer, from: descriptor)
            }
            guard failure == 0 else { throw refusal(failure) }
            if start == 0 { result = part } else { result += part }
            guard result.count <= limit else { throw .tooLarge(limit: limit) }
            if part.count < room { return result }
            room = 65_536
        }
    }

    /// Reads until the buffer is full or the file ends.
    private static func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>, from descriptor: Int32) -> (Int, Int32) {
        guard let base = buffer.baseAddress else { return (0, 0) }
        var count = 0
        while count < buffer.count {
            let got = read(descriptor, base + count, buffer.count - count)
            if got == 0 { break }
            if got < 0 {
                if errno == EINTR { continue }
                return (count, errno)
            }
            count += got
        }
        return (count, 0)
    }

    /// The names in a folder, sorted by their bytes, without `.` and `..`.
    package static func names(inFolder path: String) throws(FileReadingError) -> [String] {
        guard let folder = opendir(path) else { throw errno == ENOTDIR ? .isNotFolder : refusal(errno) }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw refusal(errno) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// What stands in a folder under a name; links are looked at, not followed.
    package enum EntryKind {
        case file, folder, link
        /// A pipe, a socket, a device, or nothing.
        case other
    }

    /// What stands under a path.
    package static func kind(of path: String) -> EntryKind {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .other }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .other
        }
    }

    /// Whether a path leads to a folder.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func refusal(_ number: Int32) -> FileReadingError {
        .refused(strerror(number).map { String(cString: $0) } ?? "error \(number)")
    }
}
