import BelayTrust
import COpenSSL

/// How a client speaks TLS with one server: versions, suites, protocols, and how long each phase may take.
///
/// ```swift
/// var options = TLSOptions()
/// options.minimumVersion = .tls13
/// options.applicationProtocols = ["http/1.1"]
/// options.timeouts.connect = .seconds(3)
/// ```
public struct TLSOptions: Sendable, Hashable {
    /// The oldest version that is acceptable; TLS 1.2 unless set. Anything below lowers OpenSSL's security level to 0 for
    /// the connections made with these options, and for no others.
    public var minimumVersion: TLSVersion = .tls12
    /// The newest version that is offered.
    public var maximumVersion: TLSVersion = .tls13
    /// Which cipher suites are offered.
    public var cipherSuites: CipherSuiteSelection = .standard
    /// The protocols offered by ALPN (RFC 7301), best first; none are offered when empty.
    public var applicationProtocols: [String] = []
    /// Which name the server is asked for; the endpoint's unless set.
    public var serverName: ServerNameIndication = .endpoint
    /// The protocol in which the server is asked to change to TLS; nil where TLS begins with the first byte.
    public var startTLS: StartTLSProtocol?
    /// How long each phase may take.
    public var timeouts = TLSTimeouts()

    /// The defaults: TLS 1.2 and 1.3, OpenSSL's usual suites, no ALPN.
    public init() {}
}

/// How long each phase of a connection may take. A phase that takes longer fails with `TLSError.Reason.timedOut`.
public struct TLSTimeouts: Sendable, Hashable {
    /// Finding the host's addresses.
    public var resolve: Duration = .seconds(10)
    /// The TCP connection, over all addresses together.
    public var connect: Duration = .seconds(15)
    /// Having the server change to TLS, where it begins in the clear.
    public var startTLS: Duration = .seconds(15)
    /// The TLS handshake.
    public var handshake: Duration = .seconds(15)
    /// One read or one write of application data, where the call names no limit of its own.
    public var transfer: Duration = .seconds(30)
    /// Saying goodbye; when it is over the connection is closed without.
    public var close: Duration = .seconds(2)

    /// The defaults.
    public init() {}

    /// The same limit for each phase.
    public init(all limit: Duration) {
        resolve = limit
        connect = limit
        startTLS = limit
        handshake = limit
        transfer = limit
        close = limit
    }
}

/// The cipher suites that a side offers or accepts.
public struct CipherSuiteSelection: Sendable, Hashable {
    /// OpenSSL's cipher list for TLS 1.2 and older.
    let list: String
    /// OpenSSL's list of suites for TLS 1.3; nil for its default.
    let suites: String?

    /// OpenSSL's default suites.
    public static let standard = CipherSuiteSelection(list: "DEFAULT", suites: nil)

    /// Suites with an ephemeral elliptic-curve key exchange only, and all of TLS 1.3. DHE is not among them: App Transport
    /// Security never accepts it.
    public static let forwardSecret = CipherSuiteSelection(
        list: "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES:!aNULL:!PSK:!SRP:!AESCCM", suites: nil)

    /// Suites by OpenSSL's own syntax.
    ///
    /// - Parameters:
    ///   - list: for TLS 1.2 and older, as in `openssl ciphers`, for example `AES128-GCM-SHA256` for one without forward secrecy.
    ///   - suites: for TLS 1.3, names with colons between; nil for all of them.
    public static func openSSL(list: String, suites: String? = nil) -> CipherSuiteSelection {
        CipherSuiteSelection(list: list, suites: suites)
    }

    /// Exactly these suites, those that OpenSSL does not have left out.
    ///
    /// - Parameter suites: by their names in the IANA registry.
    public static func exactly(_ suites: [CipherSuite]) -> CipherSuiteSelection {
        var list: [String] = []
        var version13: [String] = []
        for suite in suites {
            if suite.code >> 8 == 0x13 {
                version13.append(suite.name)
            } else if let name = OPENSSL_cipher_name(suite.name).map({ String(cString: $0) }), name != "(NONE)" {
                list.append(name)
            }
        }
        return CipherSuiteSelection(
            list: list.isEmpty ? "DEFAULT" : list.joined(separator: ":"), suites: version13.joined(separator: ":"))
    }
}
