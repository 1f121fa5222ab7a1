import BelaySession
import BelayTLS
import BelayTrust

/// What a session tells of a request on its way, and with `--verbose` the lines that people know from curl.
///
/// Sessions tell things on threads that must not wait, so the lines are written by a task.
struct GetStory: Sendable {
    /// The exchanges with servers, in order; the last one is that of the response, or of the failure.
    struct Told: Sendable {
        var exchanges: [ExchangeMetrics] = []
        var redirects: [Redirect] = []
        /// The first line of the newest response head.
        var statusLine: String?
    }

    struct Redirect: Sendable, Encodable {
        let status: Int
        let location: String
    }

    private let events: AsyncStream<SessionEvent>.Continuation
    private let listening: Task<Told, Never>

    /// Listens, and tells `console` where `isVerbose`.
    init(isVerbose: Bool, policy: SecurityPolicy, console: Console) {
        let (stream, events) = AsyncStream.makeStream(of: SessionEvent.self)
        self.events = events
        listening = Task {
            var told = Told()
            var isConnected = false
            // What a connection showed on which no request went out: told where it was refused, not where somebody is asked.
            var pending: String?
            for await event in stream {
                switch event {
                case .connected: isConnected = true
                case .exchanged(_, let metrics):
                    told.exchanges.append(metrics)
                    if !isConnected, let evidence = metrics.evidence {
                        pending = GetStory.lines(evidence, metrics.verdict, policy).joined(separator: "\n")
                    }
                    isConnected = false
                case .challenged: pending = nil
                case .failed:
                    if isVerbose, let pending { console.note(pending) }
                case .redirected(_, let status, let location):
                    told.redirects.append(Redirect(status: status, location: location))
                case .responseHead(_, let lines): told.statusLine = lines.first
                default: break
                }
                if isVerbose, let text = GetStory.text(event, policy) { console.note(text) }
            }
            return told
        }
    }

    /// Something happened; any thread may say so.
    func tell(_ event: SessionEvent) { events.yield(event) }

    /// Waits until everything is told.
    func end() async -> Told {
        events.finish()
        return await listening.value
    }

    // MARK: - Lines

    private static func text(_ event: SessionEvent, _ policy: SecurityPolicy) -> String? {
        switch event {
        case .connected(_, let connection):
            let reused = connection.isNew ? "" : ", a connection that was there already"
            var lines = ["* connected to \(connection.peerAddress ?? "the server")\(reused)"]
            if let evidence = connection.evidence {
                lines += self.lines(evidence, connection.verdict, policy).dropFirst()
            } else {
                lines.append("* in the clear: nothing is encrypted, nobody is authenticated")
            }
            return lines.joined(separator: "\n")
        case .requestHead(_, let lines): return (lines.map { "> \($0)" } + [">"]).joined(separator: "\n")
        case .responseHead(_, let lines): return (lines.map { "< \($0)" } + ["<"]).joined(separator: "\n")
        case .redirected(_, let status, let location): return "* \(status): going on to \(location)"
        case .challenged(_, let kind, let host) where kind.hasPrefix("HTTP"):
            return "* \(host) asks for a password (\(kind))"
        case .exchanged(_, let metrics) where metrics.statusCode > 0: return "* \(timings(metrics))"
        default: return nil
        }
    }

    private static func lines(_ evidence: PeerEvidence, _ verdict: Verdict?, _ policy: SecurityPolicy) -> [String] {
        var lines = ["* connected to \(evidence.peerAddress)"]
        let parts = [evidence.version.description, evidence.cipherSuite.name, evidence.keyExchangeGroup]
        let spoken = evidence.applicationProtocol.map { "; \($0)" } ?? ""
        lines.append("* \(parts.compactMap(\.self).joined(separator: ", "))\(spoken)")
        guard let verdict else { return lines }
        let word = verdict.isTrusted ? "trusted" : "refused"
        lines.append("* \(word): \(VerdictText.reason(verdict, policy))")
        for finding in verdict.findings(.warning) {
            lines.append("* warning: \(Text.short(finding.message, 300)) (\(finding.rule.identifier))")
        }
        return lines
    }

    private static func timings(_ metrics: ExchangeMetrics) -> String {
        let moments: [(String, Duration)] = [
            ("name", metrics.nameLookup), ("connected", metrics.connect), ("TLS", metrics.handshake),
            ("first byte", metrics.firstByte), ("end", metrics.total),
        ]
        let text = moments.filter { $0.1 > .zero }.map { "\($0.0) \(milliseconds($0.1)) ms" }
        return "\(metrics.bytesSent) bytes sent, \(metrics.bytesReceived) received; after the start: "
            + text.joined(separator: ", ")
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let micro = duration.microseconds
        let tenths = (micro + 50) / 100
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max : scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue
    }
}
