/// Words as a shell reads them.
enum ShellText {
    /// A command line that can be pasted.
    static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    /// A word for the shell.
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-_./:=@%+,".utf8.contains(byte)
            }
        }
        return isPlain && !word.isEmpty
            ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
