import FoundationEssentials
import Glibc
import Synchronization

/// Keeps so many requests under way for so long, and counts: what the measured programs in Swift have in common.
public struct Load: Sendable {
    /// How many requests are under way at once.
    public let inFlight: Int
    /// How long the measured part takes; 0 for a single request.
    public let seconds: Double
    /// `1.1` or `2`.
    public let httpVersion: String
    /// The file with the certificates to trust.
    public let anchors: String
    /// The length that every body must have, in bytes.
    public let size: Int
    /// What is asked for.
    public let url: String
    /// Pins, where the program takes any.
    public let pins: [String]

    /// How many connections such a load needs: over HTTP/2 as many as the streams of nginx's default limit ask for.
    public var connections: Int { httpVersion == "2" ? (inFlight + 127) / 128 : inFlight }

    /// Reads `PROGRAM IN_FLIGHT SECONDS PROTOCOL ANCHORS SIZE URL PIN…`.
    public init(_ arguments: [String]) throws {
        guard arguments.count >= 7, let inFlight = Int(arguments[1]), inFlight > 0, let seconds = Double(arguments[2]),
            let size = Int(arguments[5])
        else { throw LoadError("usage: \(arguments.first ?? "") IN_FLIGHT SECONDS PROTOCOL ANCHORS SIZE URL PIN…") }
        self.inFlight = inFlight
        self.seconds = seconds
        httpVersion = arguments[3]
        anchors = arguments[4]
        self.size = size
        url = arguments[6]
        pins = Array(arguments[7...])
    }

    /// Sends one request where the time is 0. Otherwise measures, prints a line (responses, seconds by the clock, seconds of
    /// processor time, peak memory in kilobytes), and ends the process, since requests are still under way.
    public func run(_ send: @escaping @Sendable () async throws -> Void) async throws {
        guard seconds > 0 else { return try await send() }
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    do {
                        while true {
                            try await send()
                            counter.add()
                        }
                    } catch {
                        Self.report(error)
                    }
                }
            }
            group.addTask {
                // Until connections are made and caches are warm.
                try? await Task.sleep(for: .seconds(seconds / 3))
                while counter.value < inFlight { try? await Task.sleep(for: .milliseconds(10)) }
                let start = ContinuousClock.now
                let (before, used) = (counter.value, Self.processorSeconds)
                try? await Task.sleep(for: .seconds(seconds))
                let wall = (ContinuousClock.now - start) / .seconds(1)
                let processor = Self.processorSeconds - used
                Self.say("\(counter.value - before) \(wall) \(processor) \(Self.peakKilobytes)\n", to: STDOUT_FILENO)
                _exit(0)
            }
            await group.waitForAll()
        }
    }

    /// Says what went wrong, and ends the process.
    public static func report(_ error: any Error) -> Never {
        say("\(CommandLine.arguments[0]): \(error)\n", to: STDERR_FILENO)
        _exit(1)
    }

    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Of this program alone: the maximum that `getrusage` gives is inherited from the program that started it.
    private static var peakKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)

        func add() { count.add(1, ordering: .relaxed) }

        var value: Int { count.load(ordering: .relaxed) }
    }

    private static func say(_ text: String, to descriptor: Int32) {
        var text = text
        _ = text.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
    }
}

/// A request that did not end as it should: a figure of work that failed would be none.
public struct LoadError: Error, CustomStringConvertible {
    /// What was wrong.
    public let description: String

    /// Says what was wrong.
    public init(_ description: String) { self.description = description }
}
