import BelayCertificates

/// Pins as people keep them: certificates, keys, and lines of digests in any usual spelling, from files and folders.
///
/// ```swift
/// let pins = try PinSet.read(paths: ["pins.txt", "Certificates/"])
/// let policy = SecurityPolicy(
///     pinningMode: .publicKey, pinnedCertificates: pins.certificates, pinnedKeys: pins.keys)
/// ```
///
/// A digest is the SHA-256 of a SubjectPublicKeyInfo, alone or in one of the dresses in which other programs want it:
/// base64, base64url, 64 hexadecimal digits (with or without colons); bare, after `sha256/` or `sha256//`, or as
/// `pin-sha256="…"`. Lines may be empty or comments that begin with `#`.
public struct PinSet: Sendable, Hashable {
    /// Pinned certificates.
    public var certificates: [Certificate]
    /// Pinned keys that were given without a certificate.
    public var keys: Set<SPKIPin>

    /// Puts a set together.
    public init(certificates: [Certificate] = [], keys: Set<SPKIPin> = []) {
        self.certificates = certificates
        self.keys = keys
    }

    /// Whether nothing is pinned.
    public var isEmpty: Bool { certificates.isEmpty && keys.isEmpty }

    /// Reads files and folders and unites what they hold.
    ///
    /// - Throws: ``PinSetError``, which names the file, where one cannot be read or holds no pin.
    public static func read(paths: [String]) throws(PinSetError) -> PinSet {
        var set = PinSet()
        for path in paths {
            let part = FileReading.isFolder(path) ? try read(folder: path) : try read(file: path)
            for certificate in part.certificates where !set.certificates.contains(certificate) {
                set.certificates.append(certificate)
            }
            set.keys.formUnion(part.keys)
        }
        return set
    }

    private static func read(folder: String) throws(PinSetError) -> PinSet {
        do throws(CertificateFileError) {
            return PinSet(certificates: try Certificate.readAll(inFolder: folder))
        } catch {
            throw PinSetError(file: error.file, line: nil, reason: .file(error.description))
        }
    }

    private static func read(file: String) throws(PinSetError) -> PinSet {
        let bytes: [UInt8]
        do throws(FileReadingError) {
            bytes = try FileReading.bytes(ofFile: file)
        } catch {
            throw PinSetError(file: file, line: nil, reason: .file("\(printable(file)): \(error)"))
        }
        return try read(bytes: bytes, name: file)
    }

    /// Reads the contents of a file; `name` stands in errors.
    ///
    /// - Throws: ``PinSetError`` where there is no pin, or something that is none.
    public static func read(bytes: [UInt8], name: String) throws(PinSetError) -> PinSet {
        if let lines = try pinLines(bytes, name) { return lines }
        if let key = publicKey(bytes) { return PinSet(keys: [key]) }
        do throws(CertificateFileError) {
            return PinSet(certificates: try Certificate.read(bytes: bytes, name: name))
        } catch {
            throw PinSetError(file: name, line: nil, reason: .file(error.description))
        }
    }

    /// Pins in a file of lines; nil where it is none, because it is binary, PEM or nothing in it looks like a pin.
    private static func pinLines(_ bytes: [UInt8], _ name: String) throws(PinSetError) -> PinSet? {
        let withoutMark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        guard let text = String(validating: withoutMark, as: UTF8.self), !text.contains("-----BEGIN") else {
            return nil
        }
        var keys: Set<SPKIPin> = []
        var firstError: PinSetError?
        var looksLikePins = false
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = trimmed(line)
            if content.isEmpty || content.hasPrefix("#") { continue }
            do throws(SPKIPinError) {
                keys.insert(try SPKIPin(text: String(content)))
                looksLikePins = true
            } catch {
                looksLikePins = looksLikePins || error.reason != .unrecognised
                firstError = firstError ?? PinSetError(file: name, line: index + 1, reason: .pin(error))
            }
        }
        guard looksLikePins else { return nil }
        if let firstError { throw firstError }
        return PinSet(keys: keys)
    }

    private static func trimmed(_ line: Substring) -> Substring {
        var line = line
        while let first = line.first, first.isWhitespace { line.removeFirst() }
        while let last = line.last, last.isWhitespace { line.removeLast() }
        return line
    }

    /// The pin of a public key in PEM or DER.
    private static func publicKey(_ bytes: [UInt8]) -> SPKIPin? {
        if let key = try? PublicKey(der: bytes) { return key.pin }
        guard let blocks = try? PEM.blocks(in: bytes), blocks.count == 1, blocks[0].label == "PUBLIC KEY" else {
            return nil
        }
        return (try? PublicKey(der: blocks[0].der))?.pin
    }
}

/// Why a file gives no pins.
public struct PinSetError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// A line that is no pin.
        case pin(SPKIPinError)
        /// The file as a whole, in words that name it.
        case file(String)
    }

    /// The file.
    public let file: String
    /// The line, counted from 1; nil where the file as a whole is meant.
    public let line: Int?
    /// What is wrong.
    public let reason: Reason
}

extension PinSetError: CustomStringConvertible {
    /// The file, the line, what is wrong and what is wanted.
    public var description: String {
        switch reason {
        case .pin(let error): "\(printable(file)):\(line.map { "\($0):" } ?? "") \(error)"
        case .file(let text): text
        }
    }
}
