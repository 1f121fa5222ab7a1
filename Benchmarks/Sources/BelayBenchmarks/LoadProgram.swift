import CPeers
import FoundationEssentials
import Glibc

/// A program that keeps requests under way and measures itself: Belay's, those in Peers, URLSessionPeer. All take the same arguments.
struct LoadProgram {
    let name: String
    /// What its figures include, in words.
    let includes: String
    let path: String
    /// Whether it is the one that has to meet the targets.
    var isOurs = false
    /// Whether it is the one that all are compared with.
    var isReference = false
    /// What it trusts; nil for the certificates that everybody is given.
    var anchors: String?
    /// Arguments behind the common ones.
    var more: [String] = []

    /// The arguments for one load.
    func command(_ workload: Workload, seconds: Double, anchors given: String, url: String) -> [String] {
        [
            path, String(workload.inFlight), String(seconds), workload.httpVersion, anchors ?? given,
            String(workload.size), url,
        ] + more
    }

    /// Runs a load and reads what the program measured.
    func run(_ command: [String]) throws -> LoadFigures {
        let folder = try Scratch.makeFolder()
        defer { Scratch.remove(folder) }
        let output = folder + "/figures"
        let descriptor = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("\(output) cannot be written") }
        defer { close(descriptor) }
        let status = try Scratch.withArguments(command) { peer_wait(peer_start($0, nil, -1, descriptor)) }
        let text = try String(contentsOfFile: output, encoding: .utf8)
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard status == 0, numbers.count == 4, numbers[0] > 0, numbers[1] > 0 else {
            throw BenchmarkError("\(command.joined(separator: " ")): status \(status), output '\(text)'")
        }
        return LoadFigures(
            requestsPerSecond: numbers[0] / numbers[1], microsecondsPerRequest: numbers[2] / numbers[0] * 1e6,
            megabytes: numbers[3] / 1_024)
    }
}

/// What one run of a load gave.
struct LoadFigures {
    let requestsPerSecond: Double
    /// Processor time of the client, user and system.
    let microsecondsPerRequest: Double
    /// The peak of the client's resident set.
    let megabytes: Double
}

/// So many requests at once, over one version of HTTP, for a file of one size.
struct Workload {
    let name: String
    let httpVersion: String
    let inFlight: Int
    let size: Int
    let server: Server

    /// How the server treats connections.
    enum Server: CaseIterable {
        case keepsConnections11
        case keepsConnections2
        case closesConnections
        case closesConnectionsAndResumes
    }

    static let all: [Workload] =
        [(1, 1), (64, 1), (512, 1), (64, 100)].flatMap { inFlight, kibibytes in
            ["1.1", "2"].map { version in
                Workload(
                    name: "\(kibibytes) KiB, HTTP/\(version), \(inFlight) in flight", httpVersion: version,
                    inFlight: inFlight, size: kibibytes * 1_024,
                    server: version == "2" ? .keepsConnections2 : .keepsConnections11)
            }
        } + [
            Workload(
                name: "new connections, 8 at once", httpVersion: "1.1", inFlight: 8, size: 1_024,
                server: .closesConnections),
            Workload(
                name: "new connections, resumed, 8 at once", httpVersion: "1.1", inFlight: 8, size: 1_024,
                server: .closesConnectionsAndResumes),
        ]

    /// What the first program's rate should be of the second's, and its processor time.
    var targets: (rate: Target?, processor: Target?) {
        if server == .closesConnections { return (.atLeast(1.1), nil) }
        if inFlight == 64, size == 1_024 { return (.atLeast(0.95), .atMost(1.3)) }
        return (nil, nil)
    }
}
