import FoundationEssentials
import Glibc
import Synchronization

/// What a soak has seen so far.
final class SoakJournal: Sendable {
    private let guarded = Mutex(Values())

    private struct Values {
        var started = 0
        var ended = 0
        var outcomes: [String: Int] = [:]
        /// The scenarios of requests that are under way, by number.
        var underWay: [Int: (scenario: String, start: ContinuousClock.Instant)] = [:]
        /// How long the requests of each scenario took.
        var durations: [String: (count: Int, total: Duration, longest: Duration)] = [:]
        var faults: [String] = []
        /// Odd while the policy is being changed.
        var generation = 0
        var refuses = false
    }

    /// A moment of the policy: two equal ones with an even number say that nothing has changed between them.
    struct PolicyMoment: Equatable {
        let generation: Int
        let refuses: Bool

        var isSettled: Bool { generation.isMultiple(of: 2) }
    }

    var policy: PolicyMoment {
        guarded.withLock { PolicyMoment(generation: $0.generation, refuses: $0.refuses) }
    }

    /// Changes the policy by `body`, which says whether the new one refuses every server.
    func changePolicy(refuses: Bool, _ body: () -> Void) {
        guarded.withLock { $0.generation += 1 }
        body()
        guarded.withLock { values in
            values.generation += 1
            values.refuses = refuses
        }
    }

    func begin(_ scenario: String) -> Int {
        guarded.withLock { values in
            values.started += 1
            values.underWay[values.started] = (scenario, .now)
            return values.started
        }
    }

    /// - Returns: how long the request took.
    func end(_ number: Int, _ outcome: String) -> Duration {
        guarded.withLock { values in
            values.ended += 1
            values.outcomes[outcome, default: 0] += 1
            guard let (scenario, start) = values.underWay.removeValue(forKey: number) else { return .zero }
            let took = ContinuousClock.now - start
            var known = values.durations[scenario] ?? (0, .zero, .zero)
            known.count += 1
            known.total += took
            known.longest = max(known.longest, took)
            values.durations[scenario] = known
            return took
        }
    }

    /// Notes what should not have been; the first hundred.
    func fault(_ text: String) {
        guarded.withLock { if $0.faults.count < 100 { $0.faults.append(text) } }
    }

    var faults: [String] { guarded.withLock { $0.faults } }
    var ended: Int { guarded.withLock { $0.ended } }
    var lost: [String] { guarded.withLock { $0.underWay.values.map(\.scenario) } }

    var summary: String {
        guarded.withLock { values in
            let parts = values.outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            let times = values.durations.sorted { $0.key < $1.key }.map { name, taken in
                let mean = taken.total / taken.count / .milliseconds(1)
                return
                    "  \(name): \(taken.count), \(short(mean)) ms, at most \(short(taken.longest / .milliseconds(1)))"
            }
            return "\(values.started) requests: \(parts.joined(separator: ", "))\n" + times.joined(separator: "\n")
        }
    }
}

/// What the process holds of the machine.
struct SoakFootprint {
    let kilobytes: Int
    /// What the open descriptors lead to.
    let openFiles: [String]
    let threads: Int

    static var current: SoakFootprint {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func number(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        let folder = "/proc/self/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let files = numbers.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
        return SoakFootprint(kilobytes: number("VmRSS:"), openFiles: files, threads: number("Threads:"))
    }

    var descriptors: Int { openFiles.count }

    var text: String {
        "\(short(Double(kilobytes) / 1_024)) MB resident, \(descriptors) descriptors, \(threads) threads"
    }
}
