import BelayTrust

/// How a server behaves: what it presents, what it speaks, whom it lets in, and what it does wrong on purpose.
public struct TLSServerConfiguration: Sendable {
    /// What the server presents, in exactly the order given.
    public var identity: TLSIdentity
    /// Where it listens.
    public var interfaces: Interfaces = .loopbackIPv4
    /// The oldest version it accepts; TLS 1.0 and 1.1 are possible.
    public var minimumVersion: TLSVersion = .tls12
    /// The newest version it accepts.
    public var maximumVersion: TLSVersion = .tls13
    /// The suites it accepts.
    public var cipherSuites: CipherSuiteSelection = .standard
    /// The protocols it chooses from by ALPN, best first.
    public var applicationProtocols: [String] = []
    /// Whether clients must show a certificate.
    public var clientAuthentication: ClientAuthentication = .none
    /// An OCSP response to staple when a client asks, DER.
    public var stapledResponse: [UInt8]?
    /// A list of signed certificate timestamps to send when a client asks (RFC 6962, section 3.3).
    public var timestampList: [UInt8]?
    /// Whether it agrees to the extended master secret (RFC 7627), as servers of today do.
    public var agreesToExtendedMasterSecret = true
    /// Whether it gives session tickets. They also tell a TLS 1.3 client that its certificate was accepted.
    public var sendsTickets = true
    /// Whether it keeps sessions and lets clients resume them by identifier (RFC 5246, section 7.3). By ticket they can be resumed
    /// without: a ticket holds all that a server needs.
    public var remembersSessions = false
    /// How long each phase of a connection may take.
    public var timeouts = TLSTimeouts()
    /// What it does wrong on purpose; nil for a server that behaves.
    public var misbehaviour: Misbehaviour?
    /// What it says in the clear before the handshake: the server's side of STARTTLS. Where it returns false there is no handshake.
    package var preamble: (@Sendable (RawConnection) async -> Bool)?
    /// What it does with a connection after the handshake.
    public var handler: Handler = TLSServerConnection.answerWithSummary

    /// Serves one connection. It is closed when the handler returns or throws.
    public typealias Handler = @Sendable (TLSServerConnection) async throws(TLSError) -> Void

    /// A server that presents an identity and otherwise has the defaults.
    public init(identity: TLSIdentity) {
        self.identity = identity
    }

    /// Where a server listens; the kernel chooses the port.
    public enum Interfaces: Sendable, Hashable {
        /// 127.0.0.1.
        case loopbackIPv4
        /// ::1.
        case loopbackIPv6
        /// 127.0.0.1 and ::1, on the same port.
        case loopback
    }

    /// Whether clients must show a certificate.
    public enum ClientAuthentication: Sendable {
        /// They are not asked.
        case none
        /// They are asked, and may refuse.
        case request(Demand)
        /// They are asked, and without one the handshake fails.
        case require(Demand)
    }

    /// Which client certificates a server wants.
    public struct Demand: Sendable {
        /// Certificates (DER) whose subjects are sent as acceptable issuers.
        public var acceptableIssuers: [[UInt8]]
        /// Judges the chain a client sent, the leaf first; all are accepted when nil.
        public var accepts: (@Sendable ([[UInt8]]) -> Bool)?

        /// Names the issuers, and who judges.
        public init(acceptableIssuers: [[UInt8]] = [], accepts: (@Sendable ([[UInt8]]) -> Bool)? = nil) {
            self.acceptableIssuers = acceptableIssuers
            self.accepts = accepts
        }
    }

    /// What a server does wrong on purpose.
    public enum Misbehaviour: Sendable, Hashable {
        /// It answers in HTTP without TLS.
        case plainHTTP
        /// It sends these bytes as soon as somebody connects.
        case sends([UInt8])
        /// It takes the connection and never says anything.
        case silence
        /// It stops in the middle of its part of the handshake, and keeps the connection open.
        case hangsInHandshake
        /// It ends the connection (FIN) in the middle of its part of the handshake.
        case truncates
        /// It breaks the connection off (RST) as soon as somebody connects.
        case resetsAtOnce
        /// It breaks the connection off (RST) after the client's first message.
        case resets
        /// It does everything right, but so many bytes at a time with a pause after each.
        case drips(bytes: Int, pause: Duration)
        /// It sends handshake messages without end.
        case endlessHandshake
        /// It sends these bytes as its certificates (TLS 1.2), whatever they are, and waits.
        case certificateMessage([[UInt8]])
    }
}

/// A server that cannot start.
public struct TLSServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What failed.
    public let detail: String

    /// What failed, and what to do.
    public var description: String {
        "The server cannot start: \(detail). Check its identity and options, and that the loopback interface has the address."
    }
}
