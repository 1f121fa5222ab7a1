import BelayCertificates
import BelayTrust

/// What an app's `Info.plist` says about App Transport Security: every key that Apple has documented, old spellings included, and
/// what is wrong with it.
///
/// ```swift
/// let configuration = try TransportSecurityConfiguration.read(contentsOf: "Info.plist")
/// let url = try TransportSecurityURL("http://media.example.com/")
/// print(configuration.decision(for: url, as: .simulation).why)
/// ```
///
/// A configuration is read as Apple's systems read it, mistakes included, and everything that is malformed is a finding at the same
/// time. Who only wants to know what an iPhone would do (*simulation*) can pass over the findings; who lets the configuration
/// rule connections (*enforcement*) is refused everything until there is no error among them.
public struct TransportSecurityConfiguration: Sendable {
    /// The file, for findings.
    public let file: String
    /// The way to the dictionary in the file: nothing where the file is the dictionary itself.
    public let keyPath: [String]
    /// Whether the dictionary is there.
    public let isPresent: Bool
    /// `NSAllowsArbitraryLoads`; nil where it is not there, or is no Boolean and so counts as not being there.
    public internal(set) var allowsArbitraryLoads: Bool?
    /// `NSAllowsArbitraryLoadsForMedia`, as above.
    public internal(set) var allowsArbitraryLoadsForMedia: Bool?
    /// `NSAllowsArbitraryLoadsInWebContent`, as above.
    public internal(set) var allowsArbitraryLoadsInWebContent: Bool?
    /// `NSAllowsLocalNetworking`, as above.
    public internal(set) var allowsLocalNetworking: Bool?
    /// `NSRequiresNIAPTLSPackageVersion`; nil where it is not there, or is none that counts.
    public internal(set) var niapPackage: NIAPPackage?
    /// `NSExceptionDomains`, with the entries that every app has.
    public internal(set) var exceptionDomains = ExceptionDomains()
    /// `NSPinnedDomains`.
    public internal(set) var pinnedDomains = PinnedDomains()
    /// What is wrong, in the order of the file, each with key path and line. At most ``mostFindings`` are kept.
    public internal(set) var findings: [Finding] = []
    /// Whether there is an error, so that the configuration cannot be enforced.
    public internal(set) var isMalformed = false

    /// More findings are counted and not kept.
    public static let mostFindings = 1_000

    init(file: String, keyPath: [String], isPresent: Bool) {
        self.file = file
        self.keyPath = keyPath
        self.isPresent = isPresent
    }

    /// The configuration of an app whose Info.plist says nothing: App Transport Security in full.
    public static let `default` = TransportSecurityConfiguration(
        file: "default", keyPath: [TransportSecurityKey.root], isPresent: false)

    /// Reads a document: a whole Info.plist, or the dictionary that belongs under `NSAppTransportSecurity`.
    ///
    /// - Parameters:
    ///   - document: what ``PlistReader`` made of a file.
    ///   - file: the file's name, for findings.
    ///   - contents: what the document is; ``Contents/automatic`` looks.
    public init(_ document: PlistDocument, file: String, contents: Contents = .automatic) {
        var reader = ConfigurationReader(document: document, file: file, contents: contents)
        self = reader.read()
    }

    /// What a document is.
    public enum Contents: Sendable, Hashable {
        /// A whole Info.plist, unless its keys are those of the dictionary itself.
        case automatic
        /// A whole Info.plist.
        case infoPlist
        /// The value of `NSAppTransportSecurity`.
        case dictionary
    }

    /// Reads a file.
    ///
    /// - Throws: ``TransportSecurityFileError`` where it cannot be read or is no property list.
    public static func read(
        contentsOf path: String, contents: Contents = .automatic, limits: PlistLimits = PlistLimits()
    ) throws(TransportSecurityFileError) -> TransportSecurityConfiguration {
        let bytes: [UInt8]
        do throws(FileReadingError) {
            bytes = try FileReading.bytes(ofFile: path, limit: limits.bytes)
        } catch {
            throw TransportSecurityFileError(file: path, reason: .file("\(error)"))
        }
        do throws(PlistError) {
            return TransportSecurityConfiguration(
                try PlistReader(limits: limits).read(bytes), file: path, contents: contents)
        } catch {
            throw TransportSecurityFileError(file: path, reason: .plist(error))
        }
    }
}

/// Why a file gives no configuration.
public struct TransportSecurityFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// The file cannot be read.
        case file(String)
        /// It is no property list.
        case plist(PlistError)
    }

    /// The file.
    public let file: String
    /// What is wrong with it.
    public let reason: Reason

    init(file: String, reason: Reason) {
        self.file = file
        self.reason = reason
    }

    /// The file and what is wrong with it.
    public var description: String {
        switch reason {
        case .file(let text): "\(printable(file)): \(text)"
        case .plist(let error): "\(printable(file)): \(error)"
        }
    }
}
