import BelayTrust
import COpenSSL
import Testing

@testable import BelayTLS

@Suite("Handshake messages")
struct HandshakeRecordTests {
    private func show(_ message: [UInt8], to record: HandshakeRecord, written: Bool = false) {
        message.withUnsafeBytes { buffer in
            HandshakeRecord.callback(
                written ? 1 : 0, 0x0303, SSL3_RT_HANDSHAKE, buffer.baseAddress, buffer.count, nil,
                Unmanaged.passUnretained(record).toOpaque())
        }
    }

    @Test("a Certificate message of TLS 1.2 is cut into its certificates")
    func certificate12() {
        let record = HandshakeRecord()
        // RFC 5246, section 7.4.2: type, length, length of the list, then each certificate with its length.
        show([11, 0, 0, 12, 0, 0, 9, 0, 0, 1, 0xAA, 0, 0, 2, 0xBB, 0xCC], to: record)
        #expect(record.certificates == [[0xAA], [0xBB, 0xCC]])
    }

    @Test("a Certificate message of TLS 1.3 has the leaf's staple and timestamps, and no other's")
    func certificate13() {
        let record = HandshakeRecord()
        // RFC 8446, section 4.1.3: a ServerHello whose supported_versions extension says 1.3.
        let hello: [UInt8] =
            [2, 0, 0, 46, 3, 3] + [UInt8](repeating: 0, count: 32) + [0, 0x13, 0x01, 0, 0, 6, 0, 43, 0, 2, 3, 4]
        show(hello, to: record)
        #expect(record.serverVersion == 0x0304)
        let leaf: [UInt8] = [0, 0, 1, 0xAA, 0, 14, 0, 5, 0, 5, 1, 0, 0, 1, 0x77, 0, 18, 0, 1, 0x55]
        let other: [UInt8] = [0, 0, 1, 0xBB, 0, 5, 0, 18, 0, 1, 0x66]
        let list = leaf + other
        show([11, 0, 0, UInt8(list.count + 4), 0, 0, 0, UInt8(list.count)] + list, to: record)
        #expect(record.certificates == [[0xAA], [0xBB]])
        #expect(record.stapledResponse == [0x77])
        #expect(record.timestampList == [0x55])
    }

    @Test("a server that ends the connection since it may not begin anew is said to, and not to have sent an alert")
    func renegotiation() {
        let record = HandshakeRecord()
        func alert(_ bytes: [UInt8], written: Bool) {
            bytes.withUnsafeBytes { buffer in
                HandshakeRecord.callback(
                    written ? 1 : 0, 0x0303, SSL3_RT_ALERT, buffer.baseAddress, buffer.count, nil,
                    Unmanaged.passUnretained(record).toOpaque())
            }
        }
        func reason() -> TLSError.Reason {
            record.reason(
                for: .handshakeFailure, sentIdentity: false, withheldIdentity: false, offered: .tls12 ... .tls12,
                isStaticKeyExchange: false)
        }
        show([2, 0, 0, 38, 3, 3] + [UInt8](repeating: 0, count: 32) + [0, 0xC0, 0x2F, 0], to: record)
        #expect(reason() == .alert(.handshakeFailure))
        // RFC 5246, section 7.2: a warning, no_renegotiation.
        alert([1, 100], written: true)
        #expect(record.sentAlert == nil)
        alert([2, 40], written: false)
        #expect(reason() == .renegotiationRefused)
    }

    @Test("messages that are cut off, or claim more than they have, are read to their end and no further")
    func broken() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let record = HandshakeRecord()
            for _ in 0..<3 {
                let types: [UInt8] = [2, 11, 12, 13, 22, 4, 0]
                let type = types.randomElement(using: &generator) ?? 2
                let count = Int.random(in: 0...60, using: &generator)
                // Small numbers make lengths that are nearly right.
                let body = (0..<count).map { _ -> UInt8 in
                    UInt8.random(in: 0...(Bool.random(using: &generator) ? 8 : 255), using: &generator)
                }
                show([type, 0, 0, UInt8(count)] + body, to: record, written: Bool.random(using: &generator))
            }
            #expect(record.certificates.joined().count <= 60)
        }
        show([], to: HandshakeRecord())
        show([11], to: HandshakeRecord())
    }

    @Test("peers that do not speak TLS are told from those that do by their first bytes")
    func opening() {
        #expect(TLSError.OtherProtocol(opening: []) == nil)
        #expect(TLSError.OtherProtocol(opening: [0x16]) == nil)
        #expect(TLSError.OtherProtocol(opening: [0x16, 3, 1, 0]) == nil)
        #expect(TLSError.OtherProtocol(opening: [0x15, 3, 3]) == nil)
        #expect(TLSError.OtherProtocol(opening: [0x16, 9]) == .unknown("16 09"))
        #expect(TLSError.OtherProtocol(opening: Array("<html>".utf8)) == .http("<html>"))
        let endless = [UInt8](repeating: 0x41, count: 256)
        #expect(TLSError.OtherProtocol(opening: endless) == .text(String(repeating: "A", count: 120)))
    }
}
