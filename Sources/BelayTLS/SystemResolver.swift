import BelayCertificates
import CSystem
import Glibc

/// The machine's own resolver: `/etc/hosts`, name servers, and whatever else it is set up with.
///
/// `getaddrinfo` blocks and cannot be stopped. It runs on threads of its own, at most `maximumThreads` of them; a wait that is
/// cancelled or out of time ends at once, and its thread when the system lets it go.
public final class SystemResolver: HostResolver {
    private let loop: EventLoop
    private let queue: Protected<Queue>

    /// A resolver whose waits run on `loop`.
    ///
    /// - Parameters:
    ///   - loop: keeps the time.
    ///   - maximumThreads: how many names may be looked up at the same time; further ones wait for their turn.
    public init(loop: EventLoop, maximumThreads: Int = 8) {
        self.loop = loop
        queue = Protected(Queue(maximumThreads: max(1, maximumThreads)))
    }

    /// The addresses that `getaddrinfo` gives, in its order (RFC 6724).
    public func addresses(of host: String, port: UInt16, within limit: Duration) async throws(ResolutionError)
        -> [SocketAddress]
    {
        let lookup = Lookup(host: host, port: port)
        let loop = loop
        let queue = queue
        let outcome = await loop.event(until: Deadline(after: limit)) { token in
            let job = Job(lookup: lookup, token: token, loop: loop)
            if !Queue.begin(job, in: queue) {
                lookup.result.withLock { $0 = .failure(.failed("no thread could be started for the lookup")) }
                loop.signal(token)
            }
        }
        switch outcome {
        case .ready:
            guard let result = lookup.result.withLock({ $0 }) else { throw .failed("the lookup gave no result") }
            return try result.get()
        case .timedOut:
            lookup.isAbandoned.withLock { $0 = true }
            throw .timedOut
        case .cancelled:
            lookup.isAbandoned.withLock { $0 = true }
            throw .cancelled
        case .failed(let code):
            throw .failed(systemErrorText(code))
        }
    }
}

/// One name on its way.
private final class Lookup: Sendable {
    let host: String
    let port: UInt16
    let result = Protected<Result<[SocketAddress], ResolutionError>?>(nil)
    let isAbandoned = Protected(false)

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    func run() {
        guard !isAbandoned.withLock({ $0 }) else { return }
        let found = lookUp(host, port: port)
        result.withLock { $0 = found }
    }
}

private struct Job: Sendable {
    let lookup: Lookup
    let token: EventToken
    // Held weakly by nobody: a loop must live as long as a lookup may still signal it.
    let loop: EventLoop

    func run() {
        lookup.run()
        loop.signal(token)
    }
}

private struct Queue {
    let maximumThreads: Int
    var threads = 0
    var waiting: [Job] = []

    /// Starts a thread for the job, or lets it wait for one; false when there is no thread at all.
    static func begin(_ job: Job, in queue: Protected<Queue>) -> Bool {
        let startsThread = queue.withLock { queue in
            guard queue.threads < queue.maximumThreads else {
                queue.waiting.append(job)
                return false
            }
            queue.threads += 1
            return true
        }
        guard startsThread else { return true }
        let worker = Unmanaged.passRetained(Worker(first: job, queue: queue))
        let failure = belay_start_detached_thread(
            { argument in
                guard let argument else { return nil }
                belay_name_current_thread("belay-resolver")
                Unmanaged<Worker>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, worker.toOpaque())
        guard failure != 0 else { return true }
        worker.release()
        queue.withLock { $0.threads -= 1 }
        return false
    }

    mutating func next() -> Job? {
        while !waiting.isEmpty {
            let job = waiting.removeFirst()
            if !job.lookup.isAbandoned.withLock({ $0 }) { return job }
        }
        threads -= 1
        return nil
    }
}

/// What a lookup thread runs: its first job, then whatever waits.
private final class Worker {
    private var job: Job?
    private let queue: Protected<Queue>

    init(first: Job, queue: Protected<Queue>) {
        job = first
        self.queue = queue
    }

    func run() {
        while let current = job {
            current.run()
            job = queue.withLock { $0.next() }
        }
    }
}

private func lookUp(_ host: String, port: UInt16) -> Result<[SocketAddress], ResolutionError> {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else {
        let text = code == EAI_SYSTEM ? systemErrorText(errno) : String(cString: gai_strerror(code))
        return .failure(.failed(text))
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var entry = list
    while let current = entry {
        if let pointer = current.pointee.ai_addr, let address = SocketAddress(pointer)?.with(port: port),
            !addresses.contains(address)
        {
            addresses.append(address)
        }
        entry = current.pointee.ai_next
    }
    return addresses.isEmpty ? .failure(.failed("the name has no IPv4 or IPv6 address")) : .success(addresses)
}
