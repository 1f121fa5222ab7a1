import COpenSSL

/// A SHA-256 digest (FIPS 180-4): 32 bytes, held in place.
public struct SHA256Digest: Sendable, Hashable {
    // Four words instead of an array: a digest is made for every certificate and must not cost an allocation.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The digest of `bytes`.
    public init(of bytes: [UInt8]) {
        self.init(of: bytes, in: 0..<bytes.count)
    }

    /// The digest of a part of `bytes`; a range that reaches beyond them is cut at their end.
    package init(of bytes: [UInt8], in range: Range<Int>) {
        let range = range.clamped(to: 0..<bytes.count)
        var digest: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &digest) { output in
            bytes.withUnsafeBytes { input in
                let part = UnsafeRawBufferPointer(rebasing: input[range])
                // The context lives on the stack: EVP_Digest would fetch the algorithm and allocate at every call,
                // which costs more than hashing a key does.
                var context = SHA256_CTX()
                SHA256_Init(&context)
                SHA256_Update(&context, part.baseAddress, part.count)
                SHA256_Final(output.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
            }
        }
        words = digest
    }

    /// A digest from its 32 bytes; nil where there are more or fewer.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var digest: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &digest) { $0.copyBytes(from: bytes) }
        words = digest
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: words) { Array($0) }
    }

    /// 64 lower-case hexadecimal digits.
    public var hexadecimalText: String { hexadecimal(bytes) }

    /// 44 characters of base64, as pins are written.
    public var base64Text: String { Base64.encode(bytes) }

    /// Whether all 32 bytes are the same. Digests are public, so that the time this takes tells nothing.
    public static func == (left: SHA256Digest, right: SHA256Digest) -> Bool {
        left.words.0 == right.words.0 && left.words.1 == right.words.1 && left.words.2 == right.words.2
            && left.words.3 == right.words.3
    }

    /// Hashes a part of the digest.
    public func hash(into hasher: inout Hasher) {
        // Any word of a digest is as good as all four for a table.
        hasher.combine(words.0)
    }
}

extension SHA256Digest: CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    public var description: String { hexadecimalText }
}
