import BelayTrust
import COpenSSL
import Glibc

extension TLSSession {
    /// What a failed operation means, judged by what the peer sent first and by OpenSSL's words last.
    func reason(
        for error: OpenSSLError, sentIdentity: Bool, offered: ClosedRange<TLSVersion>
    ) -> TLSError.Reason {
        if transport.exceededLimit { return .handshakeTooLong(limit: TLSContext.maximumHandshake) }
        if error.contains(SSL_R_EXCESSIVE_MESSAGE_SIZE) {
            return .certificateMessageTooLarge(limit: TLSContext.maximumCertificateList)
        }
        if let alert = record.receivedAlert, alert != .closeNotify {
            return record.reason(
                for: alert, sentIdentity: sentIdentity, withheldIdentity: answer?.withheldIdentity == true,
                offered: offered, isStaticKeyExchange: isStaticKeyExchange(handle))
        }
        if !record.sawServerHello, let other = TLSError.OtherProtocol(opening: transport.opening) {
            return .notTLS(other)
        }
        if let reason = reasonByCertificate(error) { return reason }
        if error.contains(
            SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH,
            SSL_R_UNSUPPORTED_SSL_VERSION, SSL_R_UNKNOWN_SSL_VERSION, SSL_R_NO_PROTOCOLS_AVAILABLE)
        {
            return .protocolVersion(
                minimum: offered.lowerBound, maximum: offered.upperBound, found: record.serverVersion)
        }
        if error.contains(SSL_R_UNSAFE_LEGACY_RENEGOTIATION_DISABLED) { return .insecureRenegotiation }
        if error.contains(SSL_R_NO_SHARED_CIPHER, SSL_R_NO_CIPHERS_AVAILABLE) { return .noSharedCipher(nil) }
        switch transport.failure {
        case 0: break
        case ECONNRESET, EPIPE, ECONNABORTED: return .reset
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN: return .unreachable(systemErrorText(transport.failure))
        default: return .system(call: "recv or send", code: transport.failure)
        }
        if transport.reachedEnd, record.refusedRenegotiation { return .renegotiationRefused }
        if transport.reachedEnd { return .closedEarly(bytesReceived: transport.bytesRead) }
        return .protocolViolation(error.text)
    }

    private func reasonByCertificate(_ error: OpenSSLError) -> TLSError.Reason? {
        guard record.receivedCertificateMessage else { return nil }
        if record.certificates.isEmpty { return .noCertificate }
        if error.contains(SSL_R_BAD_SIGNATURE, SSL_R_WRONG_SIGNATURE_SIZE) {
            return .keyDoesNotMatchCertificate(chain: record.certificates)
        }
        if error.contains(SSL_R_DIGEST_CHECK_FAILED) { return .badFinished }
        if error.contains(
            SSL_R_CERT_LENGTH_MISMATCH, SSL_R_UNABLE_TO_FIND_PUBLIC_KEY_PARAMETERS, SSL_R_UNKNOWN_CERTIFICATE_TYPE,
            SSL_R_LENGTH_MISMATCH) || error.contains(library: ERR_LIB_ASN1, ERR_LIB_X509)
        {
            return .unreadableCertificate(chain: record.certificates, detail: error.text)
        }
        return nil
    }
}

/// Whether the session's key exchange is RSA alone.
func isStaticKeyExchange(_ handle: OpaquePointer) -> Bool {
    guard let cipher = SSL_get_pending_cipher(handle) ?? SSL_get_current_cipher(handle) else { return false }
    return SSL_CIPHER_get_kx_nid(cipher) == NID_kx_rsa
}

extension HandshakeRecord {
    /// What an alert of the peer's means, after what has been said before it.
    func reason(
        for alert: TLSAlert, sentIdentity: Bool, withheldIdentity: Bool, offered: ClosedRange<TLSVersion>,
        isStaticKeyExchange: Bool
    ) -> TLSError.Reason {
        if let request = certificateRequest {
            // An identity whose key the server cannot check is not sent: then, too, the server got none.
            let sentNone = !sentIdentity || sentCertificateCount == 0
            if sentNone, alert.concernsCertificate || alert == .decodeError {
                return withheldIdentity
                    ? .clientIdentityWithheld(acceptableIssuers: request.acceptableIssuers)
                    : .clientCertificateRequired(acceptableIssuers: request.acceptableIssuers)
            }
            if !sentNone, alert.concernsCertificate {
                return .clientCertificateRefused(alert, acceptableIssuers: request.acceptableIssuers)
            }
        }
        if refusedRenegotiation { return .renegotiationRefused }
        switch alert {
        case .protocolVersion:
            return .protocolVersion(minimum: offered.lowerBound, maximum: offered.upperBound, found: nil)
        case .handshakeFailure, .insufficientSecurity:
            return sawServerHello ? .alert(alert) : .noSharedCipher(alert)
        case .noApplicationProtocol:
            return .noSharedApplicationProtocol
        case .badRecordMAC, .decryptError:
            // Where the key exchange is RSA alone, the server's key is tried by what it can decrypt: a server without it
            // fails at the first encrypted record.
            return isStaticKeyExchange ? .keyDoesNotMatchCertificate(chain: certificates) : .alert(alert)
        default:
            return .alert(alert)
        }
    }
}
