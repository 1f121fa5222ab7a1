import BelayArguments
import BelayCertificates

/// Opens the files that are converted, with the passphrase that was given, or with those that are asked for.
struct ConvertOpener {
    /// The passphrase of all files; nil where none was given.
    let given: Secret?
    let keyPassphrase: Secret?
    /// Whether keys may stay closed.
    let certificatesOnly: Bool

    /// Opens a file.
    ///
    /// - Parameter typed: what was typed for a file before, which may open this one too; afterwards what opened this one.
    /// - Throws: ``InputError``, or an `ExitCode` where the question was interrupted.
    func open(_ file: String, _ typed: inout Secret?) throws -> KeyStore {
        do {
            // Read once: standard input has no second time.
            var bytes: [UInt8]
            do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: StandardInput.path(file)) } catch {
                throw KeyStoreError.unreadable(error)
            }
            defer { bytes.wipe() }
            if let given { return try KeyStore(bytes: bytes, passphrase: given, keyPassphrase: keyPassphrase) }
            do throws(KeyStoreError) { return try whole(bytes, typed) } catch {
                guard error.needsPassphrase || error.isWrongPassphrase,
                    let (store, secret) = try TerminalPrompt.open(
                        file, isWrong: { ($0 as? KeyStoreError)?.isWrongPassphrase ?? false },
                        with: { secret in (try whole(bytes, secret), secret) })
                else { throw error }
                typed = secret
                return store
            }
        } catch let error as KeyStoreError {
            guard !error.needsPassphrase else {
                throw InputError(
                    message: "\(printable(file)): needs a passphrase and none was given",
                    remedy: "Give '--passphrase-file FILE', '--passphrase-fd N' or '--passphrase-env NAME'.",
                    isRemedyNews: true)
            }
            throw InputError(
                message: "\(KeyStoreFileError(file: StandardInput.path(file), problem: error))",
                remedy: "Give a file of certificates or keys, or a key store.")
        }
    }

    /// The store; it is an error where keys that are wanted stay closed for want of their passphrase.
    private func whole(_ bytes: [UInt8], _ secret: Secret?) throws(KeyStoreError) -> KeyStore {
        let store = try KeyStore(bytes: bytes, passphrase: secret, keyPassphrase: keyPassphrase)
        guard !certificatesOnly else { return store }
        for entry in store.entries {
            if case .closedKey(let error, _) = entry.content, error.needsPassphrase || error.isWrongPassphrase {
                throw error
            }
        }
        return store
    }
}

extension KeyStoreError {
    fileprivate var needsPassphrase: Bool {
        switch self {
        case .passphraseNeeded, .privateKey(.passphraseNeeded): true
        default: false
        }
    }

    fileprivate var isWrongPassphrase: Bool {
        switch self {
        case .wrongPassphrase, .privateKey(.wrongPassphrase): true
        default: false
        }
    }
}
