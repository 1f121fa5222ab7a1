import BelayTrust

/// What an exception says about one thing: the key that says it, and the value where it has one that counts.
public struct ExceptionSetting<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The key, in the spelling that was used.
    public let key: String
    /// The value; nil where it is of a wrong type or otherwise none, so that the default of the key holds.
    public let value: Value?
    /// Where the value stands.
    public let position: PlistPosition

    init(key: String, value: Value?, position: PlistPosition) {
        self.key = key
        self.value = value
        self.position = position
    }
}

/// A setting that had other spellings in 2015 and 2016: `NSThirdPartyException…` and `NSTemporaryException…`.
public struct RenamedSetting<Value: Sendable & Hashable>: Sendable, Hashable {
    /// What the key of today says; nil where it is not there.
    public var current: ExceptionSetting<Value>?
    /// What an old spelling says; nil where there is none. iOS 18.4 and macOS 15.4 no longer read it.
    public var legacy: ExceptionSetting<Value>?

    /// What counts. The key of today wins wherever it is there, whatever it says.
    func effective(readingLegacy: Bool) -> ExceptionSetting<Value>? { current ?? (readingLegacy ? legacy : nil) }
}

/// The packages of TLS rules that NIAP, the authority for evaluated products of the United States, has published, as the keys
/// `NSRequiresNIAPTLSPackageVersion` and `NSExceptionRequiresNIAPTLSPackageVersion` name them.
public enum NIAPPackage: String, Sendable, Hashable, CaseIterable {
    /// No package.
    case none
    /// TLS 1.2 with ECDHE and AES-GCM only and the extended master secret, or TLS 1.3; no signatures with PKCS #1 and SHA-1.
    case functionalPackage21 = "FCP_v2.1"
    /// The newest package that the system knows.
    case recommended
}

/// An entry of `NSExceptionDomains`.
public struct ExceptionDomain: Sendable, Hashable {
    /// The key, exactly as it stands.
    public let key: String
    /// Where the key stands.
    public let position: PlistPosition
    /// Whether it is one that every app has without saying so.
    public let isBuiltIn: Bool
    /// `NSIncludesSubdomains`.
    public internal(set) var includesSubdomains: ExceptionSetting<Bool>?
    /// `NSExceptionAllowsInsecureHTTPLoads`.
    public internal(set) var allowsInsecureHTTPLoads = RenamedSetting<Bool>()
    /// `NSExceptionMinimumTLSVersion`.
    public internal(set) var minimumTLSVersion = RenamedSetting<TLSVersion>()
    /// `NSExceptionRequiresForwardSecrecy`.
    public internal(set) var requiresForwardSecrecy = RenamedSetting<Bool>()
    /// `NSRequiresCertificateTransparency`.
    public internal(set) var requiresCertificateTransparency: ExceptionSetting<Bool>?
    /// `NSExceptionRequiresNIAPTLSPackageVersion`.
    public internal(set) var niapPackage: ExceptionSetting<NIAPPackage>?

    init(key: String, position: PlistPosition, isBuiltIn: Bool = false) {
        self.key = key
        self.position = position
        self.isBuiltIn = isBuiltIn
    }

    /// Whether the entry covers names below its own.
    package var coversSubdomains: Bool { includesSubdomains?.value ?? false }
}

extension ExceptionDomain {
    /// The entries that every app has (`register_builtin_exceptions`); an entry of the same key replaces one. An automatic
    /// apple.com entry was visible from outside in 2016 already.
    package static let builtIn: [ExceptionDomain] = [
        builtIn("apple.com", .tls12), builtIn("ls.apple.com", .tls10), builtIn("gs.apple.com", .tls10),
        builtIn("geo.apple.com", .tls10), builtIn("is.autonavi.com", .tls10), builtIn("apple-mapkit.com", .tls10),
        builtIn("setup.icloud.com", .tls12),
    ]

    private static func builtIn(_ key: String, _ version: TLSVersion) -> ExceptionDomain {
        func setting<Value>(_ key: String, _ value: Value) -> ExceptionSetting<Value> {
            ExceptionSetting(key: key, value: value, position: .unknown)
        }
        var domain = ExceptionDomain(key: key, position: .unknown, isBuiltIn: true)
        domain.includesSubdomains = setting(TransportSecurityKey.includesSubdomains, true)
        domain.allowsInsecureHTTPLoads.current = setting(
            TransportSecurityKey.Exception.allowsInsecureHTTPLoads.current, true)
        domain.minimumTLSVersion.current = setting(TransportSecurityKey.Exception.minimumTLSVersion.current, version)
        domain.requiresForwardSecrecy.current = setting(
            TransportSecurityKey.Exception.requiresForwardSecrecy.current, false)
        return domain
    }
}
