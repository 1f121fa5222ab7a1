import BelayCertificates

/// URLs as they were read lately: programs ask for the same few again and again, and reading one strictly costs as much as the
/// rest of a small request.
///
/// What is remembered is what ``SessionURL`` made of a text against one base, which is the same whenever it is asked.
final class RecentURLs: Sendable {
    private let base: SessionURL?
    private let known = Protected<[Octets: SessionURL]>([:])

    /// More are not kept, nor are long ones.
    private static let capacity = 256
    private static let maximumLength = 512

    init(base: SessionURL?) {
        self.base = base
    }

    /// Reads a URL, or resolves a reference against the base.
    ///
    /// - Throws: ``SessionURLError``; failures are not remembered.
    func url(_ text: String) throws(SessionURLError) -> SessionURL {
        let key = Octets(text: text)
        if let url = known.withLock({ $0[key] }) { return url }
        let url = if let base { try base.resolving(text) } else { try SessionURL(text) }
        // Queries carry tokens, and seldom come again.
        if text.utf8.count <= Self.maximumLength, url.query == nil {
            known.withLock { known in
                if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
                known[key] = url
            }
        }
        return url
    }
}

/// A text by its bytes.
private struct Octets: Hashable, Sendable {
    let text: String

    static func == (first: Self, second: Self) -> Bool { first.text.hasSameBytes(as: second.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
