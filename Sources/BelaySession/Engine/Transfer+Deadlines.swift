import CCurl

/// The limits of an exchange, phase by phase. libcurl has two, for the connection as a whole and for everything; and a transfer that waits
/// for another's connection has none of these, so that a server which never answers a handshake could hold up any number of
/// requests, one after the other.
extension Transfer {
    /// Notes that the exchange is in a phase that libcurl tells of.
    func enter(_ phase: SessionPhase) {
        guard entered?.phase != phase else { return }
        entered = (phase, EngineCore.now)
    }

    /// Notes that the request goes out.
    func leavePhases() {
        entered = nil
        awaitsAnswerSince = order.content.timeouts.firstByte == nil ? 0 : EngineCore.now
    }

    /// Whether the request has a connection and goes out over it, or has.
    var isUnderWay: Bool { easy.size(CURLINFO_PRETRANSFER_TIME_T) > 0 }

    /// The limit that the exchange has reached; nil where it may go on.
    ///
    /// - Parameters:
    ///   - now: nanoseconds of the monotonic clock.
    ///   - hostAnswers: whether another exchange with the same host is under way. Who waits then waits for a free connection, which
    ///     may take its time, and not for a server that lets nobody in.
    func expired(at now: Int64, hostAnswers: Bool) -> TransferFailure? {
        let elapsed = Duration.nanoseconds(now - began)
        if let total = order.content.timeouts.total, elapsed >= total { return .timedOut(phase, total) }
        if let since = sending.waitingSince, sending.awaited != nil {
            // The server that lets nobody in yet is as silent to the request that it has.
            guard let idle = order.content.timeouts.idle, Duration.nanoseconds(now - since) >= idle else { return nil }
            return .timedOut(.wait, idle)
        }
        guard isUnderWay else { return expiredConnecting(at: now, elapsed, hostAnswers: hostAnswers) }
        return expiredAnswering(at: now)
    }

    private func expiredConnecting(at now: Int64, _ elapsed: Duration, hostAnswers: Bool) -> TransferFailure? {
        if let entered, let limit = limit(of: entered.phase), Duration.nanoseconds(now - entered.since) >= limit {
            return .timedOut(entered.phase, limit)
        }
        guard let connect = order.content.timeouts.connect, elapsed >= connect, !hostAnswers else { return nil }
        return .timedOut(phase, connect)
    }

    private func limit(of phase: SessionPhase) -> Duration? {
        switch phase {
        case .resolve: order.content.timeouts.resolve
        case .connect, .tunnel: order.content.timeouts.tcpConnect
        case .handshake: order.content.timeouts.handshake
        default: nil
        }
    }

    private func expiredAnswering(at now: Int64) -> TransferFailure? {
        let sent = easy.size(CURLINFO_SIZE_UPLOAD_T)
        if let limit = order.content.timeouts.firstByte, awaitsAnswerSince != 0 {
            // While the body goes out, nobody waits for an answer yet.
            if sent < Int64(order.content.body?.count ?? 0) { awaitsAnswerSince = now }
            if Duration.nanoseconds(now - awaitsAnswerSince) >= limit { return .timedOut(.wait, limit) }
        }
        guard let idle = order.content.timeouts.idle else { return nil }
        let count =
            easy.size(CURLINFO_SIZE_DOWNLOAD_T) + sent + Int64(easy.number(CURLINFO_HEADER_SIZE))
        guard count == movedBytes else {
            movedBytes = count
            movedLast = now
            return nil
        }
        return Duration.nanoseconds(now - movedLast) >= idle ? .timedOut(phase, idle) : nil
    }

    /// How far the exchange has come.
    var phase: SessionPhase {
        if answered > 0 { return .receive }
        if isUnderWay {
            return order.content.body != nil
                && easy.size(CURLINFO_SIZE_UPLOAD_T) < Int64(order.content.body?.count ?? 0)
                ? .send : .wait
        }
        return entered?.phase ?? .queue
    }

    /// What libcurl's own limits mean, which are for the connection and for everything.
    var timeout: TransferFailure {
        let elapsed = Duration.microseconds(easy.size(CURLINFO_TOTAL_TIME_T))
        // libcurl looks at its clock in milliseconds.
        if let total = order.content.timeouts.total, elapsed + .milliseconds(20) >= total {
            return .timedOut(phase, total)
        }
        if let connect = order.content.timeouts.connect, !isUnderWay { return .timedOut(phase, connect) }
        return .timedOut(phase, order.content.timeouts.idle ?? elapsed)
    }
}
