import COpenSSL

/// PKCS#12's own derivation of keys (RFC 7292, appendix B.2), on OpenSSL's digests.
///
/// OpenSSL 3.0 has the whole of it, and gives the memory that held the passphrase back without clearing it.
struct PKCS12Derivation {
    private let digest: OpaquePointer
    private let salt: [UInt8]
    private let rounds: Int
    private let purpose: PasswordDerivation.Purpose
    /// The digest's block and its output, in bytes: v and u in the standard.
    private let blockSize: Int
    private let size: Int

    /// A derivation with a digest, which has to live as long.
    init(_ digest: OpaquePointer, _ salt: [UInt8], _ rounds: Int, _ purpose: PasswordDerivation.Purpose) {
        self.digest = digest
        self.salt = salt
        self.rounds = rounds
        self.purpose = purpose
        blockSize = Int(EVP_MD_get_block_size(digest))
        size = Int(EVP_MD_get_size(digest))
    }

    /// Fills the output from a passphrase in UTF-16 with its zero; false where OpenSSL fails.
    func derive(from secret: Secret, into output: inout [UInt8]) -> Bool {
        guard blockSize > 0, size > 0, let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let diversifier = [UInt8](repeating: UInt8(truncatingIfNeeded: purpose.rawValue), count: blockSize)
        // Salt and passphrase, each repeated to whole blocks; the only copy of the passphrase here.
        let saltCount = wholeBlocks(salt.count)
        let secretCount = wholeBlocks(secret.count)
        var input = [UInt8](repeating: 0, count: saltCount + secretCount)
        defer { input.wipe() }
        for index in 0..<saltCount { input[index] = salt[index % salt.count] }
        secret.withUnsafeBytes { secret in
            for index in 0..<secretCount { input[saltCount + index] = secret[index % secret.count] }
        }
        var state = [UInt8](repeating: 0, count: size)
        defer { state.wipe() }
        var filled = 0
        while filled < output.count {
            guard hash(context, diversifier, input, &state) else { return false }
            let count = min(size, output.count - filled)
            for index in 0..<count { output[filled + index] = state[index] }
            filled += count
            if filled < output.count { add(state, to: &input) }
        }
        return true
    }

    private func wholeBlocks(_ count: Int) -> Int { (count + blockSize - 1) / blockSize * blockSize }

    /// The digest of diversifier and input, digested again and again (step 6 A).
    private func hash(
        _ context: OpaquePointer, _ diversifier: [UInt8], _ input: [UInt8], _ state: inout [UInt8]
    ) -> Bool {
        guard EVP_DigestInit_ex(context, digest, nil) == 1,
            EVP_DigestUpdate(context, diversifier, diversifier.count) == 1,
            EVP_DigestUpdate(context, input, input.count) == 1, EVP_DigestFinal_ex(context, &state, nil) == 1
        else { return false }
        return state.withUnsafeMutableBufferPointer { state in
            for _ in 1..<max(rounds, 1) {
                guard EVP_DigestInit_ex(context, digest, nil) == 1,
                    EVP_DigestUpdate(context, state.baseAddress, size) == 1,
                    EVP_DigestFinal_ex(context, state.baseAddress, nil) == 1
                else { return false }
            }
            return true
        }
    }

    /// Adds the repeated digest and one to each block of the input, as numbers (steps 6 B and C).
    private func add(_ state: [UInt8], to input: inout [UInt8]) {
        var block = 0
        while block < input.count {
            var carry: UInt16 = 1
            for index in stride(from: blockSize - 1, through: 0, by: -1) {
                carry += UInt16(input[block + index]) + UInt16(state[index % size])
                input[block + index] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            block += blockSize
        }
    }
}
