import BelayCertificates
import Glibc

/// Where a body goes: standard output, or a file that is there whole or not at all.
struct BodyOutput: Sendable {
    /// As `--output` has it: a path, `-` for standard output whatever it is, nil for standard output unless that is a terminal
    /// and the body no text.
    let name: String?
    /// What the name stood for when the program began.
    let place: Place

    /// What a name stands for, links followed.
    enum Place: Sendable, Equatable {
        /// A descriptor that the program was started with: `/dev/stdout`, `/dev/fd/3`. Opened anew, a file behind it would lose what others
        /// have written.
        case descriptor(Int32)
        /// A device, pipe or socket: written to, and never replaced.
        case stream(String)
        /// A file, or a place for one; with the permissions of the one that is there.
        case file(String, mode_t?)
    }

    /// The file, where it is one.
    var file: String? { name == "-" ? nil : name }

    /// Whether the body goes to standard output by another of its names.
    var isStandardOutput: Bool { place == .descriptor(STDOUT_FILENO) }

    /// Finds out before anything is sent whether there is a place for the body.
    ///
    /// - Parameter name: as `--output` has it; nil where it is left out.
    init(_ name: String?) throws(InputError) {
        self.name = name
        guard let name, name != "-" else {
            place = .descriptor(STDOUT_FILENO)
            return
        }
        place = try Self.place(of: name)
        guard case .file(let path, _) = place else { return }
        if FileReading.isFolder(path) { throw Self.failure(name, "it is a folder") }
        let folder = Self.folder(of: path)
        guard access(folder, W_OK | X_OK) == 0 else { throw Self.failure(folder, Self.systemText(errno)) }
    }

    /// Whether bytes would do more to a terminal than show text.
    ///
    /// Marks that letters and pictures need (joiners, marks of direction) are text; what turns the order of others around is not.
    static func isPlainText(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        var wasReturn = false
        for scalar in text.unicodeScalars {
            // A return alone lets what follows take the place of what was shown.
            if wasReturn, scalar != "\n" { return false }
            wasReturn = scalar == "\r"
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: continue
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: return false
            default: continue
            }
        }
        return !wasReturn
    }

    /// Writes the body to where it is meant to go.
    ///
    /// A file is written under another name first, which then takes the file's place in one step. A stream takes as long as its reader
    /// lets it, also until there is one, so that it is written by a thread of its own.
    ///
    /// - Parameter limit: the most time that a stream may take; nil for no end.
    func write(_ bytes: [UInt8], within limit: Duration?) async throws(InputError) {
        let shown = name ?? "-"
        switch place {
        case .file(let path, let permissions): try Self.replace(path, by: bytes, permissions, shown)
        case .descriptor(let descriptor):
            try await Self.stream(shown, within: limit) { Console.write(bytes, to: descriptor) }
        case .stream(let path):
            try await Self.stream(shown, within: limit) {
                let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
                guard descriptor >= 0 else { return errno }
                defer { close(descriptor) }
                return Console.write(bytes, to: descriptor)
            }
        }
    }

    private static func stream(
        _ name: String, within limit: Duration?, _ body: @escaping @Sendable () -> Int32
    ) async throws(InputError) {
        switch await PatientWork.run(within: limit, body) {
        case 0?: return
        case let code?: throw failure(name, systemText(code))
        case nil:
            throw InputError(
                message: "\(printable(name)) has no reader that takes the body, and the time of '--max-time' is over",
                remedy: "Have something read it, or leave out '--max-time'.")
        }
    }

    private static func replace(
        _ path: String, by bytes: [UInt8], _ permissions: mode_t?, _ shown: String
    ) throws(InputError) {
        var random = SystemRandomNumberGenerator()
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let temporary =
            folder(of: path)
            + "/.\(name.prefix(100)).\(String(UInt64.random(in: 0...UInt64.max, using: &random), radix: 36))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(shown, systemText(errno)) }
        var failed = Console.write(bytes, to: descriptor)
        // What replaces a file keeps its permissions.
        if failed == 0, let permissions, fchmod(descriptor, permissions) != 0 { failed = errno }
        if failed == 0, fsync(descriptor) != 0 { failed = errno }
        if close(descriptor) != 0, failed == 0 { failed = errno }
        if failed == 0, rename(temporary, path) != 0 { failed = errno }
        guard failed == 0 else {
            unlink(temporary)
            throw failure(shown, systemText(failed))
        }
    }

    // MARK: - Places

    /// As many links as Linux follows (path_resolution(7)).
    private static let maximumLinks = 40

    private static func place(of name: String) throws(InputError) -> Place {
        // Followed by hand: realpath(3) knows no place where nothing is yet, and descriptors have to be noticed on the way.
        var path = name
        for _ in 0...maximumLinks {
            if let descriptor = descriptor(path) { return .descriptor(descriptor) }
            var status = stat()
            guard lstat(path, &status) == 0 else {
                guard errno == ENOENT else { throw failure(name, systemText(errno)) }
                return try missing(path, name)
            }
            switch status.st_mode & S_IFMT {
            case S_IFLNK: path = try target(of: path, name)
            case S_IFREG, S_IFDIR: return .file(path, status.st_mode & 0o7777)
            default: return .stream(path)
            }
        }
        throw failure(name, systemText(ELOOP))
    }

    /// A place where nothing is, as far as links can be read: those of /proc/*/fd lead to what has no path.
    private static func missing(_ path: String, _ name: String) throws(InputError) -> Place {
        var status = stat()
        guard stat(name, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return .file(path, nil) }
        return .stream(name)
    }

    private static func target(of link: String, _ name: String) throws(InputError) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return -1 }
            return readlink(link, base.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        guard count >= 0 else { throw failure(name, systemText(errno)) }
        let target = String(decoding: bytes.prefix(count), as: UTF8.self)
        return target.hasPrefix("/") ? target : folder(of: link) + "/" + target
    }

    /// The descriptor that a path in /proc/self/fd names, where the program was given it.
    private static func descriptor(_ path: String) -> Int32? {
        guard let last = path.split(separator: "/").last, let number = Int32(last), number >= 0,
            let own = resolved("/proc/self/fd"), resolved(folder(of: path)) == own
        else { return nil }
        let flags = fcntl(number, F_GETFD)
        // The program's own end with exec(3).
        return flags >= 0 && flags & FD_CLOEXEC == 0 ? number : nil
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
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
