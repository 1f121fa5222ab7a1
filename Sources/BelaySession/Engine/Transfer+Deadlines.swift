import CCurl

/// What libcurl's own limits leave out: a transfer that waits for another's connection has no limit there at all, so that a server
/// which never answers a handshake could hold up any number of requests, one after the other. And its limit on silence looks at the
/// average speed of some seconds, so that it comes late.
extension Transfer {
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
        guard isUnderWay else {
            guard let connect = order.content.timeouts.connect, elapsed >= connect, !hostAnswers else { return nil }
            return .timedOut(phase == .resolve ? .connect : phase, connect)
        }
        guard let idle = order.content.timeouts.idle else { return nil }
        let count =
            easy.size(CURLINFO_SIZE_DOWNLOAD_T) + easy.size(CURLINFO_SIZE_UPLOAD_T)
            + Int64(easy.number(CURLINFO_HEADER_SIZE))
        guard count == movedBytes else {
            movedBytes = count
            movedLast = now
            return nil
        }
        return Duration.nanoseconds(now - movedLast) >= idle ? .timedOut(phase, idle) : nil
    }
}
