import BelayCertificates
import BelayTrust

/// Why a text is no URL that a session requests. It holds no user name, password or query of the text.
public struct SessionURLError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// There is no text.
        case empty
        /// It is longer than ``SessionURL/maximumLength``; how many bytes it has.
        case tooLong(Int)
        /// A control character (a line end, a tab, a NUL), and at which byte.
        case controlCharacter(offset: Int)
        /// It does not begin with a scheme, so that it is no absolute URL.
        case noScheme
        /// Another scheme than `http` and `https`.
        case scheme(String)
        /// `//` is missing after the scheme.
        case noAuthority
        /// A user name or password stands before the host.
        case userInformation
        /// There is no host.
        case noHost
        /// The host is none.
        case host(ServerNameError)
        /// The port is no number from 1 to 65535; empty where it is no number at all, since it may be a password.
        case port(String)
        /// libcurl does not read it, with its reason.
        case unreadable(String)
        /// libcurl would take it for the URL of another server than we do, so that a verdict would be on the wrong one.
        case disagreement
        /// There is no memory.
        case outOfMemory
    }

    /// What is wrong with it.
    public let reason: Reason
    /// The text up to its query; nil where it may hold a password.
    public let shownText: String?

    init(_ text: String, _ reason: Reason) {
        // What stands before an @ may be a password, wherever its characters make the parts of the URL end.
        if text.utf8.contains(0x40) {
            self.reason = reason.withoutText
            shownText = nil
        } else if case .port(let port) = reason, !port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // `https://user:password/`, with the host forgotten.
            self.reason = .port("")
            shownText = nil
        } else {
            self.reason = reason
            shownText = String(text.prefix { $0 != "?" && $0 != "#" }.prefix(200))
        }
    }
}

extension SessionURLError.Reason {
    /// The reason without any text of the URL.
    fileprivate var withoutText: Self {
        switch self {
        case .scheme: .scheme("")
        case .host, .port: .userInformation
        default: self
        }
    }
}

extension SessionURLError: CustomStringConvertible {
    /// What is wrong, where, and what a URL looks like.
    public var description: String {
        let what = shownText.map { "'\(printable($0))'" } ?? "the URL"
        switch reason {
        case .empty:
            return "the URL is empty. Write https://host/path"
        case .tooLong(let count):
            return "the URL has \(count) bytes; at most \(SessionURL.maximumLength) are taken. "
                + "Send large values in the body of the request"
        case .controlCharacter(let offset):
            return "\(what) has a control character at byte \(offset) (a line end, a tab, a NUL). "
                + "Remove it; inside a value write it percent-encoded"
        case .noScheme:
            return "\(what) is not an absolute URL. Write https://host/path, or give the session a base URL"
        case .scheme(let scheme):
            let found = scheme.isEmpty ? "" : " (found '\(printable(scheme))')"
            return
                "\(what) has a scheme that sessions do not speak\(found). Write https:// (or http:// where cleartext "
                + "is allowed); a relative path whose first segment has a colon begins with './'"
        case .noAuthority:
            return "\(what) has no '//' after its scheme. Write https://host/path"
        case .userInformation:
            // The text may hold a password, so it is not repeated.
            return "the URL has a user name or password before its host, where it would end up in logs. "
                + "Leave it out and answer the server's challenge with a credential; '@' in a host or port is an error"
        case .noHost:
            return "\(what) has no host. Write https://host/path"
        case .host(let error):
            return "\(error)"
        case .port(let port):
            guard !port.isEmpty else { return "the port is no number. Write one from 1 to 65535" }
            return "'\(printable(port))' is not a port. Write a number from 1 to 65535"
        case .unreadable(let detail):
            return "\(what) cannot be read: \(detail)"
        case .disagreement:
            return "\(what) can be read as the URL of two different servers. Write host and port plainly"
        case .outOfMemory:
            return "there is no memory to read a URL"
        }
    }
}
