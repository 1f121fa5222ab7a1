import COpenSSL

extension PasswordDerivation {
    /// What a derived key is for (RFC 7292, appendix B.3).
    enum Purpose: Int32 {
        /// To encrypt with.
        case key = 1
        /// An initialization vector.
        case vector = 2
        /// For an integrity code.
        case code = 3
    }

    /// The passphrases as this derivation takes them, in the order in which they are tried.
    func candidates(_ passphrase: PKCS12Passphrase) -> [Secret] {
        if case .pkcs12 = self { passphrase.wide } else { passphrase.plain }
    }

    /// Derives `count` bytes. They are to be cleared by whoever gets them.
    ///
    /// - Throws: `KeyStoreError`: too much work, or a function that OpenSSL does not have.
    func derive(
        _ count: Int, for purpose: Purpose, from secret: Secret, within work: inout KeyDerivation.Work
    ) throws(KeyStoreError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        let isDone: Bool
        switch self {
        case .pkcs12(let hash, let salt, let rounds):
            let digest = try Self.fetch(hash, name: AlgorithmNames.name(hash))
            defer { EVP_MD_free(digest) }
            try work.spend(rounds, blocks: count, of: Int(EVP_MD_get_size(digest)))
            isDone = PKCS12Derivation(digest, salt, rounds, purpose).derive(from: secret, into: &output)
        case .pbkdf2(let function, let salt, let rounds, _):
            let name = AlgorithmNames.name(function)
            guard let hash = AlgorithmNames.digest(ofHMAC: function) else {
                throw .unsupportedCipher(.pkcs12, "a key by PBKDF2 with \(name)")
            }
            let digest = try Self.fetch(hash, name: name)
            defer { EVP_MD_free(digest) }
            try work.spend(rounds, blocks: count, of: Int(EVP_MD_get_size(digest)))
            isDone = secret.withUnsafeBytes { secret in
                PKCS5_PBKDF2_HMAC(
                    secret.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: secret.count), salt,
                    Int32(clamping: salt.count), Int32(clamping: rounds), digest, Int32(clamping: count), &output) == 1
            }
        case .pbkdf1(let hash, let salt, let rounds):
            let digest = try Self.fetch(hash, name: AlgorithmNames.name(hash))
            defer { EVP_MD_free(digest) }
            try work.spend(rounds, blocks: 1, of: 1)
            isDone = Self.hashRepeatedly(digest, secret, salt, rounds, into: &output)
        case .scrypt(let salt, let cost, let blockSize, let parallelization):
            let (product, overflow) = cost.multipliedReportingOverflow(by: blockSize)
            let (steps, overflowToo) = product.multipliedReportingOverflow(by: parallelization)
            guard !overflow, !overflowToo else {
                throw .tooMuchWork(.pkcs12, rounds: .max, limit: KeyDerivation.mostRounds)
            }
            try work.spend(steps, blocks: 1, of: 1)
            isDone = secret.withUnsafeBytes { secret in
                EVP_PBE_scrypt(
                    secret.baseAddress?.assumingMemoryBound(to: CChar.self), secret.count, salt, salt.count,
                    UInt64(cost), UInt64(blockSize), UInt64(parallelization), KeyDerivation.mostMemory, &output, count)
                    == 1
            }
        }
        guard isDone else {
            output.wipe()
            throw .malformed(.pkcs12, "\(self): \(OpenSSLErrors.take().reason)", at: nil)
        }
        return output
    }

    private static func fetch(_ hash: OID, name: String) throws(KeyStoreError) -> OpaquePointer {
        guard let digest = AlgorithmNames.fetchDigest(hash) else {
            throw .unsupportedCipher(.pkcs12, "a key by \(name)")
        }
        return digest
    }

    /// PBKDF1 (RFC 8018, section 5.1): the digest of passphrase and salt, digested again and again.
    private static func hashRepeatedly(
        _ digest: OpaquePointer, _ secret: Secret, _ salt: [UInt8], _ rounds: Int, into output: inout [UInt8]
    ) -> Bool {
        let size = Int(EVP_MD_get_size(digest))
        guard size >= output.count, let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        var state = [UInt8](repeating: 0, count: size)
        defer { state.wipe() }
        var isDone = secret.withUnsafeBytes { secret in
            EVP_DigestInit_ex(context, digest, nil) == 1
                && EVP_DigestUpdate(context, secret.baseAddress, secret.count) == 1
                && EVP_DigestUpdate(context, salt, salt.count) == 1
                && EVP_DigestFinal_ex(context, &state, nil) == 1
        }
        for _ in 1..<max(rounds, 1) where isDone {
            isDone =
                EVP_DigestInit_ex(context, digest, nil) == 1 && EVP_DigestUpdate(context, state, size) == 1
                && EVP_DigestFinal_ex(context, &state, nil) == 1
        }
        output.replaceSubrange(0..<output.count, with: state.prefix(output.count))
        return isDone
    }
}

extension KeyDerivation {
    /// Bytes of memory that scrypt may use.
    static let mostMemory: UInt64 = 128 << 20

    /// The work that one file has asked for, all its keys and the forms of its passphrase together.
    struct Work {
        private var spent = 0

        /// Four keys with the most that one may ask for.
        static let mostRounds = 4 * KeyDerivation.mostRounds

        /// Adds a derivation of `count` bytes by a function that gives `size` at a time.
        mutating func spend(_ rounds: Int, blocks count: Int, of size: Int) throws(KeyStoreError) {
            let blocks = max(1, (count + max(size, 1) - 1) / max(size, 1))
            let (cost, overflow) = rounds.multipliedReportingOverflow(by: blocks)
            guard !overflow else { throw .tooMuchWork(.pkcs12, rounds: .max, limit: Self.mostRounds) }
            let (total, isTooMuch) = spent.addingReportingOverflow(cost)
            guard !isTooMuch, total <= Self.mostRounds else {
                throw .tooMuchWork(.pkcs12, rounds: isTooMuch ? .max : total, limit: Self.mostRounds)
            }
            spent = total
        }
    }
}
