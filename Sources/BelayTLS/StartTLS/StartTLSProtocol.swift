/// Protocols that begin in the clear and change to TLS on request.
public enum StartTLSProtocol: String, Sendable, Hashable, CaseIterable {
    /// Mail submission and transfer: `STARTTLS` (RFC 3207).
    case smtp
    /// Mail access: `STARTTLS` (RFC 9051, section 6.2.1).
    case imap
    /// Mail access: `STLS` (RFC 2595, section 4).
    case pop3
    /// File transfer: `AUTH TLS` on the control connection (RFC 4217).
    case ftp
    /// PostgreSQL: `SSLRequest` (Frontend/Backend Protocol, "SSL Session Encryption").
    case postgres
    /// Directories: the extended operation StartTLS (RFC 4511, section 4.14).
    case ldap

    /// The port that the protocol has at IANA: 25, 143, 110, 21, 5432, 389.
    public var defaultPort: UInt16 {
        switch self {
        case .smtp: 25
        case .imap: 143
        case .pop3: 110
        case .ftp: 21
        case .postgres: 5432
        case .ldap: 389
        }
    }

    /// The scheme of the same service when it speaks TLS from the first byte; nil where there is none.
    var schemeOfImplicitTLS: String? { self == .postgres ? nil : rawValue + "s" }
}

extension StartTLSProtocol: CustomStringConvertible {
    /// The protocol's name for people, for example `SMTP`, `PostgreSQL`.
    public var description: String {
        switch self {
        case .smtp: "SMTP"
        case .imap: "IMAP"
        case .pop3: "POP3"
        case .ftp: "FTP"
        case .postgres: "PostgreSQL"
        case .ldap: "LDAP"
        }
    }
}
