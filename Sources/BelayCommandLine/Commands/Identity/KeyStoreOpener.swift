import BelayArguments
import BelayCertificates

/// Where the passphrase of the keys in a file comes from, where that is another than the file's.
struct KeyPassphraseOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The passphrase of the keys, where it is another than the file's: the file's first line.",
            valueName: "file"))
    var keyPassphraseFile: String?
    @Option(
        help: ArgumentHelp("The same, from an open descriptor: its first line.", valueName: "number"),
        transform: PassphraseSource.descriptor)
    var keyPassphraseFd: Int32?
    @Option(help: ArgumentHelp("The same, from this environment variable.", valueName: "name"))
    var keyPassphraseEnv: String?

    func validate() throws { try source.checkOnce() }

    /// What is given.
    var source: PassphraseSource {
        PassphraseSource(
            prefix: "--key-passphrase", file: keyPassphraseFile, descriptor: keyPassphraseFd, variable: keyPassphraseEnv
        )
    }
}

/// Opens key stores with the passphrases that were given, or that are asked for on the terminal.
struct KeyStoreOpener {
    private let source: PassphraseSource
    private let passphrase: Secret?
    private let keyPassphrase: Secret?
    private let asks: Bool

    /// Reads the passphrases: once, however many files there are.
    init(source: PassphraseSource, keys: PassphraseSource, asks: Bool = true) throws(InputError) {
        self.source = source
        self.asks = asks
        passphrase = try source.read()
        keyPassphrase = try keys.read()
    }

    /// What came of opening a file.
    struct Opened {
        /// What is in it; nil where nothing could be seen without a passphrase.
        let store: KeyStore?
        /// The passphrase that opened it; nil where none was needed.
        let passphrase: Secret?
        /// How a PKCS#12 file is protected; nil for others.
        let description: PKCS12Description?
        /// The size of the file in bytes.
        let byteCount: Int
    }

    /// Opens a file.
    ///
    /// - Throws: ``KeyStoreFileError``; an `ExitCode` where the question was interrupted.
    func open(_ path: String) throws -> Opened {
        try reading(path) { bytes in try open(bytes, path, needsEverything: true) }
    }

    /// Opens a file as far as that goes; without a passphrase what can be seen is enough.
    ///
    /// - Throws: as ``open(_:)``.
    func inspect(_ path: String) throws -> Opened {
        try reading(path) { bytes in try open(bytes, path, needsEverything: false) }
    }

    private func reading(_ path: String, _ body: ([UInt8]) throws -> Opened) throws -> Opened {
        do {
            var bytes: [UInt8]
            do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: StandardInput.path(path)) } catch {
                throw KeyStoreError.unreadable(error)
            }
            defer { bytes.wipe() }
            return try body(bytes)
        } catch let error as KeyStoreError {
            throw KeyStoreFileError(file: path, problem: error)
        }
    }

    private func open(_ bytes: [UInt8], _ path: String, needsEverything: Bool) throws -> Opened {
        var used = passphrase
        var found = try attempt(bytes, used)
        if used == nil, asks, found?.isClosed ?? true,
            let (opened, typed) = try TerminalPrompt.open(
                path, isWrong: { if case .wrongPassphrase? = $0 as? KeyStoreError { true } else { false } },
                with: { typed in (try attempt(bytes, typed), typed) })
        {
            (found, used) = (opened, typed)
        }
        if needsEverything, found == nil { throw KeyStoreError.passphraseNeeded(.pkcs12) }
        let description = try describe(
            bytes, found == nil ? nil : (used ?? Secret([])), isPKCS12: found?.format == .pkcs12)
        return Opened(store: found, passphrase: used, description: description, byteCount: bytes.count)
    }

    /// The store; nil where a passphrase is needed to see anything, and there is none.
    private func attempt(_ bytes: [UInt8], _ passphrase: Secret?) throws -> KeyStore? {
        do throws(KeyStoreError) {
            return try KeyStore(bytes: bytes, passphrase: passphrase, keyPassphrase: keyPassphrase)
        } catch {
            if case .passphraseNeeded = error, passphrase == nil { return nil }
            throw error
        }
    }

    private func describe(_ bytes: [UInt8], _ passphrase: Secret?, isPKCS12: Bool) throws -> PKCS12Description? {
        guard isPKCS12 || passphrase == nil else { return nil }
        return try PKCS12Description(bytes, passphrase: passphrase, keyPassphrase: keyPassphrase)
    }
}

extension KeyStore {
    /// Whether there are keys in it that a passphrase might open.
    fileprivate var isClosed: Bool {
        entries.contains { entry in
            if case .closedKey(.passphraseNeeded, _) = entry.content { return true }
            if case .closedKey(.privateKey(.passphraseNeeded), _) = entry.content { return true }
            return false
        }
    }
}
