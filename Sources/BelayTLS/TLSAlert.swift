/// An alert of the TLS protocol, by its number (RFC 8446, section 6, and the IANA registry).
public struct TLSAlert: Sendable, Hashable {
    /// The number on the wire.
    public let code: UInt8

    /// An alert by its number.
    public init(code: UInt8) {
        self.code = code
    }

    /// The name in the registry, for example `handshake_failure`; `unassigned` where it has none.
    public var name: String {
        switch code {
        case 0: "close_notify"
        case 10: "unexpected_message"
        case 20: "bad_record_mac"
        case 21: "decryption_failed"
        case 22: "record_overflow"
        case 30: "decompression_failure"
        case 40: "handshake_failure"
        case 41: "no_certificate"
        case 42: "bad_certificate"
        case 43: "unsupported_certificate"
        case 44: "certificate_revoked"
        case 45: "certificate_expired"
        case 46: "certificate_unknown"
        case 47: "illegal_parameter"
        case 48: "unknown_ca"
        case 49: "access_denied"
        case 50: "decode_error"
        case 51: "decrypt_error"
        case 52: "too_many_cids_requested"
        case 60: "export_restriction"
        case 70: "protocol_version"
        case 71: "insufficient_security"
        case 80: "internal_error"
        case 86: "inappropriate_fallback"
        case 90: "user_canceled"
        case 100: "no_renegotiation"
        case 109: "missing_extension"
        case 110: "unsupported_extension"
        case 111: "certificate_unobtainable"
        case 112: "unrecognized_name"
        case 113: "bad_certificate_status_response"
        case 114: "bad_certificate_hash_value"
        case 115: "unknown_psk_identity"
        case 116: "certificate_required"
        case 120: "no_application_protocol"
        default: "unassigned"
        }
    }

    static let closeNotify = TLSAlert(code: 0)
    static let badRecordMAC = TLSAlert(code: 20)
    static let handshakeFailure = TLSAlert(code: 40)
    static let protocolVersion = TLSAlert(code: 70)
    static let insufficientSecurity = TLSAlert(code: 71)
    /// What GnuTLS answers under TLS 1.2 to a list of client certificates that is empty.
    static let decodeError = TLSAlert(code: 50)
    static let decryptError = TLSAlert(code: 51)
    static let noRenegotiation = TLSAlert(code: 100)
    static let noApplicationProtocol = TLSAlert(code: 120)

    /// Whether a server says with it that it wants another client certificate, or one at all.
    var concernsCertificate: Bool {
        (40...46).contains(code) || [48, 49, 51, 116].contains(code)
    }
}

extension TLSAlert: CustomStringConvertible {
    /// The name and the number, for example `handshake_failure (40)`.
    public var description: String { "\(name) (\(code))" }
}
