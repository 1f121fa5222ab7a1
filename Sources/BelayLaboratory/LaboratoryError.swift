import BelayTLS

/// Why the laboratory cannot work.
public enum LaboratoryError: Error, Sendable, Hashable {
    /// A certificate, key or identity could not be made.
    case cannotMake(String, detail: String)
    /// A server did not start.
    case cannotStart(LaboratoryServer.Kind, TLSServerError)
    /// A file could not be written.
    case cannotWrite(file: String, detail: String)
    /// A folder for its files has something in it already: files of another laboratory, which may run, or of somebody else.
    case folderNotEmpty(String)
    /// A server that is asked for was not started.
    case notStarted(LaboratoryServer.Kind)

    /// Runs `body`, and wraps whatever it throws as a thing that could not be made.
    static func making<Made>(_ what: String, _ body: () throws -> Made) throws(LaboratoryError) -> Made {
        do { return try body() } catch let error as LaboratoryError { throw error } catch {
            throw .cannotMake(what, detail: "\(error)")
        }
    }
}

extension LaboratoryError: CustomStringConvertible {
    /// What failed, and what to do.
    public var description: String {
        switch self {
        case .cannotMake(let what, let detail):
            "the laboratory cannot make \(what): \(detail). Check that OpenSSL 3 with its default provider is installed."
        case .cannotStart(let kind, let error): "the laboratory's server '\(kind.id)' did not start: \(error)"
        case .cannotWrite(let file, let detail):
            "the laboratory cannot write \(file): \(detail). Choose a folder that can be written to."
        case .folderNotEmpty(let folder):
            "the folder \(folder) is not empty; a laboratory that runs may need its files. Name a new or empty folder, or "
                + "remove this one first if no laboratory uses it."
        case .notStarted(let kind):
            "the laboratory was started without its server '\(kind.id)'. Name it among the servers to start."
        }
    }
}
