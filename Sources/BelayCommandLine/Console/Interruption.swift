import Dispatch
import Glibc

/// The wish of a person, or of the system, that the program ends: SIGINT, SIGTERM, SIGHUP.
///
/// From when it exists these signals no longer end the program; it has to ask.
final class Interruption {
    private let wishes: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// Begins to listen.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wishes = stream
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // What the source sees must not end the process first.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }

    /// Returns when the program shall end.
    func wait() async {
        for await _ in wishes { return }
    }
}
