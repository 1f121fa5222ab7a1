/// Which name a client asks for in the handshake (RFC 6066, section 3). Servers with several certificates choose by it.
public enum ServerNameIndication: Sendable, Hashable {
    /// The endpoint's own name; none for an address.
    case endpoint
    /// Another name, normalised.
    case name(String)
    /// No name.
    case none

    /// The name to send; nil for none.
    public func name(for endpoint: TLSEndpoint) -> String? {
        switch self {
        case .endpoint: endpoint.serverName
        case .name(let name): name
        case .none: nil
        }
    }
}
