import Glibc

/// Makes TCP connections.
///
/// Several addresses are tried like in RFC 8305 (happy eyeballs): one after the other, alternating between the families, the
/// next one as soon as one fails or after a quarter of a second, and the first connection that stands wins.
struct Dialer: Sendable {
    let loop: EventLoop

    /// A connection that stands.
    struct Connected: Sendable {
        let socket: Socket
        let address: SocketAddress
    }

    /// Why no address could be reached: the last one tried, and its reason.
    struct Failure: Error, Sendable {
        let address: SocketAddress?
        let reason: TLSError.Reason
    }

    private static let stagger = Duration.milliseconds(250)

    func connect(to addresses: [SocketAddress], within limit: Duration) async -> Result<Connected, Failure> {
        let deadline = Deadline(after: limit)
        let ordered = Dialer.interleaved(addresses)
        guard let only = ordered.first else {
            return .failure(Failure(address: nil, reason: .notResolved("the name has no address")))
        }
        if ordered.count == 1 { return await attempt(only, limit, until: deadline) }
        return await race(ordered, limit, until: deadline)
    }

    /// The first family's first address, then the other's, and so on.
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let preferred = addresses.filter { $0.isIPv6 == first.isIPv6 }
        let others = addresses.filter { $0.isIPv6 != first.isIPv6 }
        var ordered: [SocketAddress] = []
        for index in 0..<max(preferred.count, others.count) {
            if index < preferred.count { ordered.append(preferred[index]) }
            if index < others.count { ordered.append(others[index]) }
        }
        return ordered
    }

    private func attempt(
        _ address: SocketAddress, _ limit: Duration, until deadline: Deadline
    ) async -> Result<Connected, Failure> {
        func failure(_ reason: TLSError.Reason) -> Result<Connected, Failure> {
            .failure(Failure(address: address, reason: reason))
        }
        if Task.isCancelled { return failure(.cancelled) }
        let socket: Socket
        switch Socket.stream(for: address, loop: loop) {
        case .success(let made): socket = made
        case .failure(let error): return failure(error.reason)
        }
        switch socket.beginConnecting(to: address) {
        case .success(true): return .success(Connected(socket: socket, address: address))
        case .success(false): break
        case .failure(let error): return failure(error.reason)
        }
        switch await loop.readiness(of: socket, for: .write, until: deadline) {
        case .ready:
            if let error = socket.pendingError() { return failure(error.reason) }
            return .success(Connected(socket: socket, address: address))
        case .timedOut: return failure(.timedOut(limit))
        case .cancelled: return failure(.cancelled)
        case .failed(let code): return failure(.system(call: "epoll_ctl", code: code))
        }
    }

    private enum Event: Sendable {
        case attempted(Result<Connected, Failure>)
        case waited
    }

    private func race(
        _ addresses: [SocketAddress], _ limit: Duration, until deadline: Deadline
    ) async -> Result<Connected, Failure> {
        await withTaskGroup(of: Event.self) { group in
            var left = addresses[...]
            var running = 0
            var failures: [Failure] = []
            func startNext() {
                guard let address = left.popFirst() else { return }
                running += 1
                group.addTask { .attempted(await attempt(address, limit, until: deadline)) }
                guard !left.isEmpty else { return }
                group.addTask {
                    _ = await loop.sleep(until: Deadline(after: Dialer.stagger))
                    return .waited
                }
            }
            startNext()
            while running > 0, let event = await group.next() {
                switch event {
                case .attempted(.success(let connected)):
                    group.cancelAll()
                    return .success(connected)
                case .attempted(.failure(let failure)):
                    running -= 1
                    failures.append(failure)
                    if Task.isCancelled || deadline.hasPassed { left = [] }
                    startNext()
                case .waited:
                    if !Task.isCancelled { startNext() }
                }
            }
            group.cancelAll()
            return .failure(Dialer.mostTelling(failures))
        }
    }

    /// Of several failures the one that says most: a refusal comes from the host itself.
    private static func mostTelling(_ failures: [Failure]) -> Failure {
        func weight(_ reason: TLSError.Reason) -> Int {
            switch reason {
            case .cancelled: 4
            case .refused: 3
            case .timedOut: 2
            case .reset: 2
            case .unreachable: 1
            default: 0
            }
        }
        return failures.max { weight($0.reason) < weight($1.reason) }
            ?? Failure(address: nil, reason: .unreachable("no address was tried"))
    }
}

extension SystemError {
    /// What a failed call says about the way to the peer.
    var reason: TLSError.Reason {
        switch code {
        case ECONNREFUSED: .refused
        case ECONNRESET, EPIPE, ECONNABORTED: .reset
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, ETIMEDOUT, EAFNOSUPPORT, EACCES, EPERM, EINVAL:
            .unreachable(systemErrorText(code))
        default: .system(call: call, code: code)
        }
    }
}
