import BelayCertificates
import FoundationEssentials
import Glibc

/// The laboratory's certificates, pins and client identities as files, for programs outside it.
public struct LaboratoryFiles: Sendable {
    /// The folder, an absolute path.
    public let folder: String
    /// The files, in the order in which a person would want to know them.
    public let files: [File]

    /// A file.
    public struct File: Sendable, Hashable {
        /// Its name in the folder.
        public let name: String
        /// Its path.
        public let path: String
        /// What it is for, in a line.
        public let purpose: String
        /// Whether it holds a secret; only its owner can read it then.
        public let isSecret: Bool
    }

    /// The public roots: what stands for the system's anchors.
    public static let anchors = "anchors.pem"
    /// The client identity in PEM.
    public static let clientPEM = "client.pem"
    /// The client identity in PKCS#12.
    public static let clientPKCS12 = "client.p12"
    /// The passphrase of ``clientPKCS12``.
    public static let clientPassphrase = "client.passphrase"

    /// The file with the certificate that is pinned in a situation.
    public static func pinned(_ letter: Situation.Letter) -> String { "pinned-\(letter.rawValue.lowercased()).pem" }

    /// Writes the files.
    ///
    /// - Parameters:
    ///   - laboratory: whose files they are.
    ///   - folder: where to; it is made where there is none. One with anything in it is refused: a laboratory that runs needs its files.
    /// - Throws: ``LaboratoryError/folderNotEmpty(_:)``, or ``LaboratoryError/cannotWrite(file:detail:)``, which names the file.
    public static func write(_ laboratory: Laboratory, to folder: String) throws(LaboratoryError) -> LaboratoryFiles {
        let path = absolute(folder)
        // Private keys go into it.
        do throws(FileWritingError) { try FileWriting.makeFolder(path) } catch {
            throw .cannotWrite(file: path, detail: error.problem.description)
        }
        guard try names(inFolder: path).isEmpty else { throw .folderNotEmpty(path) }
        var files: [File] = []
        for content in try contents(of: laboratory) {
            let file = File(
                name: content.name, path: "\(path)/\(content.name)", purpose: content.purpose,
                isSecret: content.isSecret)
            try write(content.bytes, to: file)
            files.append(file)
        }
        return LaboratoryFiles(folder: path, files: files)
    }

    /// Makes a new folder for temporary files that only its owner can enter.
    ///
    /// - Throws: ``LaboratoryError/cannotWrite(file:detail:)``.
    public static func makeTemporaryFolder() throws(LaboratoryError) -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(absolute(base))/belay-laboratory-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .cannotWrite(file: base, detail: systemText(errno)) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path of a file.
    public func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Removes the files, and the folder where nothing else is in it.
    public func remove() {
        for file in files { unlink(file.path) }
        rmdir(folder)
    }

    private static func absolute(_ path: String) -> String {
        var path = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func names(inFolder path: String) throws(LaboratoryError) -> [String] {
        do throws(FileReadingError) { return try FileReading.names(inFolder: path) } catch {
            throw .cannotWrite(file: path, detail: "\(error)")
        }
    }

    private static func write(_ bytes: [UInt8], to file: File) throws(LaboratoryError) {
        // A link that somebody has laid in a folder of theirs must not lead a key elsewhere.
        do throws(FileWritingError) {
            try FileWriting.write(bytes, to: file.path, access: file.isSecret ? .owner : .everybody)
        } catch {
            throw .cannotWrite(file: file.path, detail: error.problem.description)
        }
    }

    private static func systemText(_ code: CInt) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
