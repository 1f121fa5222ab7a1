import BelayArguments
import BelayCertificates
import BelaySession
import BelayTLS
import FoundationEssentials

/// How the exchange is made, in curl's spelling.
struct TransferOptions: ParsableArguments, Sendable {
    @Flag(
        name: [.customShort("L"), .customLong("location")],
        help: "Follow redirects; each host is judged by itself.")
    var location = false
    @Option(help: ArgumentHelp("The most redirects to follow; 20 unless said otherwise.", valueName: "number"))
    var maxRedirs: Int?
    @Flag(name: [.customLong("http1.1")], help: "Speak HTTP/1.1, also to servers that have HTTP/2.") var http1 = false
    @Flag(help: "Ask for a compressed response, and unpack it.") var compressed = false
    @Option(
        help: ArgumentHelp(
            "The most seconds for resolving, connecting and the handshake; --timeout's unless said otherwise.",
            valueName: "seconds"), transform: ConnectionOptions.seconds)
    var connectTimeout: Double?
    @Option(
        name: [.customShort("m"), .customLong("max-time")],
        help: ArgumentHelp("The most seconds for everything; no end unless said otherwise.", valueName: "seconds"),
        transform: ConnectionOptions.seconds)
    var maxTime: Double?
    @Option(
        help: ArgumentHelp(
            "The largest body that is accepted, in bytes, unpacked; k, M and G count in 1024; 64M unless said otherwise.",
            valueName: "bytes"), transform: bytes)
    var maxFilesize: Int?
    @Option(
        name: [.customShort("x"), .customLong("proxy")],
        help: ArgumentHelp(
            "Go through this proxy: http://host:port, socks5h://host:port; the environment's (https_proxy, no_proxy…) unless said otherwise.",
            valueName: "url"))
    var proxy: String?
    @Flag(help: "Use no proxy, whatever the environment says.") var noProxy = false
    @Option(help: ArgumentHelp("Connect to this socket of the file system.", valueName: "path")) var unixSocket: String?
    @Flag(help: "Let http:// be spoken, which sends everything in the clear; with pins never.") var allowHTTP = false

    func validate() throws {
        if maxRedirs != nil, !location { throw ValidationError("'--max-redirs' means nothing without '--location'") }
        if let maxRedirs, maxRedirs < 0 { throw ValidationError("'--max-redirs' takes a number from 0") }
        if proxy != nil, noProxy { throw ValidationError("'--proxy' and '--no-proxy' contradict each other") }
        if proxy?.utf8.contains(0x40) == true {
            throw ValidationError(
                "a proxy's password in an argument could be read by every user of this machine; put the proxy's whole URL into "
                    + "the environment variable https_proxy, and leave out '--proxy'")
        }
        // sun_path of unix(7) has 108 bytes, the last of them a zero.
        if let unixSocket, unixSocket.utf8.count > 107 {
            throw ValidationError(
                "'--unix-socket' takes a path of at most 107 bytes, as Linux does, and this one has \(unixSocket.utf8.count); "
                    + "give a relative path, or a shorter link to its folder")
        }
        if unixSocket != nil, proxy != nil {
            throw ValidationError("'--unix-socket' and '--proxy' are two ways to one server; leave one of them out")
        }
    }

    /// A number of bytes, as curl has it.
    private static func bytes(_ text: String) throws -> Int {
        let factors: [Character: Int] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
        let factor = text.last.flatMap { factors[Character($0.lowercased())] }
        let digits = factor == nil ? text[...] : text.dropLast()
        guard let number = Int(digits), number >= 0, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            throw ValidationError("expected bytes, for example 500000, 500k or 2M")
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor ?? 1)
        guard !overflow else { throw ValidationError("that is more than there can be") }
        return bytes
    }

    private static let proxyVariables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    /// Whether connections go through a proxy, as far as options and environment say.
    var usesProxy: Bool {
        if noProxy || unixSocket != nil { return false }
        return proxy != nil || Self.proxyVariables.contains { ProcessInfo.processInfo.environment[$0] != nil }
    }

    /// Whether connections go to the server itself, so that another one without HTTP would reach the same.
    var goesStraight: Bool { !usesProxy && unixSocket == nil }

    /// Applies the options to a session's configuration.
    func apply(to configuration: inout SessionConfiguration, _ connection: ConnectionOptions) {
        configuration.protocols = http1 ? .http1 : .automatic
        configuration.decompresses = compressed
        configuration.timeouts.connect = connectTime(connection)
        if let timeout = connection.timeout { configuration.timeouts.idle = Self.duration(timeout) }
        configuration.timeouts.total = wholeTime
        if let maxFilesize { configuration.maximumBodySize = maxFilesize }
        if noProxy { configuration.proxy = .none } else if let proxy { configuration.proxy = .url(proxy) }
        configuration.redirects = RedirectPolicy(location ? .follow : .none)
        if let maxRedirs { configuration.redirects.limit = maxRedirs }
        configuration.redirects.allowsDowngrade = allowHTTP
        configuration.unixSocket = unixSocket
        configuration.connectTo = connection.connectTo?.description
        configuration.acceptance = .any
    }

    /// The limit for everything, redirects included; nil for none.
    var wholeTime: Duration? { maxTime.map(Self.duration) }

    /// The limit for a connection: resolving, connecting and the handshake.
    func connectTime(_ connection: ConnectionOptions) -> Duration {
        Self.duration(connectTimeout ?? connection.timeout ?? 15)
    }

    private static func duration(_ seconds: Double) -> Duration { .milliseconds(Int64(seconds * 1_000)) }
}
