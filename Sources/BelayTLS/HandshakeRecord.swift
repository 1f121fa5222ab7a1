import COpenSSL

/// What a peer's handshake messages said, taken from the messages themselves.
///
/// OpenSSL shows each message as it was on the wire. The certificates are cut out of it instead of being written anew from
/// what OpenSSL made of them, so the bytes that are judged are the bytes that were sent, even those OpenSSL cannot read.
final class HandshakeRecord {
    /// The side whose messages are recorded is the other one.
    private(set) var certificates: [[UInt8]] = []
    private(set) var receivedCertificateMessage = false
    private(set) var stapledResponse: [UInt8]?
    private(set) var timestampList: [UInt8]?
    /// Whether the server agreed to the extended master secret (RFC 7627), which TLS 1.3 has built in.
    private var agreedToMasterSecret = false
    var hasExtendedMasterSecret: Bool? { sawServerHello ? isVersion13 || agreedToMasterSecret : nil }
    private(set) var sawServerHello = false
    /// The version the server chose, as its number on the wire.
    private(set) var serverVersion: UInt16?
    private(set) var group: UInt16?
    private(set) var certificateRequest: ClientCertificateRequest?
    /// How many certificates this side sent; nil when it sent no Certificate message.
    private(set) var sentCertificateCount: Int?
    private(set) var receivedAlert: TLSAlert?
    private(set) var sentAlert: TLSAlert?
    /// Whether this side has refused to begin the handshake anew (RFC 5246, section 7.2.2: no_renegotiation).
    private(set) var refusedRenegotiation = false
    /// Whether the server gave a session ticket, which it does after it has accepted the client.
    private(set) var receivedTicket = false
    /// Whether the other side has sent anything of the application's protocol.
    private(set) var receivedData = false
    /// How many bytes of handshake messages the other side may send; nil without limit.
    ///
    /// OpenSSL reads on by itself after a message that it ignores, and after a ticket. Where it reads the socket itself, a peer that
    /// sends such messages without end would keep the thread for ever.
    var limit: Int?
    private(set) var exceededLimit = false
    private var receivedBytes = 0
    /// Whether the other side, while there is a limit, has asked for new keys over and over without sending anything under them.
    ///
    /// OpenSSL answers each time and reads on by itself: a few bytes cost it as much as a large record, and the thread nobody gets back.
    private(set) var exceededKeyUpdates = false
    private var keyUpdates = 0
    /// Peers that mean well ask after many gigabytes (RFC 8446, section 5.5).
    private static let maximumKeyUpdates = 32

    /// The callback that OpenSSL calls with each message, its last argument being the record.
    static let callback:
        @convention(c) (
            CInt, CInt, CInt, UnsafeRawPointer?, Int, OpaquePointer?, UnsafeMutableRawPointer?
        ) -> Void = { isWritten, version, contentType, buffer, count, session, argument in
            guard let argument, let buffer else { return }
            let record = Unmanaged<HandshakeRecord>.fromOpaque(argument).takeUnretainedValue()
            let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
            if contentType == SSL3_RT_ALERT, count == 2 {
                record.alert(TLSAlert(code: bytes[1]), isFatal: bytes[0] == 2, isWritten: isWritten != 0)
            } else if contentType == SSL3_RT_HANDSHAKE, count >= 4 {
                if isWritten == 0, record.exceeds(adding: count) || record.exceedsKeyUpdates(bytes[0]), let session {
                    // As if the other side had said goodbye: OpenSSL throws away what else comes.
                    return SSL_set_shutdown(session, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
                }
                var reader = WireReader(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(4)))
                record.message(bytes[0], &reader, isWritten: isWritten != 0)
            } else if isWritten == 0, !record.receivedData || record.keyUpdates > 0, count >= 1,
                record.isDataRecord(contentType, bytes[0])
            {
                record.receivedData = true
                record.keyUpdates = 0
            }
        }

    /// The record of an SSL object.
    static func of(session: OpaquePointer) -> HandshakeRecord? {
        SSL_get_ex_data(session, 0).map { Unmanaged<HandshakeRecord>.fromOpaque($0).takeUnretainedValue() }
    }

    private func exceeds(adding count: Int) -> Bool {
        guard let limit else { return false }
        receivedBytes += count
        if receivedBytes > limit { exceededLimit = true }
        return exceededLimit
    }

    private func exceedsKeyUpdates(_ type: UInt8) -> Bool {
        guard limit != nil, CInt(type) == SSL3_MT_KEY_UPDATE else { return false }
        keyUpdates += 1
        if keyUpdates > HandshakeRecord.maximumKeyUpdates { exceededKeyUpdates = true }
        return exceededKeyUpdates
    }

    /// Whether the negotiated version is 1.3, where certificates travel in another shape.
    private var isVersion13: Bool { serverVersion == 0x0304 }

    /// Whether what is read next is the application's. TLS 1.3 says so inside of records, since there all look alike outside (RFC 8446,
    /// section 5.2).
    private func isDataRecord(_ kind: CInt, _ type: UInt8) -> Bool {
        guard CInt(type) == SSL3_RT_APPLICATION_DATA else { return false }
        return kind == SSL3_RT_INNER_CONTENT_TYPE || (kind == SSL3_RT_HEADER && !isVersion13)
    }

    private func alert(_ alert: TLSAlert, isFatal: Bool, isWritten: Bool) {
        if isWritten, alert == .noRenegotiation { refusedRenegotiation = true }
        // Under TLS 1.3 the level means nothing (RFC 8446, section 6).
        guard isFatal || isVersion13 || alert == .closeNotify else { return }
        if isWritten { sentAlert = alert } else { receivedAlert = alert }
    }

    private func message(_ type: UInt8, _ reader: inout WireReader, isWritten: Bool) {
        switch (CInt(type), isWritten) {
        case (SSL3_MT_SERVER_HELLO, _): serverHello(&reader)
        case (SSL3_MT_CERTIFICATE, false): certificate(&reader)
        case (SSL3_MT_CERTIFICATE, true): sentCertificateCount = countCertificates(&reader)
        case (SSL3_MT_SERVER_KEY_EXCHANGE, _):
            // Named curve (RFC 8422, section 5.4); other kinds have no group number.
            if reader.byte() == 3 { group = reader.number() }
        case (SSL3_MT_CERTIFICATE_STATUS, false):
            if reader.byte() == 1 { stapledResponse = reader.vector(lengthBytes: 3).map { Array($0) } }
        case (SSL3_MT_CERTIFICATE_REQUEST, false): certificateRequest = request(&reader)
        case (SSL3_MT_NEWSESSION_TICKET, false): receivedTicket = true
        default: break
        }
    }

    /// RFC 5246, section 7.4.1.3; RFC 8446, section 4.1.3.
    private func serverHello(_ reader: inout WireReader) {
        sawServerHello = true
        serverVersion = reader.number()
        guard reader.skip(32), reader.vector(lengthBytes: 1) != nil, reader.skip(3) else { return }
        extensions(&reader) { type, content in
            var content = content
            switch type {
            case 18: timestampList = Array(content.rest)
            case 23: agreedToMasterSecret = true
            case 43: serverVersion = content.number() ?? serverVersion
            case 51: group = content.number()
            default: break
            }
        }
    }

    /// RFC 5246, section 7.4.2; RFC 8446, section 4.4.2.
    private func certificate(_ reader: inout WireReader) {
        receivedCertificateMessage = true
        certificates = []
        if isVersion13 { _ = reader.vector(lengthBytes: 1) }
        guard let list = reader.vector(lengthBytes: 3) else { return }
        var entries = WireReader(list)
        while let certificate = entries.vector(lengthBytes: 3) {
            let isLeaf = certificates.isEmpty
            certificates.append(Array(certificate))
            guard isVersion13 else { continue }
            extensions(&entries) { type, content in
                guard isLeaf else { return }
                var content = content
                switch type {
                case 5 where content.byte() == 1:
                    stapledResponse = content.vector(lengthBytes: 3).map { Array($0) }
                case 18: timestampList = Array(content.rest)
                default: break
                }
            }
        }
    }

    private func countCertificates(_ reader: inout WireReader) -> Int {
        if isVersion13 { _ = reader.vector(lengthBytes: 1) }
        guard let list = reader.vector(lengthBytes: 3) else { return 0 }
        var entries = WireReader(list)
        var count = 0
        while entries.vector(lengthBytes: 3) != nil {
            count += 1
            if isVersion13 { _ = entries.vector(lengthBytes: 2) }
        }
        return count
    }

    /// RFC 5246, section 7.4.4; RFC 8446, sections 4.3.2 and 4.2.4.
    private func request(_ reader: inout WireReader) -> ClientCertificateRequest {
        var issuers: [[UInt8]] = []
        var types: [UInt8] = []
        var schemes: [UInt16] = []
        if isVersion13 {
            _ = reader.vector(lengthBytes: 1)
            extensions(&reader) { type, content in
                var content = content
                if type == 47 { issuers = names(content.vector(lengthBytes: 2)) }
                if type == 13 { schemes = numbers(content.vector(lengthBytes: 2)) }
            }
        } else {
            types = reader.vector(lengthBytes: 1).map { Array($0) } ?? []
            if serverVersion == 0x0303 { schemes = numbers(reader.vector(lengthBytes: 2)) }
            issuers = names(reader.vector(lengthBytes: 2))
        }
        return ClientCertificateRequest(
            acceptableIssuers: issuers, certificateTypes: types, signatureSchemes: schemes)
    }

    private func numbers(_ list: UnsafeRawBufferPointer?) -> [UInt16] {
        guard let list else { return [] }
        var reader = WireReader(list)
        var numbers: [UInt16] = []
        while let number = reader.number() { numbers.append(number) }
        return numbers
    }

    private func names(_ list: UnsafeRawBufferPointer?) -> [[UInt8]] {
        guard let list else { return [] }
        var reader = WireReader(list)
        var names: [[UInt8]] = []
        while let name = reader.vector(lengthBytes: 2) { names.append(Array(name)) }
        return names
    }

    private func extensions(_ reader: inout WireReader, _ body: (UInt16, WireReader) -> Void) {
        guard let list = reader.vector(lengthBytes: 2) else { return }
        var entries = WireReader(list)
        while let type = entries.number(), let content = entries.vector(lengthBytes: 2) {
            body(type, WireReader(content))
        }
    }
}

/// Reads the vectors and numbers of TLS messages; nil where the bytes end too early.
struct WireReader {
    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    mutating func byte() -> UInt8? {
        guard let first = rest.first else { return nil }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return first
    }

    mutating func number() -> UInt16? {
        guard rest.count >= 2, let high = byte(), let low = byte() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    mutating func skip(_ count: Int) -> Bool {
        guard rest.count >= count else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        return true
    }

    /// A vector with its length in front, in 1 to 3 bytes.
    mutating func vector(lengthBytes: Int) -> UnsafeRawBufferPointer? {
        guard rest.count >= lengthBytes else { return nil }
        var length = 0
        for byte in rest.prefix(lengthBytes) { length = length << 8 | Int(byte) }
        guard rest.count - lengthBytes >= length else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: rest.dropFirst(lengthBytes).prefix(length))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(lengthBytes + length))
        return content
    }
}
