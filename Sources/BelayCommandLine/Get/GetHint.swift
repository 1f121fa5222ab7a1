import BelayArguments
import BelaySession
import BelayTLS

/// What a failure means for the command: its status, and which option does what the library's remedy says.
struct GetHint {
    /// The status that the program ends with.
    let status: ExitCode
    /// A line for people; nil where there is none.
    let text: String?

    /// - Parameters:
    ///   - usesProxy: whether connections go through a proxy.
    ///   - hasInfoPlist: whether an Info.plist says what is allowed.
    init(_ error: SessionError, usesProxy: Bool, hasInfoPlist: Bool = false) {
        switch error.reason {
        case .configuration, .badURL: (status, text) = (ExitStatus.wrongUse, nil)
        case .hostDenied, .transportSecurity, .untrusted, .unjudged, .challengeCancelled:
            (status, text) = (ExitStatus.refused, nil)
        case .challengeUnanswered: (status, text) = (ExitStatus.refused, "the option for a name is --user NAME")
        case .cleartext where hasInfoPlist:
            (status, text) = (
                ExitStatus.refused,
                "what the Info.plist allows is what counts; 'belay ats decide' says which key decides"
            )
        case .cleartext:
            (status, text) = (ExitStatus.refused, "the option for a server that has no https is --allow-http")
        case .tls(.clientCertificateRequired(let issuers)):
            status = ExitStatus.unreadable
            text = String(
                (ServerCheck.acceptedIssuers(issuers) + "\n  give an identity with --identity FILE").dropFirst(3))
        case .redirect(.downgrade):
            (status, text) = (ExitStatus.refused, "the option is --allow-http")
        case .redirect(.bodyToOtherOrigin): (status, text) = (ExitStatus.refused, nil)
        case .redirect(.tooMany): (status, text) = (ExitStatus.unreadable, "the option is --max-redirs NUMBER")
        case .timedOut: (status, text) = (ExitStatus.unreadable, Self.option(error))
        case .bodyTooLarge: (status, text) = (ExitStatus.unreadable, "the option is --max-filesize BYTES")
        case .notConnected where usesProxy, .notResolved where usesProxy:
            status = ExitStatus.unreadable
            text = "the connection was to go through a proxy; the options are --proxy URL and --no-proxy"
        case .proxy(let detail) where detail.contains("407"):
            status = ExitStatus.unreadable
            text = "put that URL into the environment variable https_proxy, where no argument shows it"
        case .proxy: (status, text) = (ExitStatus.unreadable, "the options are --proxy URL and --no-proxy")
        default: (status, text) = (ExitStatus.unreadable, nil)
        }
    }

    private static func option(_ error: SessionError) -> String {
        switch error.phase {
        case .prepare, .queue, .resolve, .connect, .tunnel, .handshake:
            "the options are --connect-timeout and --max-time"
        case .send, .wait, .receive: "the options are --timeout and --max-time"
        }
    }
}
