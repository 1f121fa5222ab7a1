import BelayArguments
import BelayCertificates
import Glibc

/// Where the passphrase of a file that is read comes from. It is never an argument.
struct PassphraseOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The passphrase that opens it: the file's first line.", valueName: "file"))
    var passphraseFile: String?
    @Option(
        help: ArgumentHelp("The same, from an open descriptor: its first line.", valueName: "number"),
        transform: PassphraseSource.descriptor)
    var passphraseFd: Int32?
    @Option(help: ArgumentHelp("The same, from this environment variable.", valueName: "name"))
    var passphraseEnv: String?

    func validate() throws { try source.checkOnce() }

    /// What is given.
    var source: PassphraseSource {
        PassphraseSource(
            prefix: "--passphrase", file: passphraseFile, descriptor: passphraseFd, variable: passphraseEnv)
    }
}

/// Where the passphrase of a file that is written comes from.
struct NewPassphraseOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The passphrase for what is written: the file's first line.", valueName: "file"))
    var newPassphraseFile: String?
    @Option(
        help: ArgumentHelp("The same, from an open descriptor: its first line.", valueName: "number"),
        transform: PassphraseSource.descriptor)
    var newPassphraseFd: Int32?
    @Option(help: ArgumentHelp("The same, from this environment variable.", valueName: "name"))
    var newPassphraseEnv: String?

    func validate() throws { try source.checkOnce() }

    /// What is given.
    var source: PassphraseSource {
        PassphraseSource(
            prefix: "--new-passphrase", file: newPassphraseFile, descriptor: newPassphraseFd, variable: newPassphraseEnv
        )
    }
}

/// A file, a descriptor or an environment variable that holds a passphrase; the terminal where none of them is given.
struct PassphraseSource: Sendable {
    /// How the options begin: `--passphrase` or `--new-passphrase`.
    let prefix: String
    let file: String?
    let descriptor: Int32?
    let variable: String?

    /// Whether one is given.
    var isGiven: Bool { file != nil || descriptor != nil || variable != nil }

    /// The files that are read, for ``StandardInput/checkOnce(_:)``.
    var files: [String] { (file.map { [$0] } ?? []) + (descriptor == STDIN_FILENO ? [StandardInput.descriptor] : []) }

    /// The options as a command line has them.
    var words: [String] {
        if let file { return ["\(prefix)-file", file] }
        if let descriptor { return ["\(prefix)-fd", "\(descriptor)"] }
        if let variable { return ["\(prefix)-env", variable] }
        return []
    }

    /// Refuses two sources: which of them should win?
    func checkOnce() throws {
        let given = [file != nil, descriptor != nil, variable != nil].count(where: \.self)
        guard given <= 1 else {
            throw ValidationError("'\(prefix)-file', '\(prefix)-fd' and '\(prefix)-env' exclude each other; give one")
        }
    }

    /// The passphrase; nil where no source is given. Nobody is asked.
    ///
    /// A variable's value is overwritten in the environment, so that it can be read only once.
    func read() throws(InputError) -> Secret? {
        if let file { return try SecretFile.secret(file, for: "\(prefix)-file", what: "passphrase") }
        if let descriptor { return try SecretFile.secret(ofDescriptor: descriptor, for: "\(prefix)-fd") }
        if let variable { return try value(of: variable) }
        return nil
    }

    /// The passphrase for something new: as given, or asked for twice on the terminal.
    ///
    /// - Parameter subject: what it is for, for example `the key of the authority`.
    func readNew(for subject: String) throws -> Secret {
        if let secret = try read() {
            guard !secret.isEmpty else {
                throw InputError(
                    message: "the passphrase for \(subject) is empty", remedy: "Give '\(prefix)-file' one that is not.")
            }
            return secret
        }
        while true {
            guard let first = try TerminalPrompt.ask("New passphrase for \(subject): "),
                let second = try TerminalPrompt.ask("The same again: ")
            else {
                throw InputError(
                    message: "there is no new passphrase for \(subject), and no terminal to ask at",
                    remedy: "Give '\(prefix)-file FILE', '\(prefix)-fd N' or '\(prefix)-env NAME'.", isRemedyNews: true)
            }
            if !first.isEmpty, first == second { return first }
            let fault = first.isEmpty ? "An empty passphrase protects nothing." : "The two are not the same."
            TerminalPrompt.say("\(fault) Once more, or Ctrl-C to stop.\n")
        }
    }

    /// The passphrase for a new PKCS#12 file, as ``readNew(for:)`` has it; says which programs will not take it.
    func readNewForPKCS12(_ file: String, _ console: Console) throws -> Secret {
        let secret = try readNew(for: printable(file))
        Self.warn(ofPKCS12: file, secret, console)
        return secret
    }

    /// Says which programs do not open a PKCS#12 file with a passphrase.
    static func warn(ofPKCS12 file: String, _ secret: Secret, _ console: Console) {
        guard !secret.isPrintableASCII else { return }
        console.note(
            "belay: \(console.noteStyle.warning("warning")): \(printable(file)): its passphrase has characters beyond ASCII, "
                + "and Java opens no PKCS#12 file with such a one")
    }

    /// Opens something that may need a passphrase: with the one given, else without, and where that shows that one is
    /// needed, with one that is asked for on the terminal: three times at most, where it is mistyped.
    ///
    /// - Parameters:
    ///   - name: what is opened, as the question calls it.
    ///   - needsPassphrase: whether an error means that there was none.
    ///   - isWrongPassphrase: whether an error means that it was another.
    ///   - body: opens it.
    /// - Throws: what `body` throws, an ``InputError``, or an `ExitCode` where the question was interrupted.
    func open<Value, Failure: Error>(
        _ name: String, needsPassphrase: (Failure) -> Bool, isWrongPassphrase: (Failure) -> Bool,
        with body: (Secret?) throws(Failure) -> Value
    ) throws -> Value {
        if isGiven { return try body(try read()) }
        do {
            return try body(nil)
        } catch {
            guard needsPassphrase(error),
                let value = try TerminalPrompt.open(
                    name, isWrong: { ($0 as? Failure).map(isWrongPassphrase) ?? false }, with: { try body($0) })
            else {
                throw error
            }
            return value
        }
    }

    private func value(of variable: String) throws(InputError) -> Secret {
        guard let value = getenv(variable) else {
            throw InputError(
                message: "there is no environment variable '\(printable(variable))'",
                remedy: "Give '\(prefix)-env' the name of one that holds the passphrase.", isRemedyNews: true)
        }
        let count = strlen(value)
        let secret = Secret(UnsafeRawBufferPointer(start: value, count: count))
        explicit_bzero(value, count)
        return secret
    }

    /// The number of a descriptor that can be read.
    static func descriptor(_ text: String) throws -> Int32 {
        guard let number = Int32(text), number >= 0, number != STDOUT_FILENO, number != STDERR_FILENO else {
            throw ValidationError("expected the number of a descriptor to read from: 0, or 3 and above")
        }
        return number
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
            var bytes = try FileReading.bytes(ofFile: StandardInput.path(path), limit: limit)
            defer { bytes.wipe() }
            return firstLine(of: bytes[...])
        } catch {
            let fault =
                if case .tooLarge = error { "is no \(what) file: it has no end within 64 KiB" } else { "\(error)" }
            throw InputError(
                message: "\(printable(path)): \(fault)",
                remedy: "Give '\(option)' a file whose first line is the \(what).")
        }
    }

    /// The same, kept apart.
    static func secret(_ path: String, for option: String, what: String) throws(InputError) -> Secret {
        var line = try read(path, for: option, what: what)
        return Secret(taking: &line)
    }

    /// The first line of an open descriptor.
    static func secret(ofDescriptor descriptor: Int32, for option: String) throws(InputError) -> Secret {
        // With room for all of it from the start: an array that grows leaves its old bytes behind.
        var bytes = [UInt8](repeating: 0, count: limit)
        defer { bytes.wipe() }
        var count = 0
        while count < limit, count == 0 || bytes[count - 1] != 0x0A {
            let got = bytes.withUnsafeMutableBytes { buffer in
                // A byte at a time: what follows the line is somebody else's, perhaps the next passphrase.
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, 1)
            }
            if got < 0, errno == EINTR { continue }
            if got == 0 { break }
            guard got == 1 else {
                throw InputError(
                    message:
                        "descriptor \(descriptor): \(strerror(errno).map { String(cString: $0) } ?? "error \(errno)")",
                    remedy: "Give '\(option)' a descriptor that is open, for example with 3<FILE in a shell.",
                    isRemedyNews: true)
            }
            count += 1
        }
        guard count < limit else {
            throw InputError(
                message: "descriptor \(descriptor): is no passphrase: it has no end within 64 KiB",
                remedy: "Give '\(option)' a descriptor whose first line is the passphrase.")
        }
        var line = firstLine(of: bytes[..<count])
        return Secret(taking: &line)
    }

    private static let limit = 65_536

    private static func firstLine(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var line = bytes[..<(bytes.firstIndex(of: 0x0A) ?? bytes.endIndex)]
        if line.last == 0x0D { line = line[..<(line.endIndex - 1)] }
        return Array(line)
    }
}
