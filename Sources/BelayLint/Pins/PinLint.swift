import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// One look at the files of a set of pins, which count together as they do for `--pins`.
struct PinLint {
    private let known: KnownCertificates
    private var findings: [[LintFinding]]
    private let files: [PinFile]
    /// Every pin and where it stands, in the order of the files.
    private var pins: [Pin] = []

    private struct Pin {
        let digest: SHA256Digest
        let file: Int
        let line: PinFile.Line?
        let isCertificate: Bool
    }

    init(_ files: [PinFile], certificates: [Certificate]) {
        self.files = files
        let beside = files.flatMap { file -> [Certificate] in
            if case .certificates(let certificates) = file.content { return certificates }
            return []
        }
        known = KnownCertificates(certificates + beside)
        findings = Array(repeating: [], count: files.count)
    }

    /// What is wrong with each of the files.
    mutating func findAll() -> [[LintFinding]] {
        for (index, file) in files.enumerated() { read(file, index) }
        for pin in pins where !pin.isCertificate {
            for fault in PinFault.all(of: pin.digest, known) {
                note(
                    fault.rule, pin, fault.message, meaning: fault.meaning, expected: fault.expected,
                    found: pin.digest.base64Text, remedy: fault.remedy)
            }
        }
        checkRepetitions()
        checkSet()
        return findings.map { list in
            list.enumerated().sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }
                .map(\.element)
        }
    }

    // MARK: What is in a file

    private mutating func read(_ file: PinFile, _ index: Int) {
        if file.isIgnored {
            note(
                .pinFileIgnored, index, nil,
                "the file has pins, and does not count where its folder is given to '--pins'",
                meaning: "Connections are judged by the certificates of the folder alone.")
        }
        switch file.content {
        case .unreadable(let text):
            note(
                .pinFileUnreadable, index, nil, text,
                meaning: "Nothing of the file is pinned; whoever is given it refuses.")
        case .key(let pin): pins.append(Pin(digest: pin.digest, file: index, line: nil, isCertificate: false))
        case .certificates(let certificates):
            for certificate in certificates {
                pins.append(Pin(digest: certificate.pin.digest, file: index, line: nil, isCertificate: true))
            }
        case .lines(let lines):
            guard !lines.isEmpty else {
                return note(
                    .noPins, index, nil, "the file has no pin",
                    meaning: "An empty set of pins refuses every server; it never means \"no pins\".")
            }
            for line in lines { read(line, index) }
        }
    }

    private mutating func read(_ line: PinFile.Line, _ index: Int) {
        do throws(SPKIPinError) {
            let pin = try SPKIPin(text: line.text)
            pins.append(Pin(digest: pin.digest, file: index, line: line, isCertificate: false))
        } catch {
            let shown = "'\(printable(String(line.text.prefix(100))))'"
            let meaning = "No key matches the line, and a file with it is refused as a whole."
            let expected = "the SHA-256 digest of a public key in base64 or hexadecimal"
            let problem = PinText.problem(line.text)
            if error.reason == .sha1 || problem?.isOtherHash == true {
                let what = problem?.isOtherHash == true ? problem?.text : nil
                return note(
                    .pinNotSHA256, index, line, "\(shown) \(what ?? "is a SHA-1 digest")", meaning: meaning,
                    expected: expected, found: problem?.found ?? "SHA-1")
            }
            var text = "is no pin"
            if case .length(let count) = error.reason { text = "decodes to \(count) bytes; a SHA-256 digest has 32" }
            note(
                .pinEncoding, index, line, "\(shown) \(problem?.text ?? text)", meaning: meaning,
                expected: problem?.expected ?? expected, found: problem?.found,
                remedy: problem?.expected.map { "Write \($0)." })
        }
    }

    // MARK: The pins together

    private mutating func checkRepetitions() {
        var first: [SHA256Digest: [Bool: Pin]] = [:]
        for pin in pins {
            guard let earlier = first[pin.digest]?[pin.isCertificate] else {
                first[pin.digest, default: [:]][pin.isCertificate] = pin
                continue
            }
            let place = printable(files[earlier.file].name) + (earlier.line.map { ":\($0.number)" } ?? "")
            note(
                .duplicatePin, pin, "the pin \(pin.digest.base64Text) is in \(place) already",
                meaning: "The repetition is no backup: connections are judged by the one pin.")
        }
    }

    private mutating func checkSet() {
        let digests = Set(pins.map(\.digest))
        if digests.count == 1, let only = pins.first {
            note(
                .singlePin, only, "there is a single pin, and no backup",
                meaning:
                    "When the server's key changes, every connection fails until the pins of all clients are changed.")
        }
        // A pin that is nobody's may be the key that is kept for the renewal.
        guard !digests.contains(where: { !known.isLeafKey($0) }) else { return }
        let lives = pins.compactMap { pin in known.shortLife(ofLeafWith: pin.digest).map { (pin, $0) } }
        guard let (pin, days) = lives.min(by: { $0.1 < $1.1 }) else { return }
        note(
            .shortLivedLeafPin, pin, "only leaves are pinned, and the certificate of one is valid for \(days) days",
            meaning: "Connections fail at the next renewal, unless it keeps the key.")
    }

    // MARK: Notes

    private mutating func note(
        _ rule: Rule, _ pin: Pin, _ message: String, meaning: String, expected: String? = nil, found: String? = nil,
        remedy: String? = nil
    ) {
        note(
            rule, pin.file, pin.line, message, meaning: meaning, expected: expected, found: found, remedy: remedy)
    }

    private mutating func note(
        _ rule: Rule, _ file: Int, _ line: PinFile.Line?, _ message: String, meaning: String, expected: String? = nil,
        found: String? = nil, remedy: String? = nil
    ) {
        let finding = Finding(
            rule, at: .file(files[file].name, keyPath: [], line: line?.number), message, expected: expected,
            found: found, remedy: remedy)
        let position = PlistPosition(line: line?.number, column: line?.column)
        findings[file].append(LintFinding(finding, at: position, meaning: meaning))
    }
}

extension Linter {
    /// Looks at files of pins as `--pins` takes them: lines of SHA-256 digests in any usual spelling, certificates, public keys.
    ///
    /// The files are one set of pins: a pin may be repeated in another of them, and another may have its backup. Certificates among
    /// them, and those of ``certificates``, tell hashes of whole certificates from those of keys.
    public func lint(pins files: [LintInput.Document]) -> [LintedFile] {
        var run = PinLint(
            files.map { PinFile($0.bytes, name: $0.name, isIgnored: $0.isIgnored) }, certificates: certificates)
        return zip(files, run.findAll()).map { file, findings in
            LintedFile(
                file: file.name, isReadable: !findings.contains { $0.rule == .pinFileUnreadable }, findings: findings,
                justifications: [], policies: [])
        }
    }
}
