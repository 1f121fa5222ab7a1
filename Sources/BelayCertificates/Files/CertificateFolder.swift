/// The certificates of a folder, as an app's bundle holds them.
enum CertificateFolder {
    /// The endings of files that count, in lower case.
    static let suffixes = [".cer", ".crt", ".der", ".pem"]

    /// The endings as a sentence has them.
    static var suffixText: String { suffixes.joined(separator: " ") }

    /// Whether a file counts: one of the endings in any case, and not hidden.
    static func counts(_ name: String) -> Bool {
        guard !name.hasPrefix(".") else { return false }
        let lowerCased = name.lowercased()
        return suffixes.contains { lowerCased.hasSuffix($0) }
    }
}

extension Certificate {
    /// Whether a file in a folder counts as one of certificates, by its name.
    package static func countsInFolder(_ name: String) -> Bool { CertificateFolder.counts(name) }

    /// Reads the certificates of all files in a folder whose names end in `.cer`, `.crt`, `.der` or `.pem`.
    ///
    /// This is what AFNetworking does with the `.cer` files of a bundle. Only the ending says whether a file counts;
    /// what is in it is told by content. Hidden files, files with other endings and folders inside it do not count, so
    /// that a README may stand beside the certificates. A file that counts and cannot be read is an error and never
    /// passed over: a pin that vanished would be worse.
    ///
    /// - Returns: the certificates by the order of the files' names (compared by bytes), each once, at least one.
    /// - Throws: ``CertificateFileError``, which names the file, or the folder where that is at fault.
    public static func readAll(inFolder path: String) throws(CertificateFileError) -> [Certificate] {
        let names: [String]
        do throws(FileReadingError) { names = try FileReading.names(inFolder: path) } catch {
            throw CertificateFileError(file: path, problem: .unreadable(error))
        }
        var seen: Set<Certificate> = []
        var certificates: [Certificate] = []
        for name in names where CertificateFolder.counts(name) {
            let file = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            if FileReading.isFolder(file) { continue }
            for certificate in try read(contentsOf: file) where seen.insert(certificate).inserted {
                certificates.append(certificate)
            }
        }
        guard !certificates.isEmpty else { throw CertificateFileError(file: path, problem: .emptyFolder) }
        return certificates
    }
}
