import BelayArguments
import BelayCertificates
import CSystem
import Glibc

/// Questions on the terminal whose answers are secret.
enum TerminalPrompt {
    /// Asks, without showing what is typed; nil where there is no terminal to ask at.
    ///
    /// A program that has neither standard input nor standard error on a terminal runs in the background or under another
    /// program's eyes: it does not ask, even where it could.
    ///
    /// Whatever ends or stops the program meanwhile, the terminal is as it was before. After a stop the question is asked
    /// again, and what was typed before is forgotten.
    ///
    /// - Throws: ``InputError`` where no answer was given (Ctrl-D), an `ExitCode` where the question was interrupted.
    static func ask(_ question: String) throws -> Secret? {
        guard let terminal = open() else { return nil }
        defer { close(terminal) }
        while true {
            switch read(question, terminal) {
            case nil: return nil
            case .answer(let secret): return secret
            case .nothing:
                throw InputError(
                    message: "no answer was given at the terminal",
                    remedy: "Type one and press Enter, or give it by an option.", isRemedyNews: true)
            case .signal(let number):
                deliver(number)
                guard number == SIGTSTP else { throw ExitCode(128 + number) }
            }
        }
    }

    /// Lets a signal do now what it would have done then, before this returns.
    private static func deliver(_ number: Int32) {
        // Threads of libdispatch block signals: it would wait for ever, and a stop come when the terminal is silent again.
        var (wanted, before) = (sigset_t(), sigset_t())
        sigemptyset(&wanted)
        sigaddset(&wanted, number)
        pthread_sigmask(SIG_UNBLOCK, &wanted, &before)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// What came of a question.
    private enum Reply {
        case answer(Secret)
        case nothing
        case signal(Int32)
    }

    /// Asks once; nil where the terminal cannot be silenced.
    private static func read(_ question: String, _ terminal: Int32) -> Reply? {
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return nil }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON)
        // From before it is silent until it is no more: nothing may end the program in between.
        let signals = belay_signals_begin()
        guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else {
            _ = belay_signals_end(signals)
            return nil
        }
        _ = Console.write(Array(question.utf8), to: terminal)
        let reply = readLine(terminal, signals)
        _ = Console.write([0x0A], to: terminal)
        // Without waiting for output that nobody may take any more.
        var isSignal = false
        if case .signal = reply { isSignal = true }
        tcsetattr(terminal, isSignal ? TCSANOW : TCSAFLUSH, &before)
        let late = belay_signals_end(signals)
        return !isSignal && late != 0 ? .signal(late) : reply
    }

    private static func readLine(_ terminal: Int32, _ signals: Int32) -> Reply {
        // With room for all of it from the start: an array that grows leaves its old bytes behind.
        var typed = [UInt8](repeating: 0, count: limit)
        defer { typed.wipe() }
        var length = 0
        while true {
            var watched = [
                pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&watched, 2, -1) > 0 else {
                if errno == EINTR { continue }
                return .nothing
            }
            var byte: UInt8 = 0
            if watched[1].revents != 0, Glibc.read(signals, &byte, 1) == 1 { return .signal(Int32(byte)) }
            guard watched[0].revents != 0 else { continue }
            let count = Glibc.read(terminal, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count == 1 else { return .nothing }
            switch byte {
            case 0x0A, 0x0D: return .answer(Secret(typed[..<length]))
            // Where the terminal makes no signals of them.
            case 0x03: return .signal(SIGINT)
            case 0x1A: continue
            case 0x04: return .nothing
            // Ctrl-U: all of it.
            case 0x15: length = 0
            case 0x7F, 0x08:
                // A character, not an octet of it.
                while length > 1, typed[length - 1] & 0xC0 == 0x80 { length -= 1 }
                if length > 0 { length -= 1 }
            default:
                guard length < limit else { continue }
                typed[length] = byte
                length += 1
            }
        }
    }

    /// Asks for the passphrase of something and opens it; nil where there is no terminal to ask at.
    ///
    /// - Parameters:
    ///   - name: what is opened.
    ///   - isWrong: whether an error means that the passphrase is another: the question comes again then, three times in all.
    ///   - body: opens it.
    /// - Throws: as ``ask(_:)``, and what `body` throws.
    static func open<Value>(
        _ name: String, isWrong: (any Error) -> Bool, with body: (Secret) throws -> Value
    ) throws -> Value? {
        for attempt in 1...3 {
            guard let typed = try ask("Passphrase of \(printable(name)): ") else { return nil }
            do { return try body(typed) } catch {
                guard attempt < 3, isWrong(error) else { throw error }
                say("That is not its passphrase. Once more, or Ctrl-C to stop.\n")
            }
        }
        return nil
    }

    /// Says something where the question was asked.
    static func say(_ text: String) {
        guard let terminal = open() else { return }
        defer { close(terminal) }
        _ = Console.write(Array(text.utf8), to: terminal)
    }

    /// The most bytes that an answer has.
    private static let limit = 4_096

    private static func open() -> Int32? {
        guard isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1 else { return nil }
        let terminal = Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        return terminal >= 0 ? terminal : nil
    }
}
