import Glibc

/// What a stretch of work took.
struct Cost {
    var wall: Double
    var processor: Double

    static func now() -> Cost {
        func read(_ clock: clockid_t) -> Double {
            var time = timespec()
            clock_gettime(clock, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        // The process's own time, all of its threads: the event loop's thread must not work for nothing.
        return Cost(wall: read(CLOCK_MONOTONIC), processor: read(CLOCK_PROCESS_CPUTIME_ID))
    }

    static func - (left: Cost, right: Cost) -> Cost {
        Cost(wall: left.wall - right.wall, processor: left.processor - right.processor)
    }
}

/// A job that is measured: does its work so many times, or throws where one of them went wrong.
struct Job {
    let name: String
    /// What one repetition includes, in words.
    let includes: String
    let run: (_ repetitions: Int) async throws -> Void
}

/// Something went wrong while measuring: a figure of work that failed would be none.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The figures of one job over all rounds, each in repetitions a second.
struct Rates {
    var perProcessorSecond: [Double] = []
    var perSecond: [Double] = []

    mutating func add(_ repetitions: Int, _ cost: Cost) {
        perProcessorSecond.append(Double(repetitions) / cost.processor)
        perSecond.append(Double(repetitions) / cost.wall)
    }
}

extension [Double] {
    var median: Double {
        let sorted = self.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The quartiles, by the nearest rank.
    var quartiles: (Double, Double) {
        let sorted = self.sorted()
        guard !sorted.isEmpty else { return (.nan, .nan) }
        let last = Double(sorted.count - 1)
        return (sorted[Int((last * 0.25).rounded())], sorted[Int((last * 0.75).rounded())])
    }
}

/// Runs two jobs side by side.
struct Interleaving {
    let rounds: Int
    /// How long one turn of one job is to be, in seconds of processor time.
    let turn: Double
    /// For profiles: run only the jobs of comparisons whose name has this part, ours without their peers.
    let alone: String?

    /// Measures pair by pair, each pair starting with the job that came second in the pair before, so that a slower
    /// machine, another program or a warmer cache falls on both alike.
    func measure(_ ours: Job, _ peer: Job) async throws -> (ours: Rates, peer: Rates) {
        let counts = (try await calibrate(ours), try await calibrate(peer))
        var rates = (ours: Rates(), peer: Rates())
        for round in 0..<rounds {
            if round.isMultiple(of: 2) {
                rates.ours.add(counts.0, try await cost(ours, counts.0))
                rates.peer.add(counts.1, try await cost(peer, counts.1))
            } else {
                rates.peer.add(counts.1, try await cost(peer, counts.1))
                rates.ours.add(counts.0, try await cost(ours, counts.0))
            }
        }
        return rates
    }

    /// Measures one job without its peer.
    func measure(_ job: Job) async throws -> Rates {
        let count = try await calibrate(job)
        var rates = Rates()
        for _ in 0..<rounds { rates.add(count, try await cost(job, count)) }
        return rates
    }

    private func cost(_ job: Job, _ repetitions: Int) async throws -> Cost {
        let start = Cost.now()
        try await job.run(repetitions)
        return Cost.now() - start
    }

    /// How many repetitions make one turn.
    private func calibrate(_ job: Job) async throws -> Int {
        var repetitions = 1
        while true {
            let took = try await cost(job, repetitions).processor
            if took >= turn / 4 { return max(1, Int(Double(repetitions) * turn / took)) }
            repetitions *= took < turn / 64 ? 8 : 2
        }
    }
}
