import BelaySession

/// Ends a request that takes too long, with all of its redirects and challenges.
struct GetTimer {
    /// nil for no end.
    let limit: Duration?

    /// Sends a request; one that was ended has timed out in the phase it was in, as far as that is known.
    func send(_ request: Request, in session: Session) async -> Result<Response, SessionError> {
        guard let limit else { return await Self.send(request, in: session) }
        return await withTaskGroup(of: Result<Response, SessionError>?.self) { group in
            group.addTask { await Self.send(request, in: session) }
            group.addTask {
                // The session holds a single exchange to the limit itself, and knows the phase; this one is for several.
                try? await Task.sleep(for: limit + .milliseconds(100))
                return nil
            }
            var isOver = false
            while let finished = await group.next() {
                guard let result = finished else {
                    isOver = true
                    group.cancelAll()
                    continue
                }
                group.cancelAll()
                guard isOver, case .failure(let error) = result, case .cancelled = error.reason else { return result }
                return .failure(
                    SessionError(method: error.method, url: error.url, phase: error.phase, reason: .timedOut(limit)))
            }
            return .failure(
                SessionError(method: request.method.rawValue, url: request.url, phase: .prepare, reason: .cancelled))
        }
    }

    private static func send(_ request: Request, in session: Session) async -> Result<Response, SessionError> {
        do throws(SessionError) { return .success(try await session.send(request)) } catch { return .failure(error) }
    }
}
