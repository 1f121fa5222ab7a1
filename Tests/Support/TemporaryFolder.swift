import BelayCertificates
import Foundation

/// A folder of its own for a test, taken away with the value.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "belay-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        remove()
    }

    /// Takes the folder away now, where nobody knows when the value goes.
    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in the folder.
    package func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a file; returns its path. Whoever reads it meanwhile sees the old file or the new one, never a part: cases that run
    /// side by side write the same files.
    @discardableResult
    package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = self(name)
        try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        return file
    }

    /// Writes a file of text; returns its path.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

    /// Writes a file with a secret; returns its path.
    @discardableResult
    package func write(_ name: String, _ secret: Secret) throws -> String { try write(name, secret.bytes) }

    /// The bytes of a file.
    package func read(_ name: String) throws -> [UInt8] { try FileReading.bytes(ofFile: self(name)) }
}
