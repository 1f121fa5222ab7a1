import CSystem
import Glibc

/// Writes whole files so that nobody ever sees half of one, and nothing is written over by accident.
///
/// What is written goes to a new file beside the one that is meant, is brought to the disk, and takes the name in one
/// step. A file that is there stays, unless it is asked for to be replaced; links are not followed, whoever laid them.
/// Secrets are for their owner alone (mode 0600) from the first moment on.
///
/// ```swift
/// try FileWriting.write(try key.encryptedPKCS8PEM(passphrase: passphrase), to: "server.key", access: .owner)
/// ```
public enum FileWriting {
    /// Who may read a file.
    public enum Access: Sendable, Hashable {
        /// Its owner alone: mode 0600, whatever the process's mask.
        case owner
        /// Everybody whom the process's mask lets: mode 0644 at most.
        case everybody
        /// Whoever may read the file that is replaced; ``everybody`` where there is none.
        case asBefore

        fileprivate var mode: mode_t { self == .owner ? 0o600 : 0o644 }
    }

    /// Writes bytes that are no secret by themselves, for example a certificate or an encrypted key.
    ///
    /// - Parameters:
    ///   - bytes: the contents.
    ///   - path: the file.
    ///   - access: who may read it.
    ///   - replacing: whether a regular file that is there already may be replaced.
    /// - Throws: ``FileWritingError``, which names the file.
    public static func write(
        _ bytes: [UInt8], to path: String, access: Access, replacing: Bool = false
    ) throws(FileWritingError) {
        try write(to: path, access, replacing) { file in bytes.withUnsafeBytes { append($0, to: file) } }
    }

    /// Writes a text.
    ///
    /// - Throws: ``FileWritingError``, which names the file.
    public static func write(
        _ text: String, to path: String, access: Access, replacing: Bool = false
    ) throws(FileWritingError) {
        try write(Array(text.utf8), to: path, access: access, replacing: replacing)
    }

    /// Writes a secret, from its own memory, for its owner alone.
    ///
    /// - Throws: ``FileWritingError``, which names the file.
    public static func write(
        _ secret: Secret, to path: String, replacing: Bool = false
    ) throws(FileWritingError) {
        try write(to: path, .owner, replacing) { file in secret.withUnsafeBytes { append($0, to: file) } }
    }

    /// Adds bytes to the end of a file in one step, and makes it where there is none; several processes may do so at once.
    ///
    /// - Throws: ``FileWritingError``, which names the file.
    public static func append(_ bytes: [UInt8], to path: String, access: Access) throws(FileWritingError) {
        do throws(FileWritingProblem) {
            let (folder, name) = try open(folderOf: path)
            defer { close(folder) }
            _ = try check(name, in: folder, true)
            let file = openat(
                folder, name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, access.mode)
            guard file >= 0 else { throw .refused(systemText(errno)) }
            defer { close(file) }
            if let failure = bytes.withUnsafeBytes({ append($0, to: file) }) { throw failure }
            guard fsync(file) == 0 else { throw .refused(systemText(errno)) }
        } catch {
            throw FileWritingError(file: path, problem: error)
        }
    }

    /// Says whether a file could be written, before work is done for it: whether the name is free, or what has it may be
    /// replaced.
    ///
    /// - Throws: ``FileWritingError``, which names the file.
    public static func check(_ path: String, replacing: Bool = false) throws(FileWritingError) {
        do throws(FileWritingProblem) {
            let (folder, name) = try open(folderOf: path)
            defer { close(folder) }
            _ = try check(name, in: folder, replacing)
        } catch {
            throw FileWritingError(file: path, problem: error)
        }
    }

    /// Makes a folder for secrets, which only its owner can enter (mode 0700); one that is there is taken as it is.
    ///
    /// - Throws: ``FileWritingError``, which names the folder.
    public static func makeFolder(_ path: String) throws(FileWritingError) {
        if mkdir(path, 0o700) == 0 { return }
        let number = errno
        guard number == EEXIST, FileReading.isFolder(path) else {
            throw FileWritingError(file: path, problem: number == EEXIST ? .notAFolder : .refused(systemText(number)))
        }
    }

    private static func write(
        to path: String, _ access: Access, _ replacing: Bool,
        contents: (Int32) -> FileWritingProblem?
    ) throws(FileWritingError) {
        do throws(FileWritingProblem) {
            // Everything happens in one folder, by its descriptor: that somebody swaps it meanwhile changes nothing.
            let (folder, name) = try open(folderOf: path)
            defer { close(folder) }
            let before = try check(name, in: folder, replacing)
            let (file, temporary) = try create(in: folder, access)
            var failure = contents(file)
            if failure == nil, access == .asBefore, let before, fchmod(file, before) != 0 {
                failure = .refused(systemText(errno))
            }
            if failure == nil, fsync(file) != 0 { failure = .refused(systemText(errno)) }
            close(file)
            if let failure {
                unlinkat(folder, temporary, 0)
                throw failure
            }
            guard belay_rename_in_folder(folder, temporary, name, replacing ? 1 : 0) == 0 else {
                let number = errno
                unlinkat(folder, temporary, 0)
                throw number == EEXIST ? .exists : .refused(systemText(number))
            }
            // The name is on the disk too; a file system that cannot promise it has still done its part.
            _ = fsync(folder)
        } catch {
            throw FileWritingError(file: path, problem: error)
        }
    }

    private static func open(folderOf path: String) throws(FileWritingProblem) -> (Int32, String) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !name.isEmpty, name != ".", name != ".." else { throw .isFolder }
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let number = errno
            throw number == ENOENT || number == ENOTDIR ? .noFolder : .refused(systemText(number))
        }
        return (descriptor, name)
    }

    /// The permissions of the file that would be replaced; nil where there is none.
    private static func check(
        _ name: String, in folder: Int32, _ replacing: Bool
    ) throws(FileWritingProblem) -> mode_t? {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw .refused(systemText(errno))
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw .isFolder
        case S_IFLNK: throw .isSymbolicLink
        case S_IFREG:
            if !replacing { throw .exists }
            return status.st_mode & 0o777
        default: throw .isSpecial
        }
    }

    private static func create(in folder: Int32, _ access: Access) throws(FileWritingProblem) -> (Int32, String) {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<16 {
            let name = ".belay-\(String(UInt64.random(in: 0...UInt64.max, using: &generator), radix: 36)).new"
            let file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, access.mode)
            if file >= 0 {
                // A mask may take rights away, which an owner's file must not lack.
                if access == .owner { _ = fchmod(file, access.mode) }
                return (file, name)
            }
            guard errno == EEXIST else { throw .refused(systemText(errno)) }
        }
        throw .refused(systemText(EEXIST))
    }

    private static func append(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> FileWritingProblem? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(file, part.baseAddress, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .refused(systemText(errno)) }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    private static func systemText(_ number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}

/// A file that could not be written, and why.
public typealias FileWritingError = FileFailure<FileWritingProblem>

/// Why a file cannot be written. Where one was there, it is as it was.
public enum FileWritingProblem: Error, Sendable, Hashable {
    /// There is a file of that name already.
    case exists
    /// It is a folder, or names none.
    case isFolder
    /// It is a symbolic link, which is not followed.
    case isSymbolicLink
    /// It is a device, a pipe or a socket.
    case isSpecial
    /// There is no such folder to write into.
    case noFolder
    /// It is a file where a folder is needed.
    case notAFolder
    /// The system refused, with its own words.
    case refused(String)
}

extension FileWritingProblem: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .exists: "is there already and stays as it is. Choose another name, or ask for it to be replaced"
        case .isFolder: "is a folder, expected the name of a file. Name a file in it"
        case .isSymbolicLink: "is a symbolic link, which is not followed. Name the file itself"
        case .isSpecial: "is no regular file. Name a new file"
        case .noFolder: "cannot be written: there is no such folder. Make it first"
        case .notAFolder: "is a file, expected a folder. Choose another name"
        case .refused(let reason):
            "cannot be written: \(reason). Check the path, its permissions and the room on the disk"
        }
    }
}
