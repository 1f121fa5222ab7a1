import BelayCertificates
import CPeers
import FoundationEssentials
import Glibc

/// HTTP clients side by side: Belay's session beside a C program on libcurl, Go and URLSession, nginx serving all.
struct SessionBenchmarks {
    let rounds: Int
    /// How long one program measures in one round, in seconds.
    let turn: Double
    /// Where the program in C is.
    let curlPeer: String
    /// Where Go's program is; nil when it could not be built.
    let goPeer: String?

    func run(into report: inout Report) throws {
        guard access(Nginx.program, X_OK) == 0 else {
            report.skip("the session: \(Nginx.program) is not there (Debian: nginx)")
            return
        }
        let authority = try CertificateIssuer.selfSigned(
            .authority(named: "Example Root", organization: "Example"), key: .generate(.p256))
        let intermediate = try authority.issueAuthority(
            .authority(named: "Example Intermediate", organization: "Example", pathLength: 0), key: .generate(.p256))
        let leaf = try intermediate.issueIdentity(
            .server(names: ["127.0.0.1", "localhost"]), key: .generate(.p256))
        let identity = try Identity(
            certificate: leaf.certificate, chain: [intermediate.certificate], privateKey: leaf.privateKey)
        let folder = try Scratch.makeFolder()
        defer { Scratch.remove(folder) }
        let anchors = folder + "/anchors.pem"
        try Scratch.write(authority.certificate.pem, to: anchors)
        let trustsAnchors = try Self.addToMachine(authority.certificate, folder)
        if !trustsAnchors { report.skip("URLSession: it trusts the machine's store only, to which only root may add") }

        var servers: [Workload.Server: Nginx] = [:]
        defer { for server in servers.values { server.stop() } }
        for kind in Workload.Server.allCases { servers[kind] = try kind.start(identity) }
        var programs = try self.programs(pin: leaf.certificate.pin.description, report: &report)
        if !trustsAnchors { programs.removeAll { $0.name == Self.urlSession } }
        for workload in Workload.all {
            guard let port = servers[workload.server]?.port else { continue }
            try measure(workload, programs, anchors, "https://127.0.0.1:\(port)/\(workload.size)", &report)
        }
        if let port = servers[.keepsConnections11]?.port {
            try measureColdStart(programs, anchors, "https://127.0.0.1:\(port)/1024", &report)
        }
    }

    private static let urlSession = "URLSession"

    /// Adds a root to the machine's store, for the programs that this one starts and nobody else. Tells whether that was possible.
    private static func addToMachine(_ root: Certificate, _ folder: String) throws -> Bool {
        let store = "/etc/ssl/certs/ca-certificates.crt"
        guard let text = try? String(contentsOfFile: store, encoding: .utf8) else { return false }
        try Scratch.write(text + root.pem, to: folder + "/store.pem")
        return peer_replace_privately(store, folder + "/store.pem") == 1
    }

    /// Ours first, then the C program that all are compared with.
    private func programs(pin: String, report: inout Report) throws -> [LoadProgram] {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        var programs = [
            LoadProgram(
                name: "Belay", includes: "Session.send, body as bytes; chain, name and a pinned key judged",
                path: folder + "/SessionLoad", isOurs: true, more: [pin]),
            LoadProgram(
                name: "Belay on its thread", includes: "the same from tasks with the preference for session.executor",
                path: folder + "/SessionLoad", isOurs: true, more: [pin, "--on-session-thread"]),
            LoadProgram(
                name: "C on libcurl",
                includes: "the multi interface over epoll; chain and name verified by OpenSSL against the same root",
                path: curlPeer, isReference: true),
            LoadProgram(
                name: "C, verifying nothing", includes: "the same without verification", path: curlPeer,
                anchors: "none"),
            LoadProgram(
                name: Self.urlSession, includes: "data(from:), chain and name verified by OpenSSL, the machine's store",
                path: folder + "/URLSessionPeer"),
        ]
        if let goPeer {
            programs.append(
                LoadProgram(name: "Go", includes: "net/http, chain and name verified by crypto/x509", path: goPeer))
        } else {
            report.skip("Go's HTTP client: there is no Go")
        }
        programs.removeAll { access($0.path, X_OK) != 0 }
        for program in programs { emit("\(program.name): \(program.includes)\n") }
        emit("\n")
        return programs
    }

    /// The order turns from round to round, so that a slower machine or another program falls on all alike.
    private func interleaved<Figure>(_ programs: [LoadProgram], _ figure: (LoadProgram) throws -> Figure) rethrows
        -> [[Figure]]
    {
        var figures = programs.map { _ in [Figure]() }
        for round in 0..<rounds {
            for place in programs.indices {
                let index = (place + round) % programs.count
                figures[index].append(try figure(programs[index]))
            }
        }
        return figures
    }

    /// The program that all are compared with.
    private static func reference(_ programs: [LoadProgram]) throws -> Int {
        guard let index = programs.firstIndex(where: \.isReference) else { throw BenchmarkError("no peer in C") }
        return index
    }

    private func measure(
        _ workload: Workload, _ programs: [LoadProgram], _ anchors: String, _ url: String, _ report: inout Report
    ) throws {
        // What is not verified makes a difference to new connections only.
        let programs = programs.filter {
            $0.anchors == nil || workload.server == .closesConnections
        }
        let figures = try interleaved(programs) { program in
            try program.run(program.command(workload, seconds: turn, anchors: anchors, url: url))
        }
        let targets = workload.targets
        let peer = try Self.reference(programs)
        var lines = "\(workload.name)\n"
        for (index, program) in programs.enumerated() {
            func compare(
                _ measure: String, _ unit: String, _ target: Target?, _ value: (LoadFigures) -> Double
            ) -> Comparison {
                Comparison(
                    "\(workload.name): \(program.name)", measure: measure, unit: unit,
                    ours: .init(name: program.name, includes: program.includes, values: figures[index].map(value)),
                    peer: .init(
                        name: programs[peer].name, includes: programs[peer].includes,
                        values: figures[peer].map(value)),
                    target: program.isOurs ? target : nil)
            }
            let rate = compare("requests a second", "a second", targets.rate, \.requestsPerSecond)
            let processor = compare(
                "processor time of the client", "µs a request", targets.processor, \.microsecondsPerRequest)
            let memory = compare("peak memory", "MB", nil, \.megabytes)
            if index != peer { for comparison in [rate, processor, memory] { report.comparisons.append(comparison) } }
            lines += SessionTable.line(program.name, [rate, processor, memory], isReference: index == peer)
        }
        emit(lines + "\n")
    }

    private func measureColdStart(
        _ programs: [LoadProgram], _ anchors: String, _ url: String, _ report: inout Report
    ) throws {
        let programs = programs.filter { $0.anchors == nil }
        let workload = Workload(
            name: "cold start", httpVersion: "1.1", inFlight: 1, size: 1_024, server: .keepsConnections11)
        let sample = 5
        let figures = try interleaved(programs) { program in
            let runs = try Run.measure(
                program.command(workload, seconds: 0, anchors: anchors, url: url), times: sample)
            guard runs.allSatisfy({ $0.status == 0 }) else { throw BenchmarkError("\(program.name) fails") }
            return Run.middle(runs)
        }
        let peer = try Self.reference(programs)
        var lines = "cold start: from start to exit with one response, median of \(sample) starts a round\n"
        for (index, program) in programs.enumerated() {
            func compare(_ measure: String, _ unit: String, _ target: Target?, _ value: (Run) -> Double) -> Comparison {
                Comparison(
                    "cold start: \(program.name)", measure: measure, unit: unit,
                    ours: .init(name: program.name, includes: program.includes, values: figures[index].map(value)),
                    peer: .init(
                        name: programs[peer].name, includes: programs[peer].includes,
                        values: figures[peer].map(value)),
                    target: program.isOurs ? target : nil)
            }
            let wall = compare("wall time", "ms", .atMost(1.3)) { $0.wall * 1_000 }
            let processor = compare("processor time", "ms", nil) { $0.processor * 1_000 }
            let memory = compare("peak memory", "MB", nil) { $0.kilobytes / 1_024 }
            if index != peer { for comparison in [wall, processor, memory] { report.comparisons.append(comparison) } }
            lines += SessionTable.line(program.name, [wall, processor, memory], isReference: index == peer)
        }
        emit(lines + "\n")
    }
}

/// A line for each program: figures, and ratios to the program that all are compared with.
private enum SessionTable {
    static func line(_ name: String, _ comparisons: [Comparison], isReference: Bool) -> String {
        let columns = comparisons.map { comparison in
            var column = "\(short(comparison.ours.value.median)) \(comparison.ours.unit)"
            if !isReference { column += "  \(comparison.ratio.text) ×" }
            if let target = comparison.target {
                column += " (\(target): \(comparison.isMet == true ? "met" : "MISSED"))"
            }
            return column
        }
        return "    " + padded(name, 22) + columns.map { padded($0, 40) }.joined() + "\n"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

extension Workload.Server {
    /// Starts nginx so that it treats connections this way.
    func start(_ identity: Identity) throws -> Nginx {
        let keeps = "keepalive_requests 1000000000; keepalive_timeout 1h; ssl_session_tickets off;"
        let files = Dictionary(
            uniqueKeysWithValues: [1_024, 102_400].map { (String($0), String(repeating: "x", count: $0)) })
        let site =
            switch self {
            case .keepsConnections11, .keepsConnections2: keeps
            case .closesConnections: "keepalive_timeout 0; ssl_session_tickets off;"
            case .closesConnectionsAndResumes: "keepalive_timeout 0; ssl_session_tickets on;"
            }
        return try Nginx(
            identity, site: "ssl_protocols TLSv1.2 TLSv1.3; open_file_cache max=10 inactive=1h; " + site,
            listen: self == .keepsConnections2 ? "http2" : "", files: files)
    }
}
