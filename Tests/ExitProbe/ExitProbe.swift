import BelayCertificates
import BelaySession
import BelayTrust
import Glibc

/// Ends, as any program may, while its session's thread has something to do.
///
///     exit-probe URL ANCHORS CONNECT-TO CONNECTIONS (traffic|idle|memory)
///
/// With `idle` it makes so many connections at once, keeps them, lets the session go and returns; with `traffic` it calls exit(3)
/// after so many responses, in the middle of further ones. With `memory` it has eight requests under way until so many are answered, and once
/// more, and prints how many pages the kernel had to give it for those of the second time.
@main
enum ExitProbe {
    static func main() async throws {
        try await run(CommandLine.arguments)
    }

    private static func run(_ arguments: [String]) async throws {
        guard arguments.count == 6, let count = Int(arguments[4]) else { exit(2) }
        var configuration = SessionConfiguration()
        configuration.proxy = .none
        configuration.connectTo = arguments[3]
        configuration.resumesSessions = false
        configuration.timeouts.connect = .seconds(60)
        var policy = ConnectionPolicy()
        policy.trust.systemAnchors = .none
        policy.trust.anchors = AnchorStore(try Certificate.read(contentsOf: arguments[2]))
        let session = try Session(configuration: configuration, policy: policy)
        var request = Request.get(arguments[1])
        if arguments[5] == "memory" {
            await repeatedly(session, request, count)
            let before = pageFaults()
            await repeatedly(session, request, count)
            print(pageFaults() - before)
            return
        }
        guard arguments[5] == "traffic" else {
            await connect(session, request, count)
            return
        }
        request.headers["Connection"] = "close"
        let responses = Protected(0)
        await withTaskGroup(of: Void.self) { [request] group in
            for _ in 0..<8 {
                group.addTask {
                    while true {
                        await send(request, session)
                        responses.withLock { responses in
                            responses += 1
                            if responses == count { exit(0) }
                        }
                    }
                }
            }
        }
    }

    private static func pageFaults() -> Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_minflt
    }

    private static func repeatedly(_ session: Session, _ request: Request, _ count: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<(count / 8) { await send(request, session) } }
            }
        }
    }

    private static func connect(_ session: Session, _ request: Request, _ count: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { await send(request, session) } }
        }
    }

    private static func send(_ request: Request, _ session: Session) async {
        do { _ = try await session.send(request) } catch {
            let text = "\(error)\n"
            _ = write(STDERR_FILENO, text, text.utf8.count)
            exit(3)
        }
    }
}
