import COpenSSL

/// What OpenSSL left in this thread's error queue after one operation.
struct OpenSSLError: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        let library: CInt
        let reason: CInt
        let text: String
    }

    /// The entries, the first that happened first.
    let entries: [Entry]

    /// Empties the queue and keeps what was in it.
    ///
    /// The queue belongs to the thread, not to a connection. So it is emptied before each operation and read right after it,
    /// with no suspension between, and no connection can see another's errors.
    static func drain() -> OpenSSLError {
        var entries: [Entry] = []
        while case let code = ERR_get_error(), code != 0 {
            entries.append(Entry(library: ERR_GET_LIB(code), reason: ERR_GET_REASON(code), text: reasonText(code)))
        }
        return OpenSSLError(entries: entries)
    }

    /// One error by its packed code.
    init(code: UInt) {
        entries = [
            Entry(library: ERR_GET_LIB(code), reason: ERR_GET_REASON(code), text: OpenSSLError.reasonText(code))
        ]
    }

    private init(entries: [Entry]) {
        self.entries = entries
    }

    func contains(_ reasons: CInt...) -> Bool {
        entries.contains { $0.library == ERR_LIB_SSL && reasons.contains($0.reason) }
    }

    func contains(library: CInt...) -> Bool {
        entries.contains { library.contains($0.library) }
    }

    /// OpenSSL's words for the first thing that went wrong.
    var text: String { entries.first?.text ?? "no reason given" }

    private static func reasonText(_ code: UInt) -> String {
        guard let text = ERR_reason_error_string(code) else { return "OpenSSL error \(code)" }
        return String(cString: text)
    }
}
