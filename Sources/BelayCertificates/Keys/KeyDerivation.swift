/// How much work a file may ask for before its passphrase is known to be right.
enum KeyDerivation {
    /// Rounds that are computed at most: some seconds, where people take 600,000.
    static let mostRounds = 5_000_000

    /// Checks the rounds that an EncryptedPrivateKeyInfo (RFC 5958, section 3) asks for.
    ///
    /// Other schemes than those with PBKDF2 or PKCS#5 and PKCS#12 rounds pass: OpenSSL bounds scrypt itself.
    static func checkRounds(ofEncryptedKey der: [UInt8]) throws(DERError) {
        var reader = DERReader(der)
        _ = try reader.enter(.sequence)
        _ = try reader.enter(.sequence)
        let scheme = Array(der[try reader.readObjectIdentifier()])
        if scheme == passwordBasedScheme2 {
            _ = try reader.enter(.sequence)
            _ = try reader.enter(.sequence)
            guard Array(der[try reader.readObjectIdentifier()]) == passwordBasedKeyDerivation2 else { return }
        } else if !scheme.starts(with: passwordBasedScheme1) && !scheme.starts(with: pkcs12Schemes) {
            return
        }
        _ = try reader.enter(.sequence)
        _ = try reader.read(.octetString)
        let start = reader.position
        let rounds = try reader.readInteger()
        reader = DERReader(der, in: start..<rounds.upperBound)
        do throws(DERError) { _ = try reader.readSmallInteger(upTo: mostRounds) } catch {
            throw DERError(.other("more than \(mostRounds) rounds of key derivation are asked for"), at: start)
        }
    }

    /// id-PBES2 (RFC 8018, appendix A.4).
    private static let passwordBasedScheme2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 13]
    /// id-PBKDF2 (RFC 8018, appendix A.2).
    private static let passwordBasedKeyDerivation2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 12]
    /// The arc of PBES1 (RFC 8018, appendix A.3).
    private static let passwordBasedScheme1: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5]
    /// pkcs-12PbeIds (RFC 7292, appendix C).
    private static let pkcs12Schemes: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 12, 1]
}
