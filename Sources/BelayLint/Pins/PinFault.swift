import BelayCertificates
import BelayTrust

/// What is wrong with a digest, wherever it is pinned.
struct PinFault {
    let rule: Rule
    let message: String
    let meaning: String
    var expected: String?
    var remedy: String?

    static func all(of digest: SHA256Digest, _ known: KnownCertificates) -> [PinFault] {
        var faults: [PinFault] = []
        let meaning = "No key matches the pin."
        if digest == SHA256Digest(of: []) {
            let message = "the pin is the SHA-256 digest of nothing at all"
            faults.append(PinFault(rule: .pinOfNothing, message: message, meaning: meaning))
        } else if Set(digest.bytes).count == 1 {
            let message = "the pin is a placeholder: 32 bytes of the same value"
            faults.append(PinFault(rule: .placeholderPin, message: message, meaning: meaning))
        }
        if let pin = known.keyPin(ofCertificateHash: digest) {
            faults.append(
                PinFault(
                    rule: .certificateHash,
                    message: "the pin is the digest of a whole certificate, where that of its public key belongs",
                    meaning: meaning, expected: "\(pin)", remedy: "Write \(pin)."))
        }
        return faults
    }
}
