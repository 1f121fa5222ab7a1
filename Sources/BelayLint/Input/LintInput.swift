import BelayCertificates
import BelayTransportSecurity

/// Finds what there is to lint in a path: a property list, a folder, an `.app`, an `.xcarchive`, or an `.ipa`.
///
/// In folders and archives every `Info.plist` counts, those of extensions, watch apps and frameworks included, and `<target>-Info.plist`
/// as older projects call it. Each bundle has App Transport Security of its own.
public struct LintInput: Sendable {
    /// A property list that was found.
    public struct Document: Sendable {
        /// Its name for findings; a member of an archive stands behind `!/`.
        public let name: String
        /// What is in it.
        public let bytes: [UInt8]
        /// Whether it is a member of an archive.
        public var isInArchive = false
        /// Whether it is a file of pins, not a property list.
        public var isPins = false
        /// Whether it is a file of pins in a folder of which only certificates count.
        var isIgnored = false

        /// The same document by another name.
        public func named(_ name: String) -> Document {
            var document = Document(name: name, bytes: bytes, isInArchive: isInArchive, isPins: isPins)
            document.isIgnored = isIgnored
            return document
        }

        /// Names a document.
        public init(name: String, bytes: [UInt8], isInArchive: Bool = false, isPins: Bool = false) {
            self.name = name
            self.bytes = bytes
            self.isInArchive = isInArchive
            self.isPins = isPins
        }
    }

    /// The most files of a folder or an archive that are read.
    public var mostDocuments = 2_000
    /// The most entries of folders that are looked at.
    public var mostEntries = 500_000
    /// The most levels of folders.
    public var depth = 32
    /// The most bytes of a file, and ten times as many of all of them.
    public var bytes: Int

    /// With the limits of a reader.
    public init(limits: PlistLimits = PlistLimits()) { bytes = limits.bytes }

    /// The property lists in a path, in the order of their names; in each folder the shallow ones first.
    ///
    /// - Throws: ``LintInputError`` where the path, or a part of it, cannot be read, and where there is no property list in it. Nothing
    ///   is passed over silently.
    public func documents(in path: String) throws(LintInputError) -> [Document] {
        if FileReading.isFolder(path) { return try documents(inFolder: path) }
        if FileKind.isArchive(path) { return try documents(inArchive: path) }
        let bytes: [UInt8]
        do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: path, limit: self.bytes) } catch {
            throw LintInputError(path: path, problem: .unreadable("\(error)"))
        }
        return [Document(name: path, bytes: bytes, isPins: PinFile.isRecognised(bytes))]
    }

    /// The files of pins in a path, which is one or a folder of them: its files with the endings of certificates, and others that have
    /// pins in them.
    ///
    /// - Throws: ``LintInputError`` where the path cannot be read, or has no pins in it.
    public func pins(in path: String) throws(LintInputError) -> [Document] {
        guard FileReading.isFolder(path) else {
            let bytes: [UInt8]
            do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: path, limit: self.bytes) } catch {
                throw LintInputError(path: path, problem: .unreadable("\(error)"))
            }
            return [Document(name: path, bytes: bytes, isPins: true)]
        }
        let documents = try pins(inFolder: path.hasSuffix("/") ? String(path.dropLast()) : path)
        guard !documents.isEmpty else { throw LintInputError(path: path, problem: .noPins) }
        return documents
    }

    private func pins(inFolder path: String) throws(LintInputError) -> [Document] {
        let names: [String]
        do throws(FileReadingError) { names = try FileReading.names(inFolder: path) } catch {
            throw LintInputError(path: path, problem: .unreadable("\(error)"))
        }
        guard names.count <= mostDocuments else { throw LintInputError(path: path, problem: .tooMany(mostDocuments)) }
        var documents: [Document] = []
        for name in names where !name.hasPrefix(".") {
            let file = "\(path)/\(name)"
            guard !FileReading.isFolder(file) else { continue }
            let counts = Certificate.countsInFolder(name)
            // What is no certificate by its name is looked at only to tell that it has pins that nobody reads.
            guard counts || FileKind(file) == .file else { continue }
            do throws(FileReadingError) {
                var document = Document(
                    name: file, bytes: try FileReading.bytes(ofFile: file, limit: counts ? bytes : 1_048_576),
                    isPins: true)
                document.isIgnored = !counts
                if counts || PinFile.isRecognised(document.bytes) { documents.append(document) }
            } catch {
                if counts { throw LintInputError(path: file, problem: .unreadable("\(error)")) }
            }
        }
        return documents
    }

    // MARK: Folders

    private func documents(inFolder path: String) throws(LintInputError) -> [Document] {
        var found: [String] = []
        var waiting: [(path: String, depth: Int)] = [(path.hasSuffix("/") ? String(path.dropLast()) : path, 0)]
        var seen = 0
        while let (folder, level) = waiting.popLast() {
            let names: [String]
            do throws(FileReadingError) { names = try FileReading.names(inFolder: folder) } catch {
                throw LintInputError(path: folder, problem: .unreadable("\(error)"))
            }
            seen += names.count
            guard seen <= mostEntries else { throw LintInputError(path: path, problem: .tooMany(mostEntries)) }
            var folders: [(path: String, depth: Int)] = []
            for name in names {
                let inner = "\(folder)/\(name)"
                // Links are not followed: they may lead in circles and out of the bundle.
                switch FileKind(inner) {
                case .folder where !Self.passedOver.contains(name):
                    guard level < depth else { throw LintInputError(path: inner, problem: .tooDeep(depth)) }
                    folders.append((inner, level + 1))
                case .file where Self.counts(name): found.append(inner)
                default: break
                }
            }
            waiting += folders.reversed()
        }
        guard found.count <= mostDocuments else { throw LintInputError(path: path, problem: .tooMany(mostDocuments)) }
        guard !found.isEmpty else {
            // No app: perhaps a folder of pins.
            let documents = try pins(inFolder: path.hasSuffix("/") ? String(path.dropLast()) : path)
            guard !documents.isEmpty else { throw LintInputError(path: path, problem: .nothing) }
            return documents
        }
        var documents: [Document] = []
        var total = 0
        for file in found {
            do throws(FileReadingError) {
                documents.append(Document(name: file, bytes: try FileReading.bytes(ofFile: file, limit: bytes)))
            } catch {
                throw LintInputError(path: file, problem: .unreadable("\(error)"))
            }
            total += documents.last?.bytes.count ?? 0
            guard total / 10 <= bytes else { throw LintInputError(path: path, problem: .tooLarge(bytes)) }
        }
        return documents
    }

    /// Folders of tools, in which there are thousands of files of others.
    private static let passedOver: Set<String> = [".git", ".build", ".hg", ".svn", "node_modules"]

    private static func counts(_ name: String) -> Bool { name == "Info.plist" || name.hasSuffix("-Info.plist") }

    // MARK: Archives

    private func documents(inArchive path: String) throws(LintInputError) -> [Document] {
        let archive = try ZipArchive(path: path)
        let found = archive.names.indices.filter { index in
            let name = archive.names[index]
            return Self.counts(name.split(separator: "/").last.map(String.init) ?? "") && !name.hasSuffix("/")
        }
        guard found.count <= mostDocuments else { throw LintInputError(path: path, problem: .tooMany(mostDocuments)) }
        guard !found.isEmpty else { throw LintInputError(path: path, problem: .nothing) }
        var documents: [Document] = []
        var total = 0
        for index in found {
            let name = "\(path)!/\(archive.names[index])"
            do throws(ZipMemberError) {
                documents.append(
                    Document(name: name, bytes: try archive.bytes(at: index, limit: bytes), isInArchive: true))
            } catch {
                throw LintInputError(path: name, problem: .archive(error.text))
            }
            total += documents.last?.bytes.count ?? 0
            guard total / 10 <= bytes else { throw LintInputError(path: path, problem: .tooLarge(bytes)) }
        }
        return documents
    }
}

/// Why there is nothing to lint in a path.
public struct LintInputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Problem: Sendable, Hashable {
        /// It cannot be read.
        case unreadable(String)
        /// It is no archive that can be read.
        case archive(String)
        /// There is no Info.plist in it.
        case nothing
        /// There are no pins in it.
        case noPins
        /// It has more files than are looked at.
        case tooMany(Int)
        /// Its property lists are larger than is read.
        case tooLarge(Int)
        /// It has folders deeper than is looked.
        case tooDeep(Int)
    }

    /// The file or folder.
    public let path: String
    /// What is wrong with it.
    public let problem: Problem

    /// The path, what is wrong, and what was expected.
    public var description: String {
        let what =
            switch problem {
            case .unreadable(let text): text
            case .archive(let text): "the archive cannot be read: \(text)"
            case .nothing: "there is no Info.plist in it, and there are no pins"
            case .noPins: "there are no pins in it: no certificates (.cer .crt .der .pem), and no file of digests"
            case .tooMany(let limit): "more than \(limit) files are in it; name a smaller folder"
            case .tooLarge(let limit): "its property lists have more than \(limit / 1_048_576 * 10) MiB together"
            case .tooDeep(let limit): "it is deeper than \(limit) folders"
            }
        return "\(printable(path)): \(what)"
    }
}
