import BelayLaboratory
import BelayTLS
import BelayTrust
import Foundation
import Testing

@Suite("The policy table")
struct PolicyTableTests {
    @Test("the built-in table is the published one")
    func builtIn() throws {
        #expect(try publishedTable().table == .expected)
    }

    @Test("a table is printed in exactly the form of the published one")
    func json() throws {
        let published = try publishedTable()
        #expect(published.table.json == String(decoding: published.data, as: UTF8.self) + "\n")
    }

    /// A cell of the published table.
    struct Cell: CustomTestStringConvertible, Sendable {
        let setting: PolicySetting
        let letter: Situation.Letter
        let isEmpty: Bool
        let expected: Bool
        var testDescription: String {
            "\(letter.rawValue): \(setting)\(isEmpty ? ", empty pin set" : "") → \(expected ? "accept" : "refuse")"
        }

        static let all: [Cell] = {
            guard let table = try? publishedTable().table else { return [] }
            let cells = table.table.flatMap { row in
                row.accept.sorted { $0.key < $1.key }.map {
                    Cell(setting: row.setting, letter: $0.key, isEmpty: false, expected: $0.value)
                }
            }
            return cells
                + table.emptyPins.map {
                    Cell(setting: $0.setting, letter: .a, isEmpty: true, expected: $0.acceptA)
                }
        }()
    }

    @Test("the published table has 12 settings, 14 situations and 8 empty pin sets")
    func size() {
        #expect(Cell.all.count == 12 * 14 + 8)
    }

    private static let world = Result { try LaboratoryWorld() }

    @Test("offline, from chains alone", arguments: Cell.all)
    func offline(_ cell: Cell) throws {
        let world = try Self.world.get()
        let situation = world.situation(cell.letter)
        var trust = ServerTrust(
            chain: situation.chain, policies: [.tlsServer(name: try ServerName(situation.host))])
        trust.systemAnchors = world.systemAnchors
        trust.evaluationTime = world.moment
        let verdict = cell.setting.policy(pinning: cell.isEmpty ? [] : [situation.pinned]).evaluate(trust)
        #expect(verdict.isTrusted == cell.expected, "\(verdict.findings)")
        #expect(verdict.isTrusted || !verdict.findings(.error).isEmpty, "a refusal has a reason")
    }

    /// One run over live connections, shared by the cells' tests.
    private static let live = Task {
        let loop = try EventLoop()
        let laboratory = try await Laboratory.start(on: loop, servers: LaboratoryServer.Kind.situations)
        let run = try await PolicyTableRun.measure(
            in: laboratory, with: TLSClient(loop: loop), against: try publishedTable().table)
        let statistics = laboratory.servers.map(\.statistics)
        await laboratory.stop()
        return (run, statistics)
    }

    @Test("over live connections", arguments: Cell.all)
    func live(_ cell: Cell) async throws {
        let (run, _) = try await Self.live.value
        let measured = run.cells.first {
            $0.setting == cell.setting && $0.situation == cell.letter && $0.hasEmptyPinSet == cell.isEmpty
        }
        let found = try #require(measured)
        #expect(found.measured == cell.expected, "\(found.verdict?.findings ?? []) \(found.error.map(\.summary) ?? "")")
        #expect(found.isAsExpected)
        if !cell.expected { #expect(found.applicationBytes == 0) }
    }

    @Test("a live run has every cell once, and measures the published table")
    func measured() async throws {
        let (run, _) = try await Self.live.value
        #expect(run.cells.count == Cell.all.count)
        #expect(run.differences.map(\.name) == [])
        #expect(run.measured().json == (try publishedTable().table.json))
    }

    @Test(
        "no byte of application data reaches a server that is refused, and none at all under a policy that refuses everything"
    )
    func bytes() async throws {
        let (run, statistics) = try await Self.live.value
        for (letter, seen) in zip(Situation.Letter.allCases, statistics) {
            let cells = run.cells.filter { $0.situation == letter }
            let accepted = cells.filter { $0.measured == true }
            let judged = cells.filter { $0.evidence != nil }
            // The request below, as it goes to each server that is accepted.
            let request = "GET / HTTP/1.1\r\nHost: www.shop.test\r\n\r\n".utf8.count
            #expect(seen.applicationBytesReceived == accepted.count * request)
            // Row (none, allowed, checked) and the empty pin sets never connect.
            #expect(cells.count - judged.count == (letter == .a ? 9 : 1))
            #expect(seen.connections == judged.count)
            #expect(seen.handshakes == judged.count)
        }
    }

    @Test(
        "where a wrong name is accepted because invalid certificates are allowed, the verdict says so",
        arguments: "BELN")
    func nameNotChecked(_ letter: Character) async throws {
        let (run, _) = try await Self.live.value
        let setting = PolicySetting(pinning: .publicKey, allowInvalidCertificates: true, validatesDomainName: true)
        let situation = try #require(Situation.Letter(rawValue: String(letter)))
        let cell = try #require(run.cell(setting, situation))
        #expect(cell.verdict?.rules.contains("policy.name-not-checked") == true)
    }

    @Test("a difference is named with its cell")
    func difference() async throws {
        var wrong = PolicyTable.expected
        wrong.table[0].accept[.a] = false
        let loop = try EventLoop()
        let laboratory = try await Laboratory.start(on: loop, servers: LaboratoryServer.Kind.situations)
        let run = try await PolicyTableRun.measure(in: laboratory, with: TLSClient(loop: loop), against: wrong)
        await laboratory.stop()
        #expect(
            run.differences.compactMap(\.difference) == [
                "A: none, invalid certificates refused, name checked: expected refused, measured accepted"
            ])
    }
}
