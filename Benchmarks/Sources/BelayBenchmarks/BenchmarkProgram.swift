import CPeers
import FoundationEssentials
import Glibc

/// Measures Belay beside the same work in C and prints what came of it.
@main
struct BenchmarkProgram {
    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "soak-servers", arguments.count == 2 {
                return try await SoakServers.run(folder: arguments[1])
            }
            if arguments.first == "soak", arguments.count == 3, let minutes = Double(arguments[1]),
                let seed = UInt64(arguments[2])
            {
                return try await Soak(minutes: minutes, seed: seed).run()
            }
            let options = try Options(arguments)
            let report = try await run(options)
            if let path = options.json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                try encoder.encode(report).write(to: URL(fileURLWithPath: path))
            }
        } catch {
            emit("error: \(error)\n", to: STDERR_FILENO)
            exit(1)
        }
    }

    private static func run(_ options: Options) async throws -> Report {
        var report = Report(machine: .current, rounds: options.rounds)
        emit(
            """
            \(report.machine.processor), \(report.machine.processors) processors, Linux \(report.machine.kernel), \
            \(report.machine.openssl)
            Medians of \(options.rounds) interleaved pairs, quartiles in brackets. Rates are per second of processor time.


            """)
        let interleaving = Interleaving(rounds: options.rounds, turn: options.turn, alone: options.alone)
        let materials = [
            try Material("P-256", .p256, leaves: 512), try Material("RSA-2048", .rsa(bits: 2_048), leaves: 512),
        ]
        if options.wants("reading") {
            try await ReadingBenchmarks(materials: materials, interleaving: interleaving).run(into: &report)
        }
        if options.wants("evaluation") {
            try await EvaluationBenchmarks(materials: materials, interleaving: interleaving).run(into: &report)
        }
        if options.wants("verifiers") {
            try await VerifierBenchmarks(
                materials: materials, interleaving: interleaving, programs: options.programs
            ).run(into: &report)
        }
        if options.wants("anchors") { try await AnchorsBenchmark(interleaving: interleaving).run(into: &report) }
        if options.wants("handshake") {
            try await HandshakeBenchmark(material: materials[0], interleaving: interleaving).run(into: &report)
        }
        if options.wants("ats") { try await TransportSecurityBenchmark(interleaving: interleaving).run(into: &report) }
        if options.wants("hostile"), options.alone == nil {
            try HostileBenchmark(rounds: options.rounds).run(into: &report)
        }
        if options.wants("programs"), options.alone == nil {
            if let belay = options.belay {
                try ProgramBenchmarks(belay: belay, rounds: options.rounds).run(into: &report)
            } else {
                report.skip("whole programs: --belay does not say where the command is")
            }
        }
        if options.wants("session"), options.alone == nil {
            if let curlPeer = options.curlPeer {
                try SessionBenchmarks(
                    rounds: options.rounds, turn: options.load, curlPeer: curlPeer, goPeer: options.goHTTPPeer
                ).run(into: &report)
            } else {
                report.skip("the session: --curl-peer does not say where the program in C is")
            }
        }
        guard options.alone == nil else { return report }
        let missed = report.missed
        emit(missed.isEmpty ? "All targets met.\n" : "Targets missed: \(missed.joined(separator: "; ")).\n")
        return report
    }
}

/// Writes at once, so that a long run can be watched through a pipe.
func emit(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written > 0 else { return }
        bytes = bytes.dropFirst(written)
    }
}

/// What a run is to do.
struct Options {
    var rounds = 11
    /// Seconds of processor time for one turn of one job.
    var turn = 0.1
    var json: String?
    var only: Set<String> = []
    var alone: String?
    /// The `belay` command, for what is measured on whole programs.
    var belay: String?
    /// The verifiers that are programs of their own.
    var programs = VerifierBenchmarks.Programs()
    /// The HTTP clients in C and Go.
    var curlPeer: String?
    var goHTTPPeer: String?
    /// Seconds by the clock for one turn of an HTTP client.
    var load = 0.6

    static let parts = [
        "reading", "evaluation", "verifiers", "anchors", "handshake", "ats", "hostile", "programs", "session",
    ]

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw BenchmarkError("\(option) needs a value") }
            switch option {
            case "--rounds":
                guard let number = Int(value), number > 0 else { throw BenchmarkError("--rounds takes a number") }
                rounds = number
            case "--turn":
                guard let number = Double(value), number > 0 else { throw BenchmarkError("--turn takes seconds") }
                turn = number
            case "--load":
                guard let number = Double(value), number > 0 else { throw BenchmarkError("--load takes seconds") }
                load = number
            case "--json": json = value
            case "--belay": belay = value
            case "--alone": alone = value
            case "--go-peer": programs.go = value
            case "--curl-peer": curlPeer = value
            case "--go-http-peer": goHTTPPeer = value
            case "--python": programs.python = value
            case "--pyca-peer": programs.pycaScript = value
            case "--only":
                guard Self.parts.contains(value) else {
                    throw BenchmarkError("--only takes one of \(Self.parts.joined(separator: ", "))")
                }
                only.insert(value)
            default: throw BenchmarkError("unknown option '\(option)'")
            }
        }
    }

    func wants(_ part: String) -> Bool { only.isEmpty || only.contains(part) }
}

extension Report.Machine {
    static var current: Report.Machine {
        var name = utsname()
        uname(&name)
        let kernel = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        let processor = line?.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "unknown processor"
        return Report.Machine(
            processor: processor, processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)), kernel: kernel,
            openssl: String(cString: peer_openssl_version()))
    }
}
