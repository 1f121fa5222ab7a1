import BelayCertificates
import BelayTrust

/// A file of pins as it stands, faults included: lines of digests, certificates, or a public key.
struct PinFile {
    let name: String
    let content: Content
    /// Whether it does not count in its folder.
    let isIgnored: Bool

    enum Content {
        case lines([Line])
        case certificates([Certificate])
        case key(SPKIPin)
        case unreadable(String)
    }

    /// A line that should be a pin.
    struct Line {
        let text: String
        let number: Int
        let column: Int
    }

    init(_ bytes: [UInt8], name: String, isIgnored: Bool = false) {
        self.name = name
        self.isIgnored = isIgnored
        if let lines = Self.lines(bytes), Self.looksLikePins(lines) || !Self.isCertificate(bytes) {
            content = .lines(lines)
            return
        }
        if case .some(let set) = try? PinSet.read(bytes: bytes, name: name), let key = set.keys.first {
            content = .key(key)
            return
        }
        do throws(CertificateFileError) {
            content = .certificates(try Certificate.read(bytes: bytes, name: name))
        } catch {
            content = .unreadable("\(error)")
        }
    }

    /// Whether a file that may be something else is one of pins: certificates, a public key, or a line that is or means to be a pin.
    static func isRecognised(_ bytes: [UInt8]) -> Bool {
        isCertificate(bytes) || lines(bytes).map(looksLikePins) == true
    }

    // MARK: Kinds

    private static func isCertificate(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0x30]), (try? Certificate(der: bytes)) != nil || (try? PublicKey(der: bytes)) != nil {
            return true
        }
        let text = String(decoding: bytes.prefix(4_096), as: UTF8.self)
        return text.contains("-----BEGIN ")
            || (try? Certificate.read(bytes: bytes, name: "")) != nil
    }

    /// The lines of a text but for comments and empty ones; nil where it is no text, or PEM.
    private static func lines(_ bytes: [UInt8]) -> [Line]? {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        guard let text = String(validating: text, as: UTF8.self), !text.contains("-----BEGIN"),
            !text.unicodeScalars.contains(where: { $0.value < 9 })
        else { return nil }
        var lines: [Line] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let start = line.prefix { $0.isWhitespace }.count
            var content = line.dropFirst(start)
            while let last = content.last, last.isWhitespace { content.removeLast() }
            if content.isEmpty || content.hasPrefix("#") { continue }
            lines.append(Line(text: String(content), number: index + 1, column: start + 1))
        }
        return lines
    }

    private static func looksLikePins(_ lines: [Line]) -> Bool {
        lines.prefix(1_000).contains { line in
            let lower = line.text.prefix(16).lowercased()
            if prefixes.contains(where: { lower.hasPrefix($0) }) { return true }
            do throws(SPKIPinError) {
                _ = try SPKIPin(text: line.text)
                return true
            } catch { return error.reason != .unrecognised }
        }
    }

    private static let prefixes = [
        "sha256/", "sha-256/", "sha256:", "pin-sha256", "sha1/", "sha-1/", "sha1:", "pin-sha1",
    ]
}
