/// How other programs want pins written.
public enum PinFormat: String, Sendable, Hashable, CaseIterable {
    /// A digest a line, in base64.
    case base64
    /// A digest a line, in hexadecimal.
    case hex
    /// A digest a line, in base64 after `sha256/`: OkHttp's spelling, which `belay` prints itself.
    case sha256
    /// curl's option `--pinnedpubkey`.
    case curl
    /// Calls of `add` for OkHttp's `CertificatePinner.Builder`.
    case okhttp
    /// A `network_security_config.xml` of Android.
    case android
    /// The dictionary `TSKConfiguration` of TrustKit, in a property list.
    case trustkit
    /// `NSPinnedDomains` of App Transport Security, in a property list.
    case nspinneddomains

    /// Whether pins are written for hosts.
    public var needsHosts: Bool {
        switch self {
        case .base64, .hex, .sha256, .curl: false
        case .okhttp, .android, .trustkit, .nspinneddomains: true
        }
    }
}
