import BelayCertificates

/// What the leaf of a chain must be good for. A ``ServerTrust`` may carry several; all must hold.
public enum TrustPolicy: Sendable, Hashable {
    /// A TLS server with this name; without a name, any TLS server.
    case tlsServer(name: ServerName?)
    /// A TLS client.
    case tlsClient
    /// A valid chain and nothing more: neither name nor purpose of the leaf is demanded.
    case basicX509

    /// The name to compare, if there is one.
    public var name: ServerName? {
        if case .tlsServer(let name) = self { name } else { nil }
    }

    var purpose: OID? {
        switch self {
        case .tlsServer: .serverAuthentication
        case .tlsClient: .clientAuthentication
        case .basicX509: nil
        }
    }
}
