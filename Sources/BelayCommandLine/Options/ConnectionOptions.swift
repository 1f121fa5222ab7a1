import BelayArguments
import BelayCertificates
import BelayTLS
import BelayTrust

/// How to get there and who to be: the options of a connection.
struct ConnectionOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Dial here, and keep the URL's name.", valueName: "host:port"),
        transform: { text in try TLSEndpoint(hostAndPort: text) })
    var connectTo: TLSEndpoint?
    @Option(
        help: ArgumentHelp(
            "Expect this name in the certificate instead of the URL's: the safe way to connect by address.",
            valueName: "name"),
        transform: { text in try ServerName(text) })
    var expectName: ServerName?
    @Option(
        help: ArgumentHelp(
            "The client identity to show when asked: PKCS#12, or PEM with key and certificates.", valueName: "file")
    )
    var identity: String?
    @Option(help: ArgumentHelp("The passphrase of the identity: the file's first line.", valueName: "file"))
    var passphraseFile: String?
    @Option(
        help: ArgumentHelp(
            "The most seconds for each phase (resolving, connecting, handshake); 15 unless said otherwise.",
            valueName: "seconds"),
        transform: seconds)
    var timeout: Double?

    func validate() throws {
        if passphraseFile != nil, identity == nil {
            throw ValidationError("'--passphrase-file' means nothing without '--identity'")
        }
    }

    /// The limits of the phases.
    var timeouts: TLSTimeouts {
        var timeouts = TLSTimeouts(all: .milliseconds(Int64((timeout ?? 15) * 1_000)))
        timeouts.close = .seconds(1)
        return timeouts
    }

    /// The options as a command line has them.
    var words: [String] {
        var words: [String] = []
        if let connectTo { words += ["--connect-to", "\(connectTo)"] }
        if let expectName { words += ["--expect-name", "\(expectName)"] }
        if let identity { words += ["--identity", identity] }
        if let passphraseFile { words += ["--passphrase-file", passphraseFile] }
        if let timeout { words += ["--timeout", "\(timeout)"] }
        return words
    }

    /// Reads the identity; nil where none is given.
    func readIdentity() throws(InputError) -> TLSIdentity? {
        guard let identity else { return nil }
        var passphrase = try passphraseFile.map { (path) throws(InputError) in
            try SecretFile.read(path, for: "--passphrase-file", what: "passphrase")
        }
        defer { passphrase?.wipe() }
        let read: Identity
        do throws(IdentityFileError) {
            read = try Identity.read(contentsOf: StandardInput.path(identity), passphrase: passphrase)
        } catch {
            throw .identity(error)
        }
        do throws(TLSIdentityError) {
            return try TLSIdentity(certificates: read.certificates.map(\.der), privateKey: read.privateKey)
        } catch {
            throw InputError(
                message: "\(printable(identity)): \(error)",
                remedy: "Give '--identity' a certificate and key that OpenSSL can use for TLS.")
        }
    }

    static func seconds(_ text: String) throws -> Double {
        guard let value = Double(argument: text), value >= 0.001, value <= 86_400 else {
            throw ValidationError("expected seconds from 0.001 to 86400")
        }
        return value
    }
}

/// A secret in a file. It is never an argument, where every user of the machine could read it.
enum SecretFile {
    /// The first line, without its end.
    ///
    /// - Parameters:
    ///   - option: the option that names the file.
    ///   - what: what the secret is, in a word.
    static func read(_ path: String, for option: String, what: String) throws(InputError) -> [UInt8] {
        do throws(FileReadingError) {
            var bytes = try FileReading.bytes(ofFile: StandardInput.path(path), limit: 65_536)
            defer { bytes.wipe() }
            var line = Array(bytes.prefix { $0 != 0x0A })
            if line.last == 0x0D { line.removeLast() }
            return line
        } catch {
            let fault =
                if case .tooLarge = error { "is no \(what) file: it has no end within 64 KiB" } else { "\(error)" }
            throw InputError(
                message: "\(printable(path)): \(fault)",
                remedy: "Give '\(option)' a file whose first line is the \(what).")
        }
    }
}
