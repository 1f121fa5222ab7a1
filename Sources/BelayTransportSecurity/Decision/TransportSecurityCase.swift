import BelayCertificates

/// A question about App Transport Security: one line of NDJSON, as `belay ats decide --ndjson` reads it.
///
/// Every field that is not known is refused by name, so that a case is never answered as if it had said less than it does.
public struct TransportSecurityCase: Sendable {
    /// The case's name, echoed in the answer.
    public let id: String
    /// What the app says.
    public let configuration: TransportSecurityConfiguration
    /// What is loaded.
    public let url: TransportSecurityURL
    /// What loads it.
    public let context: TransportSecurityContext
    /// The systems that are asked about.
    public let systems: SystemRange

    /// What case files say about a case, for people and for tests.
    private static let remarks: Set<String> = ["expect", "matched", "error", "why", "source", "niap", "note"]

    /// Deeper ones are no configurations.
    private static let limits: PlistLimits = {
        var limits = PlistLimits()
        limits.depth = 32
        return limits
    }()

    /// Reads a case.
    ///
    /// - Throws: ``TransportSecurityCaseError`` where the line is no case.
    public init(json line: [UInt8]) throws(TransportSecurityCaseError) {
        let read: (members: [PlistMember], nulls: Set<String>)
        do throws(PlistError) {
            read = try JSONPlist.members(of: line, skipping: Self.remarks, Self.limits)
        } catch {
            throw TransportSecurityCaseError(id: nil, message: "the line is not a JSON object with a case: \(error)")
        }
        try self.init(read.members, read.nulls)
    }

    private init(_ members: [PlistMember], _ nulls: Set<String>) throws(TransportSecurityCaseError) {
        func node(_ name: String) -> PlistNode? { members.first { $0.key == name }?.node }
        let name = node("id")?.string
        func fault(_ message: String) -> TransportSecurityCaseError { .init(id: name, message: message) }
        func text(_ field: String) throws(TransportSecurityCaseError) -> String? {
            guard let node = node(field) else { return nil }
            guard let text = node.string else {
                throw fault("\(field): expected a string, found \(node.kind.withArticle)")
            }
            return text
        }
        let known: Set<String> = ["id", "plist", "os", "url", "context"]
        if let other = (members.map(\.key) + nulls.sorted()).first(where: { !known.contains($0) }) {
            throw fault("the field '\(printable(other))' is not known")
        }
        guard let id = try text("id") else { throw fault("id: is missing") }
        let plist = node("plist")
        guard plist != nil || nulls.contains("plist") else { throw fault("plist: is missing") }
        guard let address = try text("url") else { throw fault("url: is missing") }
        let context = try text("context") ?? TransportSecurityContext.default.rawValue
        guard let read = TransportSecurityContext(rawValue: context) else {
            throw fault(
                "context: '\(printable(context))' is none; there are "
                    + TransportSecurityContext.allCases.map(\.rawValue).joined(separator: ", "))
        }
        let system = try text("os")
        do throws(SystemRangeError) {
            systems = if let system { try SystemRange(system) } else { .newest }
        } catch {
            throw fault("os: \(error)")
        }
        do throws(TransportSecurityURLError) { url = try TransportSecurityURL(address) } catch {
            throw fault("url: \(error)")
        }
        self.id = id
        self.context = read
        // null is an app without the key.
        configuration =
            plist.map {
                TransportSecurityConfiguration(
                    PlistDocument(format: .json, root: $0), file: id, contents: .dictionary)
            } ?? .default
    }

    /// Answers the case.
    public func answer() -> NamedTransportSecurityAnswer {
        NamedTransportSecurityAnswer(id: id, answer: configuration.answer(for: url, in: context, on: systems))
    }
}

/// Why a line is no case.
public struct TransportSecurityCaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The case's name, where it could be read.
    public let id: String?
    /// What is wrong, with the field's name.
    public let message: String

    /// What is wrong, with the field's name.
    public var description: String { message }
}
