import BelayArguments
import BelayCertificates
import Glibc

/// Questions on the terminal whose answers are secret.
enum TerminalPrompt {
    /// Asks, without showing what is typed; nil where there is no terminal to ask at.
    ///
    /// A program that has neither standard input nor standard error on a terminal runs in the background or under another
    /// program's eyes: it does not ask, even where it could.
    ///
    /// - Throws: an `ExitCode` where the question was interrupted.
    static func ask(_ question: String) throws(ExitCode) -> Secret? {
        guard let terminal = open() else { return nil }
        defer { close(terminal) }
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return nil }
        var silent = before
        // Signals come as bytes too: the program must not end and leave the terminal silent.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else { return nil }
        defer { tcsetattr(terminal, TCSAFLUSH, &before) }
        _ = Console.write(Array(question.utf8), to: terminal)
        // With room for all of it from the start: an array that grows leaves its old bytes behind.
        var typed = [UInt8](repeating: 0, count: limit)
        defer { typed.wipe() }
        var length = 0
        while true {
            var byte: UInt8 = 0
            let count = Glibc.read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != 0x03, byte != 0x04 else {
                _ = Console.write([0x0A], to: terminal)
                throw ExitCode(130)
            }
            switch byte {
            case 0x0A, 0x0D:
                _ = Console.write([0x0A], to: terminal)
                return Secret(typed[..<length])
            case 0x7F, 0x08: if length > 0 { length -= 1 }
            default:
                guard length < limit else { continue }
                typed[length] = byte
                length += 1
            }
        }
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
