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
    /// Does it, and says what it took.
    let cost: (_ repetitions: Int) async throws -> Cost

    /// A job of this process, or of C code in it.
    init(name: String, includes: String, run: @escaping (_ repetitions: Int) async throws -> Void) {
        self.init(
            measuredBy: { repetitions in
                let start = Cost.now()
                try await run(repetitions)
                return Cost.now() - start
            }, name: name, includes: includes)
    }

    /// A job of another process, which measures itself.
    init(measuredBy cost: @escaping (_ repetitions: Int) async throws -> Cost, name: String, includes: String) {
        self.cost = cost
        self.name = name
        self.includes = includes
    }
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

/// Runs jobs side by side.
struct Interleaving {
    let rounds: Int
    /// How long one turn of one job is to be, in seconds of processor time.
    let turn: Double
    /// For profiles: run only the jobs of comparisons whose name has this part, ours without their peers.
    let alone: String?

    /// Measures pair by pair, each pair starting with the job that came second in the pair before, so that a slower
    /// machine, another program or a warmer cache falls on both alike.
    func measure(_ ours: Job, _ peer: Job) async throws -> (ours: Rates, peer: Rates) {
        let rates = try await measure([ours, peer])
        return (rates[0], rates[1])
    }

    /// Measures any number of jobs, each round beginning with the next of them.
    func measure(_ jobs: [Job]) async throws -> [Rates] {
        var counts: [Int] = []
        for job in jobs { counts.append(try await calibrate(job)) }
        var rates = jobs.map { _ in Rates() }
        for round in 0..<rounds {
            for turn in jobs.indices {
                let index = (round + turn) % jobs.count
                rates[index].add(counts[index], try await jobs[index].cost(counts[index]))
            }
        }
        return rates
    }

    /// How many repetitions make one turn.
    private func calibrate(_ job: Job) async throws -> Int {
        var repetitions = 1
        while true {
            let took = try await job.cost(repetitions).processor
            if took >= turn / 4 { return max(1, Int(Double(repetitions) * turn / took)) }
            repetitions *= took < turn / 64 ? 8 : 2
        }
    }
}
