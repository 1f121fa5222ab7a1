import BelayCertificates
import Glibc

/// Uses an identity and then looks for what is left of its secrets in this process's own memory.
///
///     memory-probe IDENTITY PASSPHRASE-FILE (keep|drop) COMPLEMENT…
///
/// Each COMPLEMENT is a secret in hexadecimal with every bit turned over, so that the question itself is not found. Prints how
/// often each was found. With `keep` the passphrase is still held while the memory is searched: it must be found then, or
/// the search is worth nothing.
@main
enum MemoryProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4 else { exit(2) }
        let patterns = arguments[4...].map { bytes(hexadecimal: $0) ?? [] }
        if arguments[3] == "keep" {
            let passphrase = try passphrase(arguments[2])
            let identity = try use(arguments[1], passphrase)
            report(patterns)
            withExtendedLifetime((passphrase, identity)) {}
        } else {
            _ = try use(arguments[1], passphrase(arguments[2]))
            _ = try write(arguments[1], passphrase(arguments[2]))
            report(patterns)
        }
    }

    private static func passphrase(_ file: String) throws -> Secret {
        var bytes = try FileReading.bytes(ofFile: file)
        while bytes.last == 0x0A { bytes.removeLast() }
        return Secret(taking: &bytes)
    }

    /// Opens the identity and signs with it.
    @inline(never)
    private static func use(_ file: String, _ passphrase: Secret) throws -> Identity {
        let identity = try Identity.read(contentsOf: file, passphrase: passphrase)
        _ = try identity.privateKey.sign([1, 2, 3], with: identity.privateKey.usualSignatureAlgorithm)
        return identity
    }

    /// Writes it in every form.
    @inline(never)
    private static func write(_ file: String, _ passphrase: Secret) throws -> Int {
        let identity = try Identity.read(contentsOf: file, passphrase: passphrase)
        let key = identity.privateKey
        return try key.pkcs8DER().count + key.pkcs8PEM().count + identity.pem().count
            + key.encryptedPKCS8PEM(passphrase: passphrase).utf8.count + identity.pkcs12(passphrase: passphrase).count
    }

    private static func report(_ patterns: [[UInt8]]) {
        var counts = [Int](repeating: 0, count: patterns.count)
        let size = 1 << 20
        let longest = patterns.map(\.count).max() ?? 1
        guard let window = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            window != MAP_FAILED
        else { exit(3) }
        let own = UInt(bitPattern: window)
        let memory = open("/proc/self/mem", O_RDONLY)
        let seen = UnsafeRawBufferPointer(start: window, count: size)
        for region in regions() where !region.contains(own) {
            var start = region.lowerBound
            while start < region.upperBound {
                let wanted = min(size, Int(region.upperBound - start))
                let got = pread(memory, window, wanted, off_t(truncatingIfNeeded: start))
                guard got > 0 else { break }
                for (index, pattern) in patterns.enumerated() where !pattern.isEmpty && pattern.count <= got {
                    for offset in 0...(got - pattern.count) where matches(pattern, seen, offset) { counts[index] += 1 }
                }
                if got < wanted || start + UInt(got) >= region.upperBound { break }
                start += UInt(got - longest + 1)
            }
        }
        print(counts.map(String.init).joined(separator: " "))
    }

    private static func matches(_ complement: [UInt8], _ memory: UnsafeRawBufferPointer, _ offset: Int) -> Bool {
        for index in complement.indices where memory[offset + index] != ~complement[index] { return false }
        return true
    }

    /// What can be read and written: the heap, stacks, and data.
    private static func regions() -> [Range<UInt>] {
        guard let text = try? FileReading.bytes(ofFile: "/proc/self/maps") else { return [] }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard words.count > 1, words[1].hasPrefix("rw"), ends.count == 2 else { return nil }
            return ends[0]..<ends[1]
        }
    }
}
