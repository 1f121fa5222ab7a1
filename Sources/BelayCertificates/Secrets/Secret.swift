import COpenSSL
import Glibc

/// Bytes that nobody else may see: a passphrase, a private key's encoding.
///
/// They live in pages of their own, which the kernel does not write to swap space (as far as the process may lock memory)
/// or into core dumps, and are overwritten before the pages are given back, when the last copy of this value goes. Copies
/// share the pages. An `[UInt8]` or a `String` cannot promise that: Swift may copy or move them, and clears nothing.
///
/// ```swift
/// var typed: [UInt8] = readLineWithoutEcho()
/// let passphrase = Secret(taking: &typed)   // typed is overwritten and empty now
/// ```
public struct Secret: Sendable {
    private let pages: Pages

    /// Takes bytes over: they are copied into pages of their own, and the array is overwritten and emptied.
    ///
    /// Another copy of the array that somebody else holds stays as it is.
    public init(taking bytes: inout [UInt8]) {
        pages = bytes.withUnsafeBytes { source in
            Pages(count: source.count) { $0.copyMemory(from: source) }
        }
        bytes.wipe()
        bytes = []
    }

    /// Copies bytes. The original stays where it is: use ``init(taking:)`` where you can.
    public init(_ bytes: some Sequence<UInt8>) {
        var copy = Array(bytes)
        self.init(taking: &copy)
    }

    /// Copies the UTF-8 of a text, whose own memory cannot be cleared: for texts that are no secret, as in examples.
    public init(text: String) {
        self.init(text.utf8)
    }

    /// Makes pages and has them filled; what is not filled is zero.
    package init(count: Int, filling: (UnsafeMutableRawBufferPointer) -> Void) {
        pages = Pages(count: max(count, 0), filling: filling)
    }

    /// One secret after the other.
    package init(joining first: Secret, _ second: Secret) {
        self.init(count: first.count + second.count) { output in
            first.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: output[..<$0.count]).copyMemory(from: $0) }
            second.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: output[first.count...]).copyMemory(from: $0)
            }
        }
    }

    /// How many bytes there are.
    public var count: Int { pages.bytes.count }

    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }

    /// Lends the bytes. Whoever copies them has to clear the copy.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(pages) {} }
        return try body(pages.bytes)
    }

    /// Lends the bytes as an array, which is overwritten afterwards.
    package func withArray<Result, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var copy = withUnsafeBytes { Array($0) }
        defer { copy.wipe() }
        return try body(copy)
    }
}

/// The one owner of the pages.
private final class Pages: @unchecked Sendable {
    // Safe to share: the bytes are written before the initializer returns, and afterwards only when nobody holds it.
    let bytes: UnsafeRawBufferPointer
    private let base: UnsafeMutableRawPointer
    private let size: Int
    private let isMapped: Bool

    init(count: Int, filling: (UnsafeMutableRawBufferPointer) -> Void) {
        let page = max(Int(sysconf(Int32(_SC_PAGESIZE))), 4_096)
        size = max((count + page - 1) / page * page, page)
        if let pages = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), pages != MAP_FAILED
        {
            (base, isMapped) = (pages, true)
            // Best effort: a process may lock only so much, and the bytes are cleared all the same.
            _ = mlock(pages, size)
            _ = madvise(pages, size, MADV_DONTDUMP)
        } else {
            (base, isMapped) = (.allocate(byteCount: size, alignment: page), false)
            base.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        }
        filling(UnsafeMutableRawBufferPointer(start: base, count: count))
        bytes = UnsafeRawBufferPointer(start: base, count: count)
    }

    deinit {
        OPENSSL_cleanse(base, size)
        if isMapped { munmap(base, size) } else { base.deallocate() }
    }
}

extension Secret: Hashable {
    /// Compares in a time that does not tell where two secrets differ.
    public static func == (left: Secret, right: Secret) -> Bool {
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                left.count == right.count && CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }

    /// Hashes the length alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Only that it is one.
    public var description: String { "secret" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Nothing: a dump shows no part of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
