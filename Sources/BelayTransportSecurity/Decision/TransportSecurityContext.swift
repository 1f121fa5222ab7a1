/// What loads a URL: App Transport Security has different keys for it.
public enum TransportSecurityContext: String, Sendable, Hashable, CaseIterable {
    /// `URLSession` and what is built on it.
    case `default`
    /// Content of a web view; media in a page counts as such, too.
    case web
    /// AV Foundation.
    case media
    /// As ``default``, and an address is known to be on a network that the device is attached to.
    case localNetworking
}

/// For whom a decision is made.
public enum TransportSecurityFace: Sendable, Hashable {
    /// What Apple's systems do, whatever is wrong with the configuration.
    case simulation
    /// What connections of one's own may do: the same, but nothing at all while the configuration is malformed.
    case enforcement
}
