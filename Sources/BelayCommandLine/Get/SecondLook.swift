import BelaySession

/// Another connection to a server, for what a request that failed there did not tell. Nothing is sent over it, and it ends within the limits
/// that the request had.
struct SecondLook: Sendable {
    /// When the request began.
    let began: ContinuousClock.Instant
    /// The limit for everything; nil for none.
    let wholeTime: Duration?
    /// The limit for one connection.
    let connectTime: Duration
    let isVerbose: Bool
    let console: Console

    /// What the server shows; nil where no time is left to find out.
    ///
    /// - Parameter metrics: the exchange that failed; nil where there was none.
    func report(_ check: ServerCheck, after metrics: ExchangeMetrics?) async throws -> CheckReport? {
        var rest = connectTime - (metrics?.total ?? .zero)
        if let wholeTime { rest = min(rest, wholeTime - (.now - began)) }
        guard rest > .zero else {
            note("no time is left to connect to \(check.subject.endpoint) once more and find out why")
            return nil
        }
        note("connecting to \(check.subject.endpoint) once more, to find out why; nothing is sent there")
        let report = try await Self.within(rest) { try await check.connect(identity: nil) }
        if report == nil { note("that has told nothing in the time that was left") }
        return report
    }

    private func note(_ text: String) {
        if isVerbose { console.note("* \(text)") }
    }

    private static func within(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> CheckReport
    ) async throws -> CheckReport? {
        try await withThrowingTaskGroup(of: CheckReport?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next().flatMap(\.self)
        }
    }
}
