import BelayCertificates

/// Text of files and variables, which is taken as it is or not at all: a byte that is changed on the way to a server would be
/// noticed by nobody.
enum UTF8Text {
    /// The text that bytes are.
    ///
    /// - Parameters:
    ///   - source: where the bytes are from, for the message.
    ///   - start: where they begin there.
    /// - Throws: ``InputError`` with the offset of the first byte that is not UTF-8.
    static func checked(
        _ bytes: some Collection<UInt8>, of source: String, startingAt start: Int = 0, remedy: String
    ) throws(InputError) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        throw failure(bytes, source, start, remedy)
    }

    /// Sees that a secret is text, of which no other copy is made.
    ///
    /// - Throws: as ``checked(_:of:startingAt:remedy:)``, also for a zero byte, which no text of HTTP has.
    static func check(_ secret: Secret, of source: String, remedy: String) throws(InputError) {
        try secret.withUnsafeBytes { bytes throws(InputError) in
            guard validLength(bytes) == bytes.count else { throw failure(bytes, source, 0, remedy) }
            guard let zero = bytes.firstIndex(of: 0) else { return }
            throw InputError(
                message: "\(source): the byte at offset \(zero) is zero", remedy: "No password has such a byte.",
                isRemedyNews: true)
        }
    }

    private static func failure(
        _ bytes: some Collection<UInt8>, _ source: String, _ start: Int, _ remedy: String
    ) -> InputError {
        InputError(
            message: "\(source): the byte at offset \(start + validLength(bytes)) is not UTF-8", remedy: remedy,
            isRemedyNews: true)
    }

    /// How many bytes from the beginning on are whole characters.
    private static func validLength(_ bytes: some Collection<UInt8>) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var count = 0
        while case .valid(let scalar) = parser.parseScalar(from: &rest) { count += scalar.count }
        return count
    }
}
