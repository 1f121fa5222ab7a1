import COpenSSL

extension PrivateKey {
    /// A private key on a PKCS#11 token: a smart card, a security module, SoftHSM. It signs there and never leaves it.
    ///
    /// ```swift
    /// let key = try PrivateKey.onToken(PKCS11URI("pkcs11:token=office;object=client"), pin: pin)
    /// ```
    ///
    /// Keys of RSA and on elliptic curves are supported. The key is asked for one signature, so that one that cannot sign is known here
    /// and not in the middle of a handshake.
    ///
    /// This needs libp11 (Debian's package libp11-3), which is loaded when the first key on a token is asked for, and the token's PKCS#11
    /// module. Both are a matter of the whole process: the module is initialised once, stays until the process ends once a key came
    /// of it, sees the tokens that were there when it was loaded, and knows the PIN (libp11 keeps a copy as well, which nobody clears before
    /// the process ends). A PIN is tried once, at one token, and never again by itself: tokens lock themselves.
    ///
    /// Signing waits for the token, on the thread that wants the signature. With a smart card that takes a part of a second.
    ///
    /// - Parameters:
    ///   - uri: which key.
    ///   - module: the PKCS#11 module's file, where the URI names none; nil for p11-kit's, which stands for all that are registered on
    ///     the machine. A module is a program: it runs inside this process.
    ///   - pin: the PIN; nil to read it from the URI's `pin-source`, or where the token needs none or has a keypad.
    /// - Throws: ``PKCS11Error``.
    public static func onToken(
        _ uri: PKCS11URI, module: String? = nil, pin: Secret? = nil
    ) throws(PKCS11Error) -> PrivateKey {
        try find(uri, module: module, pin: pin).0
    }

    /// The key, and the certificates on its token with their identifiers.
    static func find(
        _ uri: PKCS11URI, module: String?, pin: Secret?
    ) throws(PKCS11Error) -> (key: PrivateKey, name: String, id: [UInt8], certificates: [(id: [UInt8], der: [UInt8])]) {
        var pin = pin
        if pin == nil { pin = try uri.readPIN() }
        let module = uri.modulePath ?? module
        return try PKCS11Modules.ofThisProcess.withLock { (modules) throws(PKCS11Error) in
            try modules.find(uri, module: module, pin: pin) { (place) throws(PKCS11Error) in
                let certificates = try place.module.certificates(on: place.token)
                let pointer = try place.take()
                do throws(PrivateKeyError) {
                    let key = try PrivateKey(owning: pointer, isOnToken: true)
                    try key.proveItself()
                    return (key, place.name, place.id, certificates)
                } catch {
                    throw .cannotSign(key: place.name, reason: error.reason)
                }
            }
        }
    }

    /// Signs something that means nothing to anybody, and checks the signature.
    private func proveItself() throws(PrivateKeyError) {
        var message = Array("A signature to see whether this key can sign: ".utf8)
        var random = [UInt8](repeating: 0, count: 32)
        guard RAND_bytes(&random, Int32(random.count)) == 1 else { throw .signingFailed("no random numbers") }
        message += random
        let algorithm = usualSignatureAlgorithm
        let signature = try sign(message, with: algorithm)
        guard let verification = VerificationKey(publicKey),
            verification.verifies(signature, over: message, in: 0..<message.count, with: algorithm)
        else { throw .signingFailed("its signature is wrong: the token's public key is another key's") }
    }
}

extension PrivateKeyError {
    /// OpenSSL's reason alone, where there is one.
    fileprivate var reason: String {
        switch self {
        case .signingFailed(let reason), .malformed(let reason): reason
        default: description
        }
    }
}

extension PKCS11URI {
    /// The first line of the file that holds the PIN; nil where none is named.
    fileprivate func readPIN() throws(PKCS11Error) -> Secret? {
        guard let pinFile else { return nil }
        do throws(FileReadingError) {
            var bytes = try FileReading.bytes(ofFile: pinFile, limit: 4_096)
            defer { bytes.wipe() }
            return Secret(bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
        } catch {
            throw .unreadablePIN(file: pinFile, error)
        }
    }
}
