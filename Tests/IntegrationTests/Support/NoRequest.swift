import BelayTrust
import Testing

/// Expects that a client made a handshake and left.
///
/// Up to TLS 1.2 a request would be a record of application data. Under TLS 1.3 whatever is encrypted looks like that, and its length
/// tells what it is (RFC 8446): a Finished message of SHA-256 or SHA-384 has 4 bytes of header and 32 or 48 of digest (4.4.4), an alert 2
/// (6); the record adds a byte for the type (5.2) and 16 for the tag of each AEAD (RFC 5116, section 5.3).
func expectNoRequest(
    _ conversation: Relay.Conversation, _ version: TLSVersion, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(conversation.serverBytes > 0, sourceLocation: sourceLocation)
    #expect(conversation.rest == 0, sourceLocation: sourceLocation)
    let lengths = conversation.lengths(Relay.Record.applicationData)
    guard version >= .tls13 else {
        #expect(lengths.isEmpty, sourceLocation: sourceLocation)
        return
    }
    let finished = [4 + 32 + 1 + 16, 4 + 48 + 1 + 16]
    let alert = 2 + 1 + 16
    #expect(lengths.first.map(finished.contains) == true, "\(lengths)", sourceLocation: sourceLocation)
    #expect(lengths.dropFirst().allSatisfy { $0 == alert }, "\(lengths)", sourceLocation: sourceLocation)
    #expect(lengths.count <= 2, sourceLocation: sourceLocation)
}

extension Relay.Conversation {
    /// Whether the client sent more than a handshake and a goodbye: so that the measure is seen to measure.
    func holdsRequest(_ version: TLSVersion) -> Bool {
        let lengths = lengths(Relay.Record.applicationData)
        return version >= .tls13 ? lengths.dropFirst().contains { $0 > 2 + 1 + 16 } : !lengths.isEmpty
    }
}
