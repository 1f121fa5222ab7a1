import BelayCertificates

/// Tests look at secrets.
extension Secret {
    /// The bytes.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// The bytes as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
