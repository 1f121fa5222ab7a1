import BelayCertificates
import BelayTrust
import CPeers
import FoundationEssentials
import Glibc

/// Whole programs: how fast `belay` starts beside curl, what memory both take, and how much of the library's rate is
/// left in a run of NDJSON.
struct ProgramBenchmarks {
    let belay: String
    let rounds: Int
    private let curl = "/usr/bin/curl"

    func run(into report: inout Report) throws {
        try startUp(into: &report)
        try lines(into: &report)
    }

    private func startUp(into report: inout Report) throws {
        guard access(curl, X_OK) == 0 else {
            report.skip("start-up: \(curl) is not there (Debian: curl)")
            return
        }
        guard let probe = try Run.measure([belay, "--version"]).first, probe.status == 0 else {
            report.skip("start-up: \(belay) --version fails")
            return
        }
        let sample = 20
        var ours: [Run] = []
        var peers: [Run] = []
        for round in 0..<rounds {
            let pair = [[belay, "--version"], [curl, "--version"]]
            let runs = try (round.isMultiple(of: 2) ? pair : pair.reversed()).map {
                try Run.middle(Run.measure($0, times: sample))
            }
            ours.append(round.isMultiple(of: 2) ? runs[0] : runs[1])
            peers.append(round.isMultiple(of: 2) ? runs[1] : runs[0])
        }
        func compare(_ name: String, _ measure: String, _ unit: String, _ target: Target?, _ value: (Run) -> Double) {
            report.add(
                Comparison(
                    name, measure: measure, unit: unit,
                    ours: .init(
                        name: "belay --version", includes: "static Swift runtime, stripped, from start to exit",
                        values: ours.map(value)),
                    peer: .init(
                        name: "curl --version", includes: "Debian's, from start to exit", values: peers.map(value)),
                    target: target))
        }
        compare("start-up", "wall time, median of \(sample) starts a round", "ms", .atMost(1.2)) { $0.wall * 1_000 }
        compare("memory of the start-up", "maximum resident set", "MB", nil) { $0.kilobytes / 1_024 }
    }

    private func lines(into report: inout Report) throws {
        let count = 10_000
        let material = try Material("P-256", .p256, leaves: count)
        let folder = try Scratch.makeFolder()
        defer { Scratch.remove(folder) }
        let root = Self.base64(material.root)
        let intermediate = Self.base64(material.intermediate)
        let lines = material.leaves.enumerated().map { index, leaf in
            """
            {"id":"\(index)","host":"\(Material.host)","chain":["\(Self.base64(leaf))","\(intermediate)"],"anchors":["\(root)"]}

            """
        }
        let (all, some) = (folder + "/all.ndjson", folder + "/some.ndjson")
        try Scratch.write(lines.joined(), to: all)
        try Scratch.write(lines.prefix(count / 10).joined(), to: some)

        let command = [belay, "trust", "evaluate", "--ndjson"]
        guard let probe = try Run.measure(command, input: some).first, probe.status == 0 else {
            report.skip("NDJSON: \(command.joined(separator: " ")) fails")
            return
        }
        let chains = material.leaves.map { [$0.der, material.intermediate.der] }
        let anchors = AnchorStore([material.root])
        let policy = TrustPolicy.tlsServer(name: try ServerName(Material.host))
        var command10: [Run] = []
        var command1: [Run] = []
        var library = Rates()
        for _ in 0..<rounds {
            command10 += try Run.measure(command, input: all)
            command1 += try Run.measure(command, input: some)
            let start = Cost.now()
            let cache = TrustCache()
            for chain in chains {
                var trust = ServerTrust(chain: chain, policies: [policy], anchors: anchors)
                trust.cache = cache
                guard trust.evaluate().isTrusted else { throw BenchmarkError("Belay refuses the chain") }
            }
            library.add(count, Cost.now() - start)
        }
        report.add(
            Comparison(
                "NDJSON, \(count) lines", measure: "rate per CPU-second", unit: "per CPU-second",
                ours: .init(
                    name: "belay trust evaluate --ndjson",
                    includes:
                        "start, JSON, base64, anchors of each line, evaluation, answers; a leaf of its own in each line",
                    values: command10.map { Double(count) / $0.processor }),
                peer: .init(
                    name: "ServerTrust.evaluate in a loop",
                    includes: "the same chains in DER, anchors loaded, a TrustCache for all",
                    values: library.perProcessorSecond),
                wallRatios: zip(command10, library.perSecond).map { Double(count) / $0.wall / $1 },
                target: .atLeast(0.7)))
        report.add(
            Comparison(
                "memory of NDJSON, 10,000 lines beside 1,000", measure: "maximum resident set", unit: "MB",
                ours: .init(
                    name: "10,000 lines", includes: "the whole run", values: command10.map { $0.kilobytes / 1_024 }),
                peer: .init(
                    name: "1,000 lines", includes: "the whole run", values: command1.map { $0.kilobytes / 1_024 }),
                target: nil))
    }

    private static func base64(_ certificate: Certificate) -> String {
        Data(certificate.der).base64EncodedString()
    }
}

/// What one run of a program took.
struct Run {
    let wall: Double
    let processor: Double
    let kilobytes: Double
    let status: Int

    /// Runs a program so many times, each from start to exit, by way of MeasuredRun.
    static func measure(_ arguments: [String], input: String = "/dev/null", times: Int = 1) throws -> [Run] {
        let folder = try Scratch.makeFolder()
        defer { Scratch.remove(folder) }
        let output = folder + "/runs"
        let descriptor = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("\(output) cannot be written") }
        defer { close(descriptor) }
        let status = try Scratch.withArguments([try runner(), String(times), input] + arguments) { arguments in
            peer_wait(peer_start(arguments, nil, -1, descriptor))
        }
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
        guard status == 0, lines.count == times else { throw BenchmarkError("\(arguments[0]) cannot be measured") }
        return try lines.map { line in
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count == 4, let wall = Double(fields[0]), let processor = Double(fields[1]),
                let kilobytes = Double(fields[2]), let status = Int(fields[3])
            else { throw BenchmarkError("MeasuredRun says '\(line)'") }
            return Run(wall: wall, processor: processor, kilobytes: kilobytes, status: status)
        }
    }

    /// The medians of several runs.
    static func middle(_ runs: [Run]) -> Run {
        Run(
            wall: runs.map(\.wall).median, processor: runs.map(\.processor).median,
            kilobytes: runs.map(\.kilobytes).median, status: 0)
    }

    /// MeasuredRun stands beside this program.
    private static func runner() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/MeasuredRun"
    }
}
