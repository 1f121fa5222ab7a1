import BelayCertificates

/// Words as a shell reads them.
enum ShellText {
    /// A command line that can be pasted.
    static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    /// A word for the shell.
    static func quoted(_ word: String) -> String {
        guard printable(word) == word else { return escaped(word) }
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-_./:=@%+,".utf8.contains(byte)
            }
        }
        return isPlain && !word.isEmpty
            ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// A word with characters that no terminal should get, as bash, ksh, zsh and POSIX.1-2024 shells read it.
    private static func escaped(_ word: String) -> String {
        let parts = word.unicodeScalars.map { scalar -> String in
            if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
            guard printable(String(scalar)) != String(scalar) else { return String(scalar) }
            // Three octal digits: what follows cannot be taken for more of them.
            return String(scalar).utf8.map { byte in
                let digits = String(byte, radix: 8)
                return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }.joined()
        }
        return "$'" + parts.joined() + "'"
    }
}
