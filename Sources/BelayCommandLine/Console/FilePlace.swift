import BelayArguments
import BelayCertificates
import Glibc

/// Where files are, whatever they are called.
enum FilePlace {
    /// Refuses to write two things into one file, or over what is read.
    static func checkApart(written: [(option: String, path: String?)], read: [(option: String, path: String?)]) throws {
        for (index, (option, path)) in written.enumerated() {
            guard let path else { continue }
            for (other, taken) in written[..<index] + read[...] {
                guard let taken, taken != "-", of(path) == of(taken) else { continue }
                throw ValidationError("'\(option)' and '\(other)' are one file, '\(printable(path))'; give two")
            }
        }
    }

    /// The folder without links, and the name in it; the path itself where there is no such folder.
    private static func of(_ path: String) -> String {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let real = realpath(folder, nil) else { return path }
        defer { free(real) }
        return String(cString: real) + "/" + name
    }
}
