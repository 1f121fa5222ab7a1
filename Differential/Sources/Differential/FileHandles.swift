import Glibc

/// The standard streams.
enum FileHandles {
    static func standardError(_ text: String) {
        let octets = Array(text.utf8)
        _ = octets.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
