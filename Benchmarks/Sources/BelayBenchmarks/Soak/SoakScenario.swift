import BelaySession

/// One kind of request of a soak, and what may come of it.
struct SoakScenario: Sendable {
    let name: String
    /// The server's name in the line that the servers print; nil for a port that nobody listens on.
    let server: String?
    let path: String
    /// How often it is chosen, relative to the others.
    let weight: Int
    /// What may come of it while the policy accepts the server.
    let outcomes: Set<String>
    /// Whether the server's certificates are seen at all, so that a policy can refuse them.
    var reachesTrust = true
    var body: Int?

    static let all: [SoakScenario] = [
        SoakScenario("HTTP/1.1", "http1", "/1024", 30, ["ok"]),
        SoakScenario("HTTP/1.1, 100 KiB", "http1", "/102400", 8, ["ok"]),
        SoakScenario("HTTP/2", "http2", "/1024", 30, ["ok"]),
        SoakScenario("HTTP/2, 100 KiB", "http2", "/102400", 8, ["ok"]),
        SoakScenario("new connection, resumed", "resumed", "/1024", 8, ["ok"]),
        SoakScenario("kept connection", "faulty", "/good", 10, ["ok"]),
        SoakScenario("kept connection, TLS 1.2", "faulty12", "/good", 10, ["ok"]),
        SoakScenario("body", "faulty", "/echo", 8, ["ok"], body: 50_000),
        SoakScenario("redirect", "faulty", "/redirect", 5, ["ok"]),
        SoakScenario("status", "faulty", "/status", 5, ["rejected"]),
        SoakScenario("no answer", "faulty", "/hangup", 4, ["connectionLost", "malformedResponse", "tls"]),
        SoakScenario("truncated", "faulty12", "/truncate", 4, ["truncated", "connectionLost", "tls"]),
        SoakScenario("stalled", "faulty", "/stall", 2, ["timedOut"]),
        SoakScenario("no HTTP", "faulty", "/garbage", 3, ["malformedResponse", "connectionLost", "other"]),
        SoakScenario("broken chunks", "faulty12", "/chunks", 3, ["malformedResponse", "connectionLost", "other"]),
        SoakScenario("flood of headers", "faulty", "/flood", 1, ["headersTooLarge"]),
        SoakScenario("body too large", "faulty", "/huge", 2, ["bodyTooLarge"]),
        SoakScenario("untrusted", "stranger", "/good", 6, ["untrusted"]),
        SoakScenario("reset in the handshake", "resets", "/", 4, ["tls", "connectionLost"], reachesTrust: false),
        SoakScenario("cut in the handshake", "truncates", "/", 4, ["tls", "connectionLost"]),
        SoakScenario("silence", "silent", "/", 1, ["timedOut"], reachesTrust: false),
        SoakScenario("hanging handshake", "hangs", "/", 1, ["timedOut"]),
        SoakScenario("no TLS", "plain", "/", 4, ["tls", "connectionLost"], reachesTrust: false),
        SoakScenario("nobody there", nil, "/", 4, ["notConnected"], reachesTrust: false),
    ]

    private init(
        _ name: String, _ server: String?, _ path: String, _ weight: Int, _ outcomes: Set<String>,
        reachesTrust: Bool = true, body: Int? = nil
    ) {
        self.name = name
        self.server = server
        self.path = path
        self.weight = weight
        self.outcomes = outcomes
        self.reachesTrust = reachesTrust
        self.body = body
    }

    /// The request; ports by the names of servers.
    func request(_ ports: [String: Int]) -> Request {
        // Port 1 is reserved and free on any machine that this runs on.
        let url = "https://127.0.0.1:\(server.flatMap { ports[$0] } ?? 1)\(path)"
        guard let body else { return .get(url) }
        return .post(url, body: .bytes([UInt8](repeating: 0x79, count: body)))
    }

    /// How long the body of a good response is.
    var expectedLength: Int {
        switch path {
        case "/102400": 102_400
        default: body ?? 1_024
        }
    }
}

extension SessionError.Reason {
    /// The case's name.
    var soakName: String {
        switch self {
        case .configuration: "configuration"
        case .badURL: "badURL"
        case .hostDenied: "hostDenied"
        case .cleartext: "cleartext"
        case .untrusted: "untrusted"
        case .unjudged: "unjudged"
        case .tls: "tls"
        case .notResolved: "notResolved"
        case .notConnected: "notConnected"
        case .timedOut: "timedOut"
        case .connectionLost: "connectionLost"
        case .truncated: "truncated"
        case .malformedResponse: "malformedResponse"
        case .bodyTooLarge: "bodyTooLarge"
        case .headersTooLarge: "headersTooLarge"
        case .rejected: "rejected"
        case .cancelled: "cancelled"
        default: "other"
        }
    }
}

/// A generator of random numbers that gives the same ones for the same seed (SplitMix64; Steele, Lea and Flood, 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
