import Foundation
import TestSupport

/// A foreign server in a process of its own, which is stopped by its process identifier.
final class Peer: Sendable {
    private let stopper: Stopper
    private let log: Journal<Log>

    private struct Log: Sendable {
        var bytes: [UInt8] = []
        var hasEnded = false
        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    struct NotReady: Error, CustomStringConvertible {
        let program: String
        let output: String
        var description: String { "\(program) did not get ready; it said: \(output)" }
    }

    private init(_ stopper: Stopper, _ log: Journal<Log>) {
        self.stopper = stopper
        self.log = log
    }

    /// Starts a program and waits until what it has printed shows that it is ready.
    static func start(
        _ program: String, _ arguments: [String], until isReady: @escaping @Sendable (String) -> Bool
    ) async throws -> Peer {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // If the tests are killed the peer ends all the same. `timeout` hands signals on to what it runs.
        process.arguments = ["timeout", "--kill-after=5", "1800", program] + arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let (changes, change) = AsyncStream.makeStream(of: (@Sendable (inout Log) -> Void).self)
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil } else { change.yield { $0.bytes += data } }
        }
        process.terminationHandler = { _ in change.yield { $0.hasEnded = true } }
        try Launch.run(process)
        let log = Journal(Log())
        // In a task of its own, so that the order of what is printed stays.
        Task { for await change in changes { await log.update(change) } }
        let peer = Peer(Stopper(process), log)
        _ = await log.wait { $0.hasEnded || isReady($0.text) }
        let found = await log.value
        guard !found.hasEnded, isReady(found.text) else {
            await peer.stop()
            throw NotReady(program: program, output: found.text)
        }
        return peer
    }

    /// Starts a program that must be told its ports. They are free when it is told; where somebody else was quicker, others are
    /// tried.
    static func start(
        _ program: String, ports count: Int, until isReady: @escaping @Sendable (String) -> Bool,
        arguments: ([UInt16]) throws -> [String]
    ) async throws -> (peer: Peer, ports: [UInt16]) {
        var last: NotReady?
        for _ in 0..<5 {
            let ports = try FreePorts.find(count)
            do {
                return (try await start(program, try arguments(ports), until: isReady), ports)
            } catch let error as NotReady where error.output.contains("in use") {
                last = error
            }
        }
        throw last ?? NotReady(program: program, output: "")
    }

    /// Starts a program that listens on one port and says nothing when it does.
    static func startSilent(
        _ program: String, arguments: (UInt16) throws -> [String]
    ) async throws -> (peer: Peer, port: UInt16) {
        for _ in 0..<5 {
            guard let port = try FreePorts.find(1).first else { break }
            let peer = try await start(program, try arguments(port)) { _ in true }
            // Nothing but an attempt tells that it listens.
            for _ in 0..<1_000 where await !peer.log.value.hasEnded {
                if let socket = try? LoopbackSocket.connected(to: port) {
                    close(socket)
                    return (peer, port)
                }
                try await Task.sleep(for: .milliseconds(5))
            }
            await peer.stop()
        }
        throw NotReady(program: program, output: "")
    }

    /// What it has printed so far.
    var output: String { get async { await log.value.text } }

    /// Waits until it has printed something; whether it has.
    func waitForOutput(_ isMet: @escaping @Sendable (String) -> Bool) async -> Bool {
        await log.wait { isMet($0.text) }
    }

    /// Stops it and waits for its end.
    func stop() async {
        stopper.signal(SIGTERM)
        if await !log.wait(within: .seconds(10), until: \.hasEnded) { stopper.signal(SIGKILL) }
    }

    /// Runs `body` with a peer, and stops it however that ends.
    func use<Result>(_ body: (Peer) async throws -> Result) async throws -> Result {
        let result: Result
        do { result = try await body(self) } catch {
            await stop()
            throw error
        }
        await stop()
        return result
    }
}

/// Sends signals to a process as long as it runs.
private final class Stopper: @unchecked Sendable {
    // Safe to share: Foundation guards `isRunning`, and nothing else of the process is used.
    private let process: Process

    init(_ process: Process) {
        self.process = process
    }

    func signal(_ number: Int32) {
        guard process.isRunning else { return }
        // `timeout` leads a group of its own, and would not live to hand on a kill.
        kill(number == SIGKILL ? -process.processIdentifier : process.processIdentifier, number)
    }
}
