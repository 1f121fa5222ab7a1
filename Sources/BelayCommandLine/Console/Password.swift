import BelayArguments
import BelayCertificates
import Glibc

/// A password: from a file, from the environment, or asked for on the terminal. Never from an argument.
enum Password {
    /// The variable that is looked at.
    static let variable = "BELAY_PASSWORD"

    /// The password for a user.
    static func read(for user: String, file: String?) throws -> [UInt8] {
        if let file { return try SecretFile.read(file, for: "--password-file", what: "password") }
        if let value = getenv(variable) { return Array(UnsafeRawBufferPointer(start: value, count: strlen(value))) }
        guard let typed = try ask("Password for \(printable(user)): ") else {
            throw ValidationError(
                "there is no password for '\(printable(user))', and no terminal to ask at; give '--password-file FILE', or set "
                    + "the environment variable \(variable)")
        }
        return typed
    }

    /// Asks on the terminal, without showing what is typed; nil where there is no terminal.
    private static func ask(_ question: String) throws -> [UInt8]? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return nil }
        var silent = before
        // Signals come as bytes too: the program must not end and leave the terminal silent.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else { return nil }
        defer { tcsetattr(terminal, TCSAFLUSH, &before) }
        _ = Console.write(Array(question.utf8), to: terminal)
        var typed: [UInt8] = []
        typed.reserveCapacity(4_096)
        while true {
            var byte: UInt8 = 0
            let count = Glibc.read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != 0x03, byte != 0x04 else {
                _ = Console.write([0x0A], to: terminal)
                typed.wipe()
                throw ExitCode(130)
            }
            switch byte {
            case 0x0A, 0x0D:
                _ = Console.write([0x0A], to: terminal)
                return typed
            case 0x7F, 0x08: if !typed.isEmpty { typed.removeLast() }
            default: if typed.count < 4_096 { typed.append(byte) }
            }
        }
    }
}
