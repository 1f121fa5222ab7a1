import BelayCertificates
import BelayTLS
import BelayTrust
import FoundationEssentials

/// The policy table measured over real connections: every setting meets every situation, and each answer is compared with
/// the expected one.
///
/// ```swift
/// let laboratory = try await Laboratory.start(on: loop, servers: LaboratoryServer.Kind.situations)
/// let run = try await PolicyTableRun.measure(in: laboratory, with: TLSClient(loop: loop))
/// print(run.differences)
/// ```
public struct PolicyTableRun: Sendable {
    /// The situations that were met.
    public let situations: [Situation]
    /// The laboratory's authorities, for whoever shows chains.
    public let authorities: Authorities
    /// When it was measured.
    public let moment: Date
    /// The cells, row by row, then those with empty pin sets.
    public let cells: [PolicyTableCell]

    /// Measures the table.
    ///
    /// A policy that refuses everything does so before anything is sent. After a refusal the connection is closed without a
    /// byte; after an acceptance a request is sent and its answer awaited.
    ///
    /// - Parameters:
    ///   - laboratory: a laboratory with the servers of all situations.
    ///   - client: makes the connections.
    ///   - table: the right answers.
    ///   - progress: is told of each cell as it is done, in no particular order.
    /// - Throws: ``LaboratoryError/notStarted(_:)`` where a situation's server does not run. A connection that fails is no
    ///   error of the run but the outcome of its cell.
    public static func measure(
        in laboratory: Laboratory, with client: TLSClient, against table: PolicyTable = .expected,
        progress: @escaping @Sendable (PolicyTableCell) -> Void = { _ in }
    ) async throws(LaboratoryError) -> PolicyTableRun {
        let moment = Date()
        var columns: [Column] = []
        for situation in laboratory.world.situations {
            columns.append(
                Column(
                    situation: situation, server: try laboratory.server(.situation(situation.letter)), client: client,
                    anchors: laboratory.world.systemAnchors))
        }
        // One server's cells run one after the other, so that its counters belong to one cell at a time.
        let cells = await withTaskGroup(of: [(Int, PolicyTableCell)].self) { group in
            for column in columns {
                group.addTask { await column.measure(against: table, progress) }
            }
            var all: [(Int, PolicyTableCell)] = []
            for await part in group { all += part }
            return all.sorted { ($0.0, $0.1.situation) < ($1.0, $1.1.situation) }.map(\.1)
        }
        return PolicyTableRun(
            situations: laboratory.world.situations, authorities: laboratory.world.authorities,
            moment: moment, cells: cells)
    }

    /// The cell of a setting and situation, with pins.
    public func cell(_ setting: PolicySetting, _ letter: Situation.Letter) -> PolicyTableCell? {
        cells.first { $0.setting == setting && $0.situation == letter && !$0.hasEmptyPinSet }
    }

    /// The cells with empty pin sets.
    public var emptyPinCells: [PolicyTableCell] { cells.filter(\.hasEmptyPinSet) }

    /// The cells that are not as expected.
    public var differences: [PolicyTableCell] { cells.filter { !$0.isAsExpected } }

    /// The measured table. A cell without a connection counts as refused there; ``differences`` names it.
    public func measured(against table: PolicyTable = .expected) -> PolicyTable {
        var measured = table
        for index in measured.table.indices {
            let setting = measured.table[index].setting
            for letter in Situation.Letter.allCases {
                measured.table[index].accept[letter] = cell(setting, letter)?.measured ?? false
            }
        }
        for index in measured.emptyPins.indices {
            let setting = measured.emptyPins[index].setting
            measured.emptyPins[index].acceptA = emptyPinCells.first { $0.setting == setting }?.measured ?? false
        }
        return measured
    }
}

/// The cells of one situation.
private struct Column: Sendable {
    let situation: Situation
    let server: LaboratoryServer
    let client: TLSClient
    let anchors: AnchorStore

    /// Measures the column; each cell comes with the number of its row.
    func measure(
        against table: PolicyTable, _ progress: @Sendable (PolicyTableCell) -> Void
    ) async -> [(Int, PolicyTableCell)] {
        var cells: [(Int, PolicyTableCell)] = []
        func measure(_ setting: PolicySetting, _ expected: Bool, hasEmptyPinSet: Bool) async {
            let cell = await self.cell(setting, expected: expected, hasEmptyPinSet: hasEmptyPinSet)
            progress(cell)
            cells.append((cells.count, cell))
        }
        for row in table.table {
            await measure(row.setting, row.accept[situation.letter] ?? false, hasEmptyPinSet: false)
        }
        if situation.letter == .a {
            for row in table.emptyPins { await measure(row.setting, row.acceptA, hasEmptyPinSet: true) }
        }
        return cells
    }

    private func cell(_ setting: PolicySetting, expected: Bool, hasEmptyPinSet: Bool) async -> PolicyTableCell {
        let policy = setting.policy(pinning: hasEmptyPinSet ? [] : [situation.pinned])
        let before = server.statistics
        let outcome = await outcome(of: policy)
        // The server's last counters come when it has seen the end of the connection.
        if case .refusedBeforeConnecting = outcome {} else { _ = await server.waitUntilServed(before.served + 1) }
        let sent = server.statistics.applicationBytesReceived - before.applicationBytesReceived
        return PolicyTableCell(
            setting: setting, situation: situation.letter, hasEmptyPinSet: hasEmptyPinSet, expected: expected,
            outcome: outcome, applicationBytes: sent)
    }

    private func outcome(of policy: SecurityPolicy) async -> PolicyTableCell.Outcome {
        do throws(TLSError) {
            let refusals = policy.contradictions()
            guard refusals.isEmpty else { return .refusedBeforeConnecting(Verdict(refusing: refusals)) }
            var options = TLSOptions()
            // Nothing is slow on loopback but a machine that has too much to do.
            options.timeouts = TLSTimeouts(all: .seconds(60))
            let connection = try await client.handshake(
                with: server.endpoint, connectTo: server.target, options: options)
            let verdict = try verdict(of: policy, on: connection.evidence)
            if verdict.isTrusted {
                try await connection.write(Array("GET / HTTP/1.1\r\nHost: \(situation.host)\r\n\r\n".utf8))
                while try await !connection.read().isEmpty {}
            }
            await connection.close()
            return .judged(verdict, connection.evidence)
        } catch {
            return .failed(error)
        }
    }

    private func verdict(of policy: SecurityPolicy, on evidence: PeerEvidence) throws(TLSError) -> Verdict {
        do throws(ServerNameError) {
            var trust = try ServerTrust(evidence: evidence)
            trust.systemAnchors = anchors
            trust.explains = true
            return policy.evaluate(trust)
        } catch {
            throw TLSError(endpoint: server.endpoint, phase: .prepare, reason: .unusableOptions(error.description))
        }
    }
}
