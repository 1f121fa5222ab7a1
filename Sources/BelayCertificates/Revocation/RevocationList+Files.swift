/// A file of revocation lists and what is wrong with it.
public typealias RevocationListFileError = FileFailure<RevocationListFileProblem>

/// Why revocation lists cannot be read from a file.
public enum RevocationListFileProblem: Error, Sendable, Hashable {
    /// It could not be read.
    case unreadable(FileReadingError)
    /// There is nothing in it.
    case empty
    /// The text in PEM is damaged.
    case damagedText(PEMError)
    /// It holds something else, which is said as after "found".
    case notARevocationList(found: String)
    /// The end is missing, with the bytes there are and those there should be.
    case truncated(bytes: Int, expected: Int)
    /// A list is not well formed; its line, where it stands in text.
    case malformed(DERError, line: Int?)
}

extension RevocationListFileProblem: CustomStringConvertible {
    /// What is wrong, what was expected and found, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .empty: "is empty, expected a revocation list in PEM or DER. Fetch the list again"
        case .damagedText(let error): "is damaged: \(error). Copy the file again, whole"
        case .notARevocationList(let found):
            "expected a revocation list in PEM or DER, found \(found). Name the file that holds the list"
        case .truncated(let bytes, let expected):
            "is cut off: it has \(bytes) bytes, the list is \(expected). Fetch the list again, whole"
        case .malformed(let error, let line):
            "holds a malformed revocation list\(line.map { " (line \($0))" } ?? ""): \(error). Fetch it again"
        }
    }
}

extension RevocationList {
    /// Reads the revocation lists of a file, by content: PEM with any number of lists, DER, or the base64 of DER alone.
    ///
    /// - Returns: the lists in the order of the file, at least one.
    /// - Throws: ``RevocationListFileError``, which names the file, also where there is anything else in it: it would be
    ///   ignored.
    public static func read(contentsOf path: String) throws(RevocationListFileError) -> [RevocationList] {
        do throws(RevocationListFileProblem) {
            let bytes: [UInt8]
            do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: path) } catch {
                throw .unreadable(error)
            }
            return try read(bytes)
        } catch {
            throw RevocationListFileError(file: path, problem: error)
        }
    }

    private static func read(_ bytes: [UInt8]) throws(RevocationListFileProblem) -> [RevocationList] {
        let content: FileContent
        do throws(PEMError) { content = try FileContent(bytes) } catch { throw .damagedText(error) }
        switch content {
        case .empty: throw .empty
        case .binary(.revocationList, let der), .binary(.unknownDER, let der): return [try read(der: der, line: nil)]
        case .text(let blocks):
            var lists: [RevocationList] = []
            for block in blocks {
                guard PEMKind(block.label) == .revocationList else {
                    throw .notARevocationList(found: content.description)
                }
                lists.append(try read(der: block.der, line: block.line))
            }
            return lists
        case .binary, .store, .other: throw .notARevocationList(found: content.description)
        }
    }

    private static func read(der: [UInt8], line: Int?) throws(RevocationListFileProblem) -> RevocationList {
        do throws(DERError) { return try RevocationList(der: der) } catch {
            if let expected = der.missingLength, line == nil {
                throw .truncated(bytes: der.count, expected: expected)
            }
            throw .malformed(error, line: line)
        }
    }
}
