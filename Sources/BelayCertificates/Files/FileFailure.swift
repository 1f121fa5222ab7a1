/// A problem with a file, and which file it is.
public struct FileFailure<Problem: Error & Hashable & CustomStringConvertible>: Error, Hashable {
    /// The file as it was named.
    public let file: String
    /// What is wrong with it.
    public let problem: Problem

    /// Says that a file has a problem.
    public init(file: String, problem: Problem) {
        self.file = file
        self.problem = problem
    }
}

extension FileFailure: CustomStringConvertible {
    /// The file's name, then the problem with its remedy.
    public var description: String { "\(printable(file)): \(problem)" }
}

/// Why the bytes of a file cannot be had.
public enum FileReadingError: Error, Sendable, Hashable {
    /// The system refused, with its own words (for example "No such file or directory").
    case refused(String)
    /// It is a folder where a file is needed.
    case isFolder
    /// It is a file where a folder is needed.
    case isNotFolder
    /// It is larger than what is read, with the limit in bytes.
    case tooLarge(limit: Int)
}

extension FileReadingError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .refused(let reason): "cannot be read: \(reason). Check the path and its permissions"
        case .isFolder: "is a folder, expected a file. Name a file in it"
        case .isNotFolder: "is not a folder. Name the folder that holds the files"
        case .tooLarge(let limit):
            "is larger than \(limit < 1_048_576 ? "\(limit / 1_024) KiB" : "\(limit / 1_048_576) MiB"), the most that is read. Name the certificate or key file itself"
        }
    }
}
