import BelayCertificates
import FoundationEssentials

/// The logs of Certificate Transparency that somebody keeps a list of, in the form `log_list.json` version 3, which Google and Apple
/// publish.
///
/// ```swift
/// let list = try LogList(json: bytes)
/// ```
public struct LogList: Sendable, Hashable {
    /// A log.
    public struct Log: Sendable, Hashable {
        /// What the list calls it.
        public let name: String
        /// Who runs it.
        public let operatorName: String
        /// The digest of its key, which timestamps name it by.
        public let identifier: SHA256Digest
        /// Its key.
        public let key: PublicKey
        /// Whether it is one of RFC 6962, and not a tiled one.
        public let isRFC6962: Bool
        /// What the list's keeper thinks of it.
        public let state: State

        /// Puts a log together. Its identifier is the digest of its key.
        public init(
            name: String, operatorName: String, key: PublicKey, isRFC6962: Bool = true, state: State = .approved
        ) {
            self.name = name
            self.operatorName = operatorName
            identifier = key.pin.digest
            self.key = key
            self.isRFC6962 = isRFC6962
            self.state = state
        }
    }

    /// What the keeper of a list thinks of a log.
    public enum State: Sendable, Hashable {
        /// Its timestamps count: it is qualified, usable or read-only.
        case approved
        /// Timestamps from before a moment (seconds since 1970) count as once approved.
        case retired(since: Int64)
        /// Its timestamps do not count: it is pending or rejected, or in a state that is not known here.
        case notApproved
    }

    /// When the list was made, in seconds since 1970; nil where it does not say.
    public let timestamp: Int64?
    /// The logs.
    public let logs: [Log]
    private let byIdentifier: [SHA256Digest: Int]

    /// The most bytes of a list that are read.
    public static let mostBytes = 8 * 1_048_576

    /// Puts a list together.
    public init(logs: [Log], timestamp: Int64? = nil) {
        self.logs = logs
        self.timestamp = timestamp
        byIdentifier = Dictionary(
            logs.enumerated().map { ($0.element.identifier, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// Reads a list.
    ///
    /// - Throws: ``LogListError`` where it is none, where a log's key cannot be read or is not the one of its identifier, and where it has no
    ///   log.
    public init(json: [UInt8]) throws(LogListError) {
        guard json.count <= Self.mostBytes else { throw LogListError(reason: "it is larger than 8 MiB") }
        let document: Document
        do { document = try JSONDecoder().decode(Document.self, from: Data(json)) } catch {
            throw LogListError(reason: "it is no log_list.json of version 3")
        }
        var logs: [Log] = []
        for operator_ in document.operators {
            for entry in operator_.logs ?? [] { logs.append(try Self.log(entry, operator_.name, isRFC6962: true)) }
            for entry in operator_.tiled_logs ?? [] {
                logs.append(try Self.log(entry, operator_.name, isRFC6962: false))
            }
        }
        guard !logs.isEmpty else { throw LogListError(reason: "there is no log in it") }
        self.init(
            logs: logs,
            timestamp: document.log_list_timestamp.flatMap(RFC3339.date).map { Int64($0.timeIntervalSince1970) })
    }

    /// The log of an identifier; nil where the list does not have it.
    func log(_ identifier: SHA256Digest) -> Log? { byIdentifier[identifier].map { logs[$0] } }

    private static func log(
        _ entry: Document.Log, _ operatorName: String, isRFC6962: Bool
    ) throws(LogListError) -> Log {
        let name = entry.description ?? entry.log_id
        guard let bytes = Base64.decode(entry.key), let key = try? PublicKey(der: bytes) else {
            throw LogListError(reason: "the key of the log '\(printable(name))' cannot be read")
        }
        let identifier = SHA256Digest(of: bytes)
        guard Base64.decode(entry.log_id) == identifier.bytes else {
            throw LogListError(reason: "the identifier of the log '\(printable(name))' is not that of its key")
        }
        return Log(
            name: name, operatorName: operatorName, key: key, isRFC6962: isRFC6962, state: state(entry.state))
    }

    private static func state(_ states: [String: Document.State]?) -> State {
        guard let states else { return .notApproved }
        if let retired = states["retired"] {
            return .retired(since: RFC3339.date(retired.timestamp).map { Int64($0.timeIntervalSince1970) } ?? .min)
        }
        return states.keys.contains { ["qualified", "usable", "readonly"].contains($0) } ? .approved : .notApproved
    }

    /// The members as the published form calls them.
    private struct Document: Decodable {
        struct Operator: Decodable {
            let name: String
            let logs: [Log]?
            let tiled_logs: [Log]?
        }
        struct Log: Decodable {
            let description: String?
            let log_id: String
            let key: String
            let state: [String: State]?
        }
        struct State: Decodable { let timestamp: String }

        let log_list_timestamp: String?
        let operators: [Operator]
    }
}

extension LogList {
    /// Reads a file.
    ///
    /// - Throws: ``LogListError``, which names the file.
    public static func read(contentsOf path: String) throws(LogListError) -> LogList {
        let bytes: [UInt8]
        do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: path, limit: mostBytes) } catch {
            throw LogListError(file: path, reason: "\(error)")
        }
        do throws(LogListError) { return try LogList(json: bytes) } catch {
            throw LogListError(file: path, reason: error.reason)
        }
    }
}

/// Why there is no list of logs.
public struct LogListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file; nil where there is none.
    public var file: String?
    /// What is wrong.
    public let reason: String

    init(file: String? = nil, reason: String) {
        self.file = file
        self.reason = reason
    }

    /// The file, and what is wrong with it.
    public var description: String { (file.map { "\(printable($0)): " } ?? "") + reason }
}
