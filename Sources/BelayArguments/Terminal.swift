import Glibc

/// The few things that the parser asks of the process: its arguments, the width of the terminal, the way out.
enum Terminal {
    /// The arguments given, or else the process's own without the program's name.
    ///
    /// Reads the bytes itself: `CommandLine.arguments` repairs what is not UTF-8, so that a file of such a name would
    /// be looked for under another name, in silence.
    static func arguments(given: [String]?) throws(CommandError.Reason) -> [String] {
        if let given { return given }
        var arguments: [[UInt8]] = []
        for index in 0..<Int(max(CommandLine.argc, 0)) {
            guard let pointer = CommandLine.unsafeArgv[index] else { break }
            let bytes = UnsafeBufferPointer(start: pointer, count: strlen(pointer))
            arguments.append(bytes.map { UInt8(bitPattern: $0) })
        }
        return try decode(arguments.dropFirst())
    }

    /// Turns the bytes of arguments into text; throws for the first one that is not UTF-8. Positions start at 1.
    static func decode(_ arguments: ArraySlice<[UInt8]>) throws(CommandError.Reason) -> [String] {
        var texts: [String] = []
        for bytes in arguments {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .notUnicode(position: texts.count + 1, text: escaped(bytes))
            }
            texts.append(text)
        }
        return texts
    }

    private static func escaped(_ bytes: [UInt8]) -> String {
        bytes.prefix(160).map { byte in
            guard !(0x20..<0x7F).contains(byte) else { return String(UnicodeScalar(byte)) }
            return "\\x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// The width for help: the setting of `COLUMNS` where it is a number, else the terminal's, at most 100 so that lines
    /// stay readable; 80 where neither is known.
    static func columns(setting: String? = getenv("COLUMNS").map { String(cString: $0) }) -> Int {
        if let setting, let columns = Int(setting), columns > 0 { return min(columns, 100) }
        var size = winsize()
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return min(Int(size.ws_col), 100) }
        }
        return 80
    }

    /// Prints the message, on standard output for success and else on standard error, and ends the process. A success
    /// whose message cannot be written (a full disk, a closed descriptor) says so and ends with
    /// ``ExitCode/notWritten``.
    static func exit(_ code: ExitCode, message: String) -> Never {
        fflush(nil)
        let isWritten = message.isEmpty || write(message + "\n", to: code.isSuccess ? STDOUT_FILENO : STDERR_FILENO)
        let reason = errno
        if isWritten || !code.isSuccess { Glibc.exit(code.rawValue) }
        let text = strerror(reason).map { String(cString: $0) } ?? "error \(reason)"
        _ = write("error: standard output: \(text)\n", to: STDERR_FILENO)
        Glibc.exit(ExitCode.notWritten.rawValue)
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
