import BelayArguments
import BelayTLS
import BelayTrust

/// Reads where `--connect-to` leads: `HOST:PORT`, for every host of the command.
enum ConnectTo {
    /// - Throws: where it is none, also where it is curl's form for a single host.
    static func endpoint(_ text: String) throws -> TLSEndpoint {
        if text.hasPrefix("::") {
            // curl's spelling for every host and port; but ::1:443 is an address, too, and whoever writes it forgot the brackets.
            let isAddress = if case .ip? = try? ServerName(text) { true } else { false }
            guard !isAddress else {
                throw ValidationError("an IPv6 address with a port stands in brackets: [::1]:8443")
            }
            return try TLSEndpoint(hostAndPort: String(text.dropFirst(2)))
        }
        do { return try TLSEndpoint(hostAndPort: text) } catch {
            let outside = text.drop { $0 == "[" }.split(separator: ":", omittingEmptySubsequences: false)
            guard outside.count > 2, !text.hasPrefix("["), (try? ServerName(text)) == nil else { throw error }
            throw ValidationError(
                "curl's form HOST:PORT:HOST:PORT is for one host; here HOST:PORT is dialled for every host, redirects' too. Write "
                    + "the last two alone")
        }
    }
}
