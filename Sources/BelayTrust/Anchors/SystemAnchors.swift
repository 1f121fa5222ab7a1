import BelayCertificates
import FoundationEssentials

/// The machine's anchors: found where distributions keep them.
public enum SystemAnchors {
    /// Loads the machine's anchors.
    ///
    /// `SSL_CERT_FILE` and `SSL_CERT_DIR` (a list separated by colons) are the whole truth where one of them is set;
    /// otherwise the first of ``standardFiles`` that exists counts, and after them the first of ``standardFolders`` that
    /// holds a certificate. A certificate in the store that is malformed is passed over and reported in
    /// ``AnchorStore/findings``.
    ///
    /// - Throws: ``SystemAnchorsError`` with the places that were searched, where no certificate is found, and where a
    ///   place that was named by a variable cannot be read.
    public static func load(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SystemAnchorsError) -> AnchorStore {
        let file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        let folders = environment["SSL_CERT_DIR"].map { $0.split(separator: ":").map(String.init) } ?? []
        if file != nil || !folders.isEmpty { return try loadNamed(file: file, folders: folders) }
        for path in standardFiles {
            guard let bytes = try? FileReading.bytes(ofFile: path) else { continue }
            let store = read([(path, bytes)], origin: path)
            if !store.certificates.isEmpty { return store }
        }
        for path in standardFolders {
            let store = read(files(inFolder: path), origin: path)
            if !store.certificates.isEmpty { return store }
        }
        throw SystemAnchorsError(searched: standardFiles + standardFolders, unreadable: nil)
    }

    /// The bundles of Debian, Ubuntu, Arch and Alpine; Fedora and its kin; Arch; openSUSE; Alpine and the BSDs.
    public static let standardFiles = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ca-certificates/extracted/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// The folders of Debian and its kin, and of Fedora and its kin.
    public static let standardFolders = ["/etc/ssl/certs", "/etc/pki/tls/certs"]

    private static func loadNamed(
        file: String?, folders: [String]
    ) throws(SystemAnchorsError) -> AnchorStore {
        var contents: [(String, [UInt8])] = []
        if let file {
            do throws(FileReadingError) {
                contents.append((file, try FileReading.bytes(ofFile: file)))
            } catch {
                throw SystemAnchorsError(searched: [file], unreadable: "\(file) (SSL_CERT_FILE) \(error)")
            }
        }
        for folder in folders {
            guard FileReading.isFolder(folder) else {
                throw SystemAnchorsError(
                    searched: [folder], unreadable: "\(folder) (SSL_CERT_DIR) is not a folder that can be read")
            }
            contents += files(inFolder: folder)
        }
        let places = (file.map { [$0] } ?? []) + folders
        let store = read(contents, origin: places.joined(separator: ", "))
        guard !store.certificates.isEmpty else { throw SystemAnchorsError(searched: places, unreadable: nil) }
        return store
    }

    private static func files(inFolder path: String) -> [(String, [UInt8])] {
        guard let names = try? FileReading.names(inFolder: path) else { return [] }
        return names.compactMap { name in
            let file = "\(path)/\(name)"
            return (try? FileReading.bytes(ofFile: file)).map { (file, $0) }
        }
    }

    private static func read(_ contents: [(String, [UInt8])], origin: String) -> AnchorStore {
        var certificates: [Certificate] = []
        var findings: [Finding] = []
        for (path, bytes) in contents {
            for block in blocks(in: bytes, path, &findings) where block.label.hasSuffix("CERTIFICATE") {
                do throws(DERError) {
                    certificates.append(try Certificate(der: block.der))
                } catch {
                    findings.append(passedOver(path, block.line, error.description))
                }
            }
        }
        let shipped = ShippedAnchors()
        return AnchorStore(certificates, origin: origin, findings: findings) { shipped.contains($0) }
    }

    /// The blocks of a file. One that is damaged must not take the others with it: then each is read by itself.
    private static func blocks(in bytes: [UInt8], _ path: String, _ findings: inout [Finding]) -> [PEM.Block] {
        if let blocks = try? PEM.blocks(in: bytes) { return blocks }
        var blocks: [PEM.Block] = []
        var part: [UInt8] = []
        var firstLine = 1
        func finishPart(before line: Int) {
            do throws(PEMError) {
                // Line feeds in front make the lines of the part count from the start of the file.
                let padding = [UInt8](repeating: 0x0A, count: firstLine - 1)
                blocks += try PEM.blocks(in: padding + part)
            } catch {
                findings.append(passedOver(path, error.line, error.description))
            }
            part = []
            firstLine = line
        }
        let begin = Array("-----BEGIN".utf8)
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if line.starts(with: begin) { finishPart(before: index + 1) }
            part += line + [0x0A]
        }
        finishPart(before: 1)
        return blocks
    }

    private static func passedOver(_ path: String, _ line: Int?, _ reason: String) -> Finding {
        Finding(
            .anchorPassedOver, at: .file(path, keyPath: [], line: line),
            "a certificate of the machine's store is malformed and not used: \(reason)",
            expected: "an X.509 certificate in DER", found: reason)
    }
}

/// That the machine has no anchors, or that a place named for them cannot be read.
public struct SystemAnchorsError: Error, Sendable, Hashable {
    /// The files and folders that were searched, in order.
    public let searched: [String]
    /// The place named by a variable that cannot be read, and why; nil where nothing was found.
    public let unreadable: String?
}

extension SystemAnchorsError: CustomStringConvertible {
    /// What was searched and what to do.
    public var description: String {
        let what = unreadable ?? "no certificate was found in \(searched.joined(separator: ", "))"
        return
            "the machine's trust store cannot be used: \(what). Install the package ca-certificates, set SSL_CERT_FILE to a "
            + "bundle of trusted certificates, or do without the store and give anchors"
    }
}

extension Rule {
    static let anchorPassedOver = Rule(
        "anchor.malformed-in-store", "The certificates of the machine's store can be read.", severity: .note, .none,
        remedy: "Remove the file, or replace it by a certificate in PEM.", source: "Belay: system anchors")
    static let malformedAnchor = Rule(
        "anchor.malformed", "Anchors that are given can be read.", .fatal,
        remedy: "Give the authority's certificate in PEM or DER.", source: "RFC 5280, section 4.1")

    static let anchorCatalogue: [Rule] = [.anchorPassedOver, .malformedAnchor]
}
