import Foundation

/// The descriptors that this process has open, from /proc/self/fd.
package enum Descriptors {
    /// What those of a kind (`socket:`, `anon_inode:`, a path) refer to, by their numbers.
    package static func open(_ kind: String = "") -> [Int: String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        var found: [Int: String] = [:]
        for name in names {
            // The one that lists the folder is gone by now.
            guard let number = Int(name),
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"),
                target.hasPrefix(kind)
            else { continue }
            found[number] = target
        }
        return found
    }
}
