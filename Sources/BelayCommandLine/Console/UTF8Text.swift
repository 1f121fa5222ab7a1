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
        throw InputError(
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
