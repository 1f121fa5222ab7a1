import Foundation
import TestSupport

/// The TCP sockets of this machine as the kernel lists them (proc(5), /proc/net/tcp), joined with the descriptors of this process.
package enum SocketTable {
    /// How many sockets this process holds that are connected to a port, from the client's side.
    package static func held(toPort port: UInt16) -> Int {
        let held = Set(Descriptors.open("socket:").values.map { String($0.dropFirst(8).dropLast()) })
        let connected = rows().compactMap { row -> String? in
            guard row.count > 9, let remote = row[2].split(separator: ":").last else { return nil }
            return UInt16(remote, radix: 16) == port ? String(row[9]) : nil
        }
        // The kernel may list a socket twice while others come and go.
        return held.intersection(connected).count
    }

    private static func rows() -> [[Substring]] {
        // Reading them as files of a known size would end after the first page.
        guard let handle = FileHandle(forReadingAtPath: "/proc/net/tcp"), let data = try? handle.readToEnd() else {
            return []
        }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
    }
}
