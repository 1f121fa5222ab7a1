import BelayTLS

extension LaboratoryServer {
    /// What a client with the usual requirements makes of a server: TLS 1.2, forward secrecy, the host's name, and the
    /// laboratory's public roots as anchors.
    public enum Expectation: Sendable, Hashable {
        /// It depends on the policy: the table says.
        case policyTable
        /// It is accepted.
        case accepted
        /// It is accepted, and a finding of this rule is reported.
        case acceptedWithFinding(rule: String)
        /// It is accepted from a client that presents the laboratory's client identity.
        case acceptedWithIdentity
        /// The handshake succeeds, and the verdict refuses for this rule.
        case refused(rule: String)
        /// There is no connection.
        case noConnection(Failure)
    }

    /// How a connection fails.
    public enum Failure: String, Sendable, Hashable, CaseIterable {
        /// No version of TLS suits both sides.
        case version
        /// The server does not have the key of its certificate.
        case keyMissing = "key-missing"
        /// A certificate that cannot be read.
        case unreadableCertificate = "unreadable-certificate"
        /// The other side does not speak TLS.
        case notTLS = "not-tls"
        /// The other side says nothing for too long.
        case timeout
        /// The other side ends in the middle.
        case closedEarly = "closed-early"
        /// The other side breaks off.
        case reset
        /// The handshake has no end.
        case endless

        /// Whether an error is of this kind.
        public func matches(_ error: TLSError) -> Bool {
            switch (self, error.reason) {
            case (.version, .protocolVersion), (.keyMissing, .keyDoesNotMatchCertificate),
                (.unreadableCertificate, .unreadableCertificate), (.notTLS, .notTLS), (.timeout, .timedOut),
                (.closedEarly, .closedEarly), (.reset, .reset), (.endless, .handshakeTooLong):
                true
            default: false
            }
        }
    }
}

extension LaboratoryServer.Expectation: CustomStringConvertible {
    /// The expectation in words.
    public var description: String {
        switch self {
        case .policyTable: "as the policy table says"
        case .accepted: "accepted"
        case .acceptedWithFinding(let rule): "accepted, with a note (\(rule))"
        case .acceptedWithIdentity: "accepted with the client identity, no connection without"
        case .refused(let rule): "refused: \(rule)"
        case .noConnection(let failure): "no connection: \(failure)"
        }
    }
}

extension LaboratoryServer.Failure: CustomStringConvertible {
    /// The failure in words.
    public var description: String {
        switch self {
        case .version: "no common version"
        case .keyMissing: "the key does not match the certificate"
        case .unreadableCertificate: "the certificate cannot be read"
        case .notTLS: "not TLS"
        case .timeout: "no answer in time"
        case .closedEarly: "closed in the middle of the handshake"
        case .reset: "reset"
        case .endless: "a handshake without end"
        }
    }
}
