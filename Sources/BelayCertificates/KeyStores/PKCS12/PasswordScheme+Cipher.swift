import COpenSSL

extension PasswordScheme {
    /// Decrypts, with each form of the passphrase until what comes out is one whole element. The result is to be cleared.
    ///
    /// - Returns: Nil where no form of the passphrase does it: a wrong passphrase, or changed data.
    /// - Throws: `KeyStoreError`: a cipher that OpenSSL does not have, a missing provider, too much work.
    func decrypt(
        _ data: [UInt8], _ passphrase: PKCS12Passphrase, _ tools: inout PasswordTools
    ) throws(KeyStoreError) -> [UInt8]? {
        try tools.withCipher(cipher) { (function, tools) throws(KeyStoreError) in
            for secret in derivation.candidates(passphrase) {
                var keys = try makeKeys(function, secret, &tools.work)
                defer { keys.wipe() }
                guard var output = Self.run(function, keys, data, encrypts: false) else { continue }
                if output.first == DERTag.sequence.rawValue {
                    // Nothing is copied where it is DER, as nearly always.
                    if BER.isNormalized(output) { return output }
                    if let element = try? BER.normalized(output) {
                        output.wipe()
                        return element
                    }
                }
                output.wipe()
            }
            return nil
        }
    }

    /// Encrypts with the first form of the passphrase.
    ///
    /// - Throws: `KeyStoreError`, as ``decrypt(_:_:_:)``.
    func encrypt(
        _ data: [UInt8], _ passphrase: PKCS12Passphrase, _ tools: inout PasswordTools
    ) throws(KeyStoreError) -> [UInt8] {
        try tools.withCipher(cipher) { (function, tools) throws(KeyStoreError) in
            guard let secret = derivation.candidates(passphrase).first else { return [] }
            var keys = try makeKeys(function, secret, &tools.work)
            defer { keys.wipe() }
            guard let output = Self.run(function, keys, data, encrypts: true) else {
                throw .encodingFailed(.pkcs12, OpenSSLErrors.take().reason)
            }
            return output
        }
    }

    /// A key and an initialization vector.
    private struct Keys {
        var key: [UInt8]
        var vector: [UInt8]

        mutating func wipe() {
            key.wipe()
            vector.wipe()
        }
    }

    private func makeKeys(
        _ function: OpaquePointer, _ secret: Secret, _ work: inout KeyDerivation.Work
    ) throws(KeyStoreError) -> Keys {
        let keyLength = cipher.keyLength ?? Int(EVP_CIPHER_get_key_length(function))
        let vectorLength = Int(EVP_CIPHER_get_iv_length(function))
        if case .pbkdf2(_, _, _, let stated?) = derivation, stated != keyLength {
            throw .malformed(.pkcs12, "\(cipher.name) with a key of \(stated) bytes", at: nil)
        }
        if let vector = cipher.vector {
            guard vector.count == vectorLength else {
                throw .malformed(
                    .pkcs12, "\(cipher.name) with an initialization vector of \(vector.count) bytes", at: nil)
            }
            return Keys(key: try derivation.derive(keyLength, for: .key, from: secret, within: &work), vector: vector)
        }
        if case .pbkdf1 = derivation {
            // One derivation gives both (RFC 8018, section 6.1.2).
            var both = try derivation.derive(keyLength + vectorLength, for: .key, from: secret, within: &work)
            defer { both.wipe() }
            return Keys(key: Array(both.prefix(keyLength)), vector: Array(both.dropFirst(keyLength)))
        }
        let key = try derivation.derive(keyLength, for: .key, from: secret, within: &work)
        guard vectorLength > 0 else { return Keys(key: key, vector: []) }
        return Keys(key: key, vector: try derivation.derive(vectorLength, for: .vector, from: secret, within: &work))
    }

    /// Runs the cipher with padding (RFC 8018, section 6.1.1, step 4); nil where that is wrong.
    private static func run(
        _ function: OpaquePointer, _ keys: Keys, _ data: [UInt8], encrypts: Bool
    ) -> [UInt8]? {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        ERR_clear_error()
        defer { if !encrypts { ERR_clear_error() } }
        guard EVP_CipherInit_ex(context, function, nil, nil, nil, encrypts ? 1 : 0) == 1,
            EVP_CIPHER_CTX_set_key_length(context, Int32(clamping: keys.key.count)) == 1,
            EVP_CipherInit_ex(context, nil, nil, keys.key, keys.vector.isEmpty ? nil : keys.vector, encrypts ? 1 : 0)
                == 1
        else { return nil }
        var output = [UInt8](repeating: 0, count: data.count + 64)
        var count: Int32 = 0
        var rest: Int32 = 0
        let isDone = output.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress,
                EVP_CipherUpdate(context, start, &count, data, Int32(clamping: data.count)) == 1
            else { return false }
            return EVP_CipherFinal_ex(context, start + Int(count), &rest) == 1
        }
        guard isDone else {
            output.wipe()
            return nil
        }
        output.removeLast(output.count - Int(count) - Int(rest))
        return output
    }
}

extension PasswordCipher {
    /// Whether a library context of OpenSSL has it; nil for the default one.
    func isAvailable(in context: OpaquePointer?) -> Bool {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let cipher = EVP_CIPHER_fetch(context, fetched, nil) else { return false }
        EVP_CIPHER_free(cipher)
        return true
    }
}

/// What opening a file needs: the work that is left, and the legacy provider once it is asked for.
struct PasswordTools {
    /// The work that is left.
    var work = KeyDerivation.Work()
    private let modules: String?
    private var legacy: LegacyProvider?

    /// Tools whose legacy provider comes from a folder; nil for OpenSSL's own.
    init(modulesIn folder: String? = nil) {
        modules = folder
    }

    /// Lends a cipher.
    ///
    /// - Throws: ``KeyStoreError/unsupportedCipher(_:_:)``, ``KeyStoreError/missingLegacyProvider(cipher:)``.
    mutating func withCipher<Result>(
        _ cipher: PasswordCipher, _ body: (OpaquePointer, inout PasswordTools) throws(KeyStoreError) -> Result
    ) throws(KeyStoreError) -> Result {
        if cipher.isLegacy && legacy == nil {
            legacy = LegacyProvider(modulesIn: modules)
            guard legacy != nil else { throw .missingLegacyProvider(cipher: cipher.name) }
        }
        ERR_clear_error()
        let fetched = EVP_CIPHER_fetch(cipher.isLegacy ? legacy?.context : nil, cipher.fetched, nil)
        defer { EVP_CIPHER_free(fetched) }
        let isUsable = fetched.map { EVP_CIPHER_get_mode($0) == EVP_CIPH_CBC_MODE || cipher.vector == nil } ?? false
        guard let fetched, isUsable else {
            ERR_clear_error()
            throw .unsupportedCipher(.pkcs12, cipher.name)
        }
        return try body(fetched, &self)
    }
}
