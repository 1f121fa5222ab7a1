import COpenSSL

/// What OpenSSL noted about a call that failed, taken from the thread's queue of errors.
struct OpenSSLErrors {
    /// One entry of the queue.
    struct Entry {
        let reason: Int32
        let text: String
        let details: String
    }

    /// The entries, the first noted first.
    let entries: [Entry]

    /// Empties the queue of this thread.
    static func take() -> OpenSSLErrors {
        var entries: [Entry] = []
        while true {
            var details: UnsafePointer<CChar>?
            var flags: Int32 = 0
            let code = ERR_get_error_all(nil, nil, nil, &details, &flags)
            guard code != 0 else { break }
            let text = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
            let hasText = flags & ERR_TXT_STRING != 0
            entries.append(
                Entry(
                    reason: ERR_GET_REASON(code), text: text,
                    details: hasText ? details.map { String(cString: $0) } ?? "" : ""))
        }
        return OpenSSLErrors(entries: entries)
    }

    /// The reason nearest to the cause, in OpenSSL's words.
    var reason: String { entries.first.map { printable($0.text) } ?? "no reason given" }

    /// The algorithm that no loaded provider has, where that is why the call failed.
    var unavailableAlgorithm: String? {
        for entry in entries {
            // "Global default library context, Algorithm (RC2-40-CBC : 0), Properties ()"
            guard let start = entry.details.firstRange(of: "Algorithm (") else { continue }
            return printable(String(entry.details[start.upperBound...].prefix { $0 != " " && $0 != ")" }))
        }
        let unknown = [EVP_R_UNKNOWN_PBE_ALGORITHM, EVP_R_UNSUPPORTED_CIPHER, EVP_R_UNKNOWN_CIPHER]
        for entry in entries where unknown.contains(entry.reason) {
            return printable(entry.details.isEmpty ? entry.text : entry.details)
        }
        return nil
    }
}
