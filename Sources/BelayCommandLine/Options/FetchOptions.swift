import BelayArguments
import BelayCertificates
import BelayTLS
import BelayTrust

/// How to get at the certificates of a live server: the options of `belay cert` where a server may be named.
struct FetchOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("starttls"),
        help: ArgumentHelp(
            "Have a server that begins in the clear change to TLS; a URL with the protocol's scheme (smtp://) says the same.",
            valueName: "protocol"))
    var startTLS: StartTLSProtocol?
    @Option(
        help: ArgumentHelp(
            "Ask for this name instead of the URL's, or for none: servers choose their certificate by it.",
            valueName: "name|none"),
        transform: serverName)
    var sni: ServerNameIndication?
    @Option(
        help: ArgumentHelp(
            "Dial here, and keep the URL's name; curl's ::host:port means the same.", valueName: "host:port"),
        transform: ConnectTo.endpoint)
    var connectTo: TLSEndpoint?
    @Option(
        help: ArgumentHelp(
            "The most seconds for each phase (resolving, connecting, changing to TLS, handshake); 15 unless said otherwise.",
            valueName: "seconds"), transform: ConnectionOptions.seconds)
    var timeout: Double?

    /// The options that were given, as a command line has them: what only a live server needs.
    var words: [String] {
        var words: [String] = []
        if startTLS != nil { words.append("--starttls") }
        if sni != nil { words.append("--sni") }
        if connectTo != nil { words.append("--connect-to") }
        if timeout != nil { words.append("--timeout") }
        return words
    }

    /// Whether an argument names a live server and not a file.
    static func isServer(_ text: String) -> Bool {
        if case .scheme = URLBeginning(of: text) { return true }
        return false
    }

    /// Whether a text that is no file may have been meant for a server.
    static func couldBeServer(_ text: String) -> Bool {
        !text.contains("/") && text.contains(".") && (try? TLSEndpoint(url: text)) != nil
    }

    /// Refuses options for servers where there is none, and an address for several.
    func check(_ inputs: [String]) throws {
        let count = inputs.count(where: Self.isServer)
        if count == 0, let word = words.first {
            throw ValidationError("'\(word)' means nothing for files; write a server as a URL, such as https://host")
        }
        if count > 1, connectTo != nil {
            throw ValidationError("'--connect-to' with several servers would be one for all")
        }
    }

    /// Whom a URL or host means.
    func location(_ text: String) throws -> TLSLocation {
        do throws(EndpointError) { return try TLSLocation(text, startTLS: startTLS) } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Fetches what a server sends.
    func fetch(_ location: TLSLocation, with client: TLSClient) async throws(TLSError) -> ServedChain {
        var timeouts = TLSTimeouts(all: .milliseconds(Int64((timeout ?? 15) * 1_000)))
        timeouts.close = .seconds(1)
        return try await client.fetchChain(
            of: location, connectTo: connectTo, serverName: sni ?? .endpoint, timeouts: timeouts)
    }

    private static func serverName(_ text: String) throws -> ServerNameIndication {
        if text == "none" { return .none }
        let name = try ServerName(text)
        guard TLSEndpoint(host: name.description, port: 443).hasServerName else {
            throw ValidationError("an address is no name to ask for (RFC 6066, section 3). Give a name, or 'none'")
        }
        return .name(name.description)
    }
}

extension StartTLSProtocol: ExpressibleByArgument {}
