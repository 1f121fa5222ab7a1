/// A key as Apple's systems compare keys: unit by unit, nothing normalised.
///
/// (Swift takes canonically equivalent strings for equal, so that a key with the sign of the kelvin in place of a K would be one of
/// those that count.)
struct LiteralKey: Hashable, Sendable {
    let text: String

    init(_ text: some StringProtocol) { self.text = String(text) }

    static func == (left: LiteralKey, right: LiteralKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Letters of ASCII in lower case; everything else as it is.
func lowercasedASCII(_ text: some StringProtocol) -> String {
    guard text.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return String(text) }
    return String(decoding: text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
}
