import BelayArguments
import Glibc

/// Where a command's output goes: results to standard output, everything else to standard error.
///
/// ```swift
/// let console = Console()
/// let style = console.style
/// try console.print("\(style.good("trusted")) \(host)")
/// console.note("3 addresses tried")
/// guard isTrusted else { throw ExitStatus.refused }
/// ```
struct Console: Sendable {
    /// How results are drawn: in colour only where standard output is a terminal that wants it.
    let style: Style
    /// How messages on standard error are drawn.
    let noteStyle: Style
    /// The width for results, in columns: the terminal's, at most 120; 100 where there is none.
    let columns: Int

    /// Looks at the process's descriptors and environment.
    init() {
        style = Style(isColoured: Self.wantsColour(STDOUT_FILENO))
        noteStyle = Style(isColoured: Self.wantsColour(STDERR_FILENO))
        columns = Self.width(of: STDOUT_FILENO)
    }

    private init(style: Style, noteStyle: Style, columns: Int) {
        self.style = style
        self.noteStyle = noteStyle
        self.columns = columns
    }

    /// The console for texts that are results elsewhere and go to standard error here.
    var forNotes: Console {
        Console(style: noteStyle, noteStyle: noteStyle, columns: Self.width(of: STDERR_FILENO))
    }

    /// Whether standard output is a terminal, so that progress may be drawn.
    var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes a result and a line break to standard output.
    ///
    /// - Throws: an ``ExitStatus`` where it cannot be written; what went wrong has been said then.
    func print(_ text: String) throws(ExitCode) {
        try write(Array((text + "\n").utf8))
    }

    /// Writes a value as JSON, its keys in the order in which they are encoded, and a line break to standard output.
    func printJSON(_ value: some Encodable, pretty: Bool = true) throws {
        try write(try JSONText.encode(value, pretty: pretty) + [0x0A])
    }

    /// Writes bytes to standard output, all of them.
    ///
    /// A reader that has gone away ends the program without a word, as it ends other filters.
    func write(_ bytes: [UInt8]) throws(ExitCode) {
        let failure = Self.write(bytes, to: STDOUT_FILENO)
        if failure != 0 { throw outputFailure(failure) }
    }

    /// What a failure to write to standard output ends the program with, by its number; what went wrong has been said then.
    func outputFailure(_ failure: Int32) -> ExitCode {
        if failure == EPIPE { return ExitStatus.outputClosed }
        return fail("standard output: \(strerror(failure).map { String(cString: $0) } ?? "error \(failure)")")
    }

    /// Says something that is no result, on standard error.
    func note(_ text: String) {
        _ = Self.write(Array((text + "\n").utf8), to: STDERR_FILENO)
    }

    /// Says on standard error that something could not be read or reached.
    ///
    /// - Returns: the status to end with; throw it.
    func fail(_ message: String, status: ExitCode = ExitStatus.unreadable) -> ExitCode {
        note("belay: \(noteStyle.bad("error")): \(message)")
        return status
    }

    /// Runs `body`; what it throws is reported as something that could not be read.
    func reading<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(ExitCode) -> Result {
        do {
            return try body()
        } catch {
            throw fail((error as? InputError)?.text ?? "\(error)")
        }
    }

    /// All of the bytes; the number of the error, 0 for none.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
                if count < 0 {
                    switch errno {
                    case EINTR: continue
                    case EAGAIN:
                        var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                        poll(&watched, 1, -1)
                        continue
                    default: return errno
                    }
                }
                rest = rest.dropFirst(count)
            }
            return 0
        }
    }

    /// NO_COLOR is the convention of no-color.org: set and not empty.
    private static func wantsColour(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1, setting("NO_COLOR").isEmpty else { return false }
        return setting("TERM") != "dumb"
    }

    private static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
        return min(max(Int(size.ws_col), 40), 120)
    }

    private static func setting(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
}

/// What the program ends with.
enum ExitStatus {
    /// Accepted, clean, or answered.
    static let accepted = ExitCode.success
    /// Refused.
    static let refused = ExitCode(1)
    /// Wrong use.
    static let wrongUse = ExitCode.validationFailure
    /// Could not reach or read what was asked about.
    static let unreadable = ExitCode(3)
    /// The reader of standard output has gone away; what a shell shows for a program that SIGPIPE ended.
    static let outputClosed = ExitCode(141)
}
