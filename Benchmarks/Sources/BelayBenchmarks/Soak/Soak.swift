import BelayCertificates
import BelaySession
import BelayTrust
import FoundationEssentials
import Glibc

/// Mixed traffic through one session, with servers that fail in every way, policies that change under it, and requests that are
/// cancelled at random moments. It ends well when every request was answered or failed in a way that fits what its server does, none
/// was lost, none was answered under a policy that refuses its server, and memory and descriptors have not grown.
struct Soak {
    let minutes: Double
    let seed: UInt64
    private let journal = SoakJournal()
    /// Requests that are under way at once.
    private static let workers = 48
    /// What a request may take, and by how much a busy machine may be late.
    private static let limit = Duration.seconds(15)
    private static let slack = Duration.seconds(5)

    init(minutes: Double, seed: UInt64) {
        self.minutes = minutes
        self.seed = seed
    }

    func run() async throws {
        let folder = try Scratch.makeFolder()
        defer { Scratch.remove(folder) }
        let servers = try PeerProgram(["/proc/self/exe", "soak-servers", folder])
        var ports: [String: Int] = [:]
        var pin = ""
        for entry in servers.description.split(separator: " ") {
            let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2, parts[0] == "pin" { pin = parts[1] }
            if parts.count == 2, let port = Int(parts[1]) { ports[parts[0]] = port }
        }
        emit("seed \(seed), \(Self.workers) requests at once, \(short(minutes)) minutes\n")
        // The runtime opens what it needs for a clock at the first sleep by it; on a busy machine it watches its threads by the second one.
        try await Task.sleep(for: .milliseconds(1), clock: .continuous)
        try await Task.sleep(for: .milliseconds(1), clock: .suspending)
        let before = SoakFootprint.current
        try await soak(Policies(anchors: folder + "/anchors.pem", pin: pin), ports)
        let after = await settled(to: before.descriptors)
        emit("without the session: \(after.text); before it: \(before.text)\n")
        if after.descriptors > before.descriptors {
            journal.fault(
                "descriptors are left when the session is gone: \(after.openFiles.joined(separator: " ")); before it: "
                    + before.openFiles.joined(separator: " "))
        }
        withExtendedLifetime(servers) {}
        emit("\(journal.summary)\n")
        guard journal.faults.isEmpty else {
            throw BenchmarkError("the soak found:\n  " + journal.faults.joined(separator: "\n  "))
        }
        emit("Nothing lost, nothing unexpected, nothing grown.\n")
    }

    /// The policies that take turns.
    private struct Policies {
        let pinned: ConnectionPolicy
        let unpinned: ConnectionPolicy
        let refusing: ConnectionPolicy

        init(anchors: String, pin: String) throws {
            var policy = ConnectionPolicy(securityPolicy: .default)
            policy.trust.anchors = AnchorStore(try Certificate.read(contentsOf: anchors))
            policy.trust.systemAnchors = .none
            unpinned = policy
            let other = try PrivateKey.generate(.p256).publicKey.pin
            policy.securityPolicy = .pinned(to: PinnedKeys(try SPKIPin(text: pin), other))
            pinned = policy
            policy.securityPolicy = .pinned(to: PinnedKeys(other))
            refusing = policy
        }
    }

    private func soak(_ policies: Policies, _ ports: [String: Int]) async throws {
        var configuration = SessionConfiguration()
        configuration.timeouts.connect = .seconds(4)
        configuration.timeouts.idle = .seconds(4)
        configuration.timeouts.total = Self.limit
        configuration.maximumBodySize = 1 << 20
        configuration.maximumIdleConnections = 32
        configuration.proxy = .none
        let session = try Session(configuration: configuration, policy: policies.pinned)

        // What is kept for good (connections, caches, the allocator's own) has its size after the first part.
        await traffic(session, policies, ports, minutes: minutes * 0.25, seed: seed)
        let early = SoakFootprint.current
        emit("after the warm-up: \(early.text)\n")
        await traffic(session, policies, ports, minutes: minutes * 0.75, seed: seed &+ 1_000_003)
        let late = SoakFootprint.current
        emit("at the end: \(late.text)\n")
        if late.kilobytes > early.kilobytes + early.kilobytes / 10 + 4_096 {
            journal.fault("memory grew from \(early.kilobytes) to \(late.kilobytes) kB")
        }
        if late.descriptors > early.descriptors + configuration.maximumIdleConnections {
            journal.fault("descriptors grew from \(early.descriptors) to \(late.descriptors)")
        }
    }

    /// Lets the engine's thread end; what stays open after ten seconds stays.
    private func settled(to descriptors: Int) async -> SoakFootprint {
        for _ in 0..<100 where SoakFootprint.current.descriptors > descriptors {
            try? await Task.sleep(for: .milliseconds(100))
        }
        return SoakFootprint.current
    }

    private func traffic(
        _ session: Session, _ policies: Policies, _ ports: [String: Int], minutes: Double, seed: UInt64
    ) async {
        let end = ContinuousClock.now + .seconds(minutes * 60)
        let work = Task {
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<Self.workers {
                    group.addTask {
                        var random = SeededGenerator(seed: seed &+ UInt64(worker) &* 7_919)
                        while ContinuousClock.now < end { await request(session, ports, &random) }
                    }
                }
            }
        }
        let changes = Task { await changePolicies(session, policies, until: end, seed: seed) }
        let progress = Task { await report(until: end) }
        // Every request has a limit of its own; whoever is not back well after it will never be.
        let watchdog = Task {
            try await Task.sleep(until: end + .seconds(60), clock: .continuous)
            let lost = journal.lost
            emit("error: \(lost.count) requests are lost: \(lost.joined(separator: ", "))\n", to: STDERR_FILENO)
            _exit(1)
        }
        await work.value
        watchdog.cancel()
        await changes.value
        await progress.value
    }

    private func changePolicies(
        _ session: Session, _ policies: Policies, until end: ContinuousClock.Instant, seed: UInt64
    ) async {
        var random = SeededGenerator(seed: ~seed)
        while ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(Int.random(in: 20...600, using: &random)))
            switch Int.random(in: 0..<4, using: &random) {
            case 0: journal.changePolicy(refuses: true) { session.policy = policies.refusing }
            case 1: journal.changePolicy(refuses: false) { session.policy = policies.unpinned }
            default: journal.changePolicy(refuses: false) { session.policy = policies.pinned }
            }
        }
        journal.changePolicy(refuses: false) { session.policy = policies.pinned }
    }

    private func report(until end: ContinuousClock.Instant) async {
        var seen = journal.ended
        while ContinuousClock.now < end {
            try? await Task.sleep(for: .seconds(10))
            let now = journal.ended
            emit("\(now) requests ended, \((now - seen) / 10) a second; \(SoakFootprint.current.text)\n")
            seen = now
        }
    }

    private func request(_ session: Session, _ ports: [String: Int], _ random: inout SeededGenerator) async {
        let scenario = Self.choose(&random)
        let isCancelled = Int.random(in: 0..<10, using: &random) == 0
        let delay = Duration.microseconds(Int.random(in: 0...30_000, using: &random))
        let number = journal.begin(scenario.name)
        let before = journal.policy
        let task = Task { await Self.outcome(of: scenario, session, ports) }
        if isCancelled {
            try? await Task.sleep(for: delay)
            task.cancel()
        }
        let outcome = await task.value
        let after = journal.policy
        let took = journal.end(number, outcome)
        if took > Self.limit + Self.slack {
            journal.fault("\(scenario.name): took \(took), where a request may take \(Self.limit)")
        }

        var expected = scenario.outcomes
        if scenario.reachesTrust {
            let isSettled = before == after && before.isSettled
            if isSettled, before.refuses {
                // Nobody is answered by a server that the policy refuses; that it fails before it is judged is possible.
                expected.remove("ok")
            }
            if !isSettled || before.refuses { expected.insert("untrusted") }
            // A change gives up the terms that a request was about to use.
            if !isSettled { expected.insert("unjudged") }
        }
        if isCancelled { expected.insert("cancelled") }
        if !expected.contains(outcome) {
            journal.fault(
                "\(scenario.name): \(outcome), where \(expected.sorted().joined(separator: " or ")) was expected")
        }
    }

    private static func outcome(of scenario: SoakScenario, _ session: Session, _ ports: [String: Int]) async -> String {
        do {
            let response = try await session.send(scenario.request(ports))
            return response.body.count == scenario.expectedLength ? "ok" : "a body of \(response.body.count) bytes"
        } catch {
            return error.reason.soakName
        }
    }

    private static func choose(_ random: inout SeededGenerator) -> SoakScenario {
        var place = Int.random(in: 0..<totalWeight, using: &random)
        for scenario in SoakScenario.all {
            if place < scenario.weight { return scenario }
            place -= scenario.weight
        }
        return SoakScenario.all[0]
    }

    private static let totalWeight = SoakScenario.all.reduce(0) { $0 + $1.weight }
}
