import BelayCertificates
import BelayTrust
import Foundation
import TestSupport
import Testing

/// A log, and what the keeper of a list thinks of it.
struct ListedLog {
    let log: TestLog
    let operatorName: String
    var state = LogList.State.approved
    var isRFC6962 = true

    var name: String { log.name }
    var key: PrivateKey { log.key }

    init(_ name: String, of operatorName: String, state: LogList.State = .approved, isRFC6962: Bool = true) throws {
        log = try TestLog(name)
        self.operatorName = operatorName
        self.state = state
        self.isRFC6962 = isRFC6962
    }

    var entry: LogList.Log {
        LogList.Log(
            name: name, operatorName: operatorName, key: key.publicKey,
            isRFC6962: isRFC6962, state: state)
    }

    func timestamp(_ signed: [UInt8], issuer: Certificate?, seconds: Int) throws -> [UInt8] {
        try log.timestamp(signed, issuer: issuer, seconds: seconds)
    }
}

/// A server's chain under an anchor that counts as shipped.
struct TestChain {
    static let now = 1_790_000_000
    let root: CertificateIssuer
    let template: CertificateTemplate
    let key: PrivateKey
    let plain: Certificate

    init(days: Int = 90, from start: Int = now - 86_400) throws {
        root = try .selfSigned(.authority(named: "Shipped"), key: .generate(.p256))
        var template = CertificateTemplate.server(names: ["ct.test"])
        template.serialNumber = [7, 7, 7]
        template.validity = Validity(
            from: Date(timeIntervalSince1970: Double(start)),
            through: Date(timeIntervalSince1970: Double(start + days * 86_400)))
        self.template = template
        key = try .generate(.p256)
        plain = try root.issue(template, for: key.publicKey)
    }

    /// The certificate with timestamps, each by a log and from so many seconds after its start.
    func embedding(_ logs: [ListedLog], after: Int = 0) throws -> Certificate {
        let start = Int(plain.validity.notBefore.timeIntervalSince1970)
        let timestamps = try logs.map {
            try $0.timestamp(plain.signedBytes, issuer: root.certificate, seconds: start + after)
        }
        var template = template
        template.extensions.append(try TestLog.extension(timestamps))
        return try root.issue(template, for: key.publicKey)
    }

    /// What is found, as rules.
    func rules(
        _ leaf: Certificate, _ logs: [ListedLog]?, at moment: Int = now, listAge: Int = 0, isShipped: Bool = true,
        byApp: Bool = false, tls: [UInt8]? = nil, staple: [UInt8]? = nil
    ) -> [String] {
        findings(leaf, logs, at: moment, listAge: listAge, isShipped: isShipped, byApp: byApp, tls: tls, staple: staple)
            .map(\.rule.identifier)
    }

    func findings(
        _ leaf: Certificate, _ logs: [ListedLog]?, at moment: Int = now, listAge: Int = 0, isShipped: Bool = true,
        byApp: Bool = false, tls: [UInt8]? = nil, staple: [UInt8]? = nil
    ) -> [Finding] {
        var trust = ServerTrust(
            chain: [leaf.der], policies: [.tlsServer(name: nil)],
            anchors: AnchorStore([root.certificate]) { _ in isShipped })
        trust.evaluationTime = Date(timeIntervalSince1970: Double(moment))
        trust.logList = logs.map { LogList(logs: $0.map(\.entry), timestamp: Int64(moment - listAge)) }
        let evidence = PeerEvidence(
            chain: [leaf.der], version: .tls13, cipherSuite: CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"),
            stapledResponse: staple, timestampList: tls, moment: Date(timeIntervalSince1970: Double(moment)),
            hostLiteral: "ct.test",
            host: "ct.test", peerAddress: "192.0.2.1:443")
        return trust.transparencyFindings(for: trust.evaluate(), evidence, isDemandedByApp: byApp)
    }
}

@Suite("Certificate Transparency")
struct TransparencyTests {
    let one: ListedLog
    let two: ListedLog
    let sibling: ListedLog
    let retired: ListedLog
    let tiled: ListedLog
    let pending: ListedLog

    init() throws {
        one = try ListedLog("one", of: "A")
        two = try ListedLog("two", of: "B")
        sibling = try ListedLog("sibling", of: "A")
        retired = try ListedLog("retired", of: "C", state: .retired(since: Int64(TestChain.now)))
        tiled = try ListedLog("tiled", of: "D", isRFC6962: false)
        pending = try ListedLog("pending", of: "E", state: .notApproved)
    }

    private var all: [ListedLog] { [one, two, sibling, retired, tiled, pending] }

    @Test("embedded timestamps count by Apple's table: how many, of whom, and of what state")
    func embedded() throws {
        let short = try TestChain(days: 90)
        let long = try TestChain(days: 200)
        let tiledToo = try ListedLog("tiled too", of: "F", isRFC6962: false)
        let table: [(TestChain, [ListedLog], Bool)] = [
            (short, [one, two], true), (short, [one], false), (short, [], false),
            // Two of one operator; a log twice.
            (short, [one, sibling], false), (short, [one, one], false), (short, [one, sibling, two], true),
            // One of them must be approved now, and one of a log of RFC 6962.
            (short, [one, retired], true), (short, [retired, pending], false), (short, [one, pending], false),
            (short, [one, tiled], true), (short, [tiled, tiledToo], false),
            // Above 180 days three, not all of one operator.
            (long, [one, two], false), (long, [one, two, sibling], true), (long, [one, two, retired], true),
        ]
        for (chain, logs, isMet) in table {
            let rules = chain.rules(try chain.embedding(logs), all + [tiledToo])
            #expect(rules == [isMet ? "ct.met" : "ct.policy"], "\(logs.map(\.name))")
        }
    }

    @Test("before 2021-04-21 they count by months")
    func old() throws {
        let start = 1_577_836_800  // 2020-01-01
        let third = try ListedLog("third", of: "A")
        let fourth = try ListedLog("fourth", of: "A")
        let logs = [one, sibling, third, fourth]
        for (days, needed) in [(440, 2), (480, 3), (820, 3), (840, 4)] {
            let chain = try TestChain(days: days, from: start)
            for count in 1...4 {
                let leaf = try chain.embedding(Array(logs.prefix(count)))
                let rules = chain.rules(leaf, logs, at: start + 86_400)
                #expect(rules == [count >= needed ? "ct.met" : "ct.policy"], "\(days) days, \(count)")
            }
        }
    }

    @Test("two timestamps of approved logs are enough where one came by TLS or OCSP")
    func delivered() throws {
        let chain = try TestChain()
        func list(_ logs: ListedLog...) throws -> [UInt8] {
            TestLog.list(try logs.map { try $0.timestamp(chain.plain.der, issuer: nil, seconds: TestChain.now - 5) })
        }
        #expect(chain.rules(chain.plain, all, tls: try list(one, two)) == ["ct.met"])
        #expect(chain.rules(chain.plain, all, tls: try list(one, sibling)) == ["ct.met"])
        #expect(chain.rules(chain.plain, all, tls: try list(one)) == ["ct.policy"])
        #expect(chain.rules(chain.plain, all, tls: try list(one, retired)) == ["ct.policy"])
        // The same log twice is one log.
        #expect(
            chain.rules(
                try chain.embedding([one]), all,
                tls: try TestLog.list([one.timestamp(chain.embedding([one]).der, issuer: nil, seconds: 5)])) == [
                    "ct.policy"
                ])
        #expect(chain.rules(chain.plain, all, tls: [0, 9, 0]) == ["ct.malformed", "ct.policy"])
        // By OCSP: a response as RFC 6960 has it, of which only the extension matters here.
        let staple = try Self.response(list(one, two))
        #expect(chain.rules(chain.plain, all, staple: staple) == ["ct.met"])
        #expect(chain.rules(chain.plain, all, staple: Array(staple.dropLast())) == ["ct.policy"])
    }

    /// An OCSP response with the extension; its signature is nobody's.
    private static func response(_ list: [UInt8]) throws -> [UInt8] {
        let identifier = DERWriter.objectIdentifier(try #require(OID(dotted: "1.3.6.1.4.1.11129.2.4.5")))
        let value = DERWriter.element(.octetString, DERWriter.element(.octetString, list))
        let extensions = DERWriter.element(
            .contextConstructed(1), DERWriter.sequence(DERWriter.sequence(identifier, value)))
        let time = DERWriter.element(.generalizedTime, Array("20260101000000Z".utf8))
        let certificate = DERWriter.sequence(DERWriter.integer(1))
        let single = DERWriter.sequence(certificate, DERWriter.element(.contextPrimitive(0), []), time, extensions)
        let responder = DERWriter.element(.contextConstructed(2), DERWriter.element(.octetString, [1, 2, 3]))
        let data = DERWriter.sequence(responder, time, DERWriter.sequence(single))
        let basic = DERWriter.sequence(data, DERWriter.sequence(), DERWriter.bitString([]))
        let kind = DERWriter.objectIdentifier(try #require(OID(dotted: "1.3.6.1.5.5.7.48.1.1")))
        let bytes = DERWriter.sequence(kind, DERWriter.element(.octetString, basic))
        return DERWriter.sequence(DERWriter.element(.enumerated, [0]), DERWriter.element(.contextConstructed(0), bytes))
    }

    @Test(
        "a timestamp whose signature does not hold, from the future, or after its log's retirement counts for nothing")
    func worthless() throws {
        let chain = try TestChain()
        let other = try TestChain()
        // Over another certificate.
        let stolen = TestLog.list(try [one, two].map { try $0.timestamp(other.plain.der, issuer: nil, seconds: 5) })
        #expect(chain.rules(chain.plain, all, tls: stolen) == ["ct.policy"])
        let future = TestLog.list(
            try [one, two].map { try $0.timestamp(chain.plain.der, issuer: nil, seconds: TestChain.now + 5) })
        #expect(chain.rules(chain.plain, all, tls: future) == ["ct.policy"])
        let gone = try ListedLog("gone", of: "C", state: .retired(since: 1_700_000_000))
        #expect(chain.rules(try chain.embedding([one, gone]), all + [gone]) == ["ct.policy"])
        // Every bit of a timestamp is signed or decides what is.
        let good = TestLog.list(try [one, two].map { try $0.timestamp(chain.plain.der, issuer: nil, seconds: 5) })
        #expect(chain.rules(chain.plain, all, tls: good) == ["ct.met"])
        for index in good.indices {
            var broken = good
            broken[index] ^= 1
            #expect(!chain.rules(chain.plain, all, tls: broken).contains("ct.met"), "byte \(index)")
        }
    }

    @Test("they are demanded under anchors that came with the system, since 2018-10-16, or where an app wants them")
    func demanded() throws {
        let chain = try TestChain()
        #expect(chain.rules(chain.plain, all) == ["ct.policy"])
        #expect(chain.rules(chain.plain, all, isShipped: false) == [])
        #expect(chain.rules(chain.plain, all, isShipped: false, byApp: true) == ["ct.policy"])
        let old = try TestChain(days: 800, from: 1_539_648_000 - 1)
        #expect(old.rules(old.plain, all, at: 1_539_700_000) == [])
    }

    @Test("without a list of logs that nothing was checked is said, with what is there; an old list is warned of")
    func lists() throws {
        let chain = try TestChain()
        let leaf = try chain.embedding([one, two])
        let findings = chain.findings(leaf, nil)
        #expect(findings.map(\.rule.identifier) == ["ct.not-checked"] && findings[0].severity == .note)
        #expect(findings[0].found == "2 embedded")
        #expect(chain.rules(leaf, all, listAge: 60 * 86_400) == ["ct.met"])
        #expect(chain.rules(leaf, all, listAge: 60 * 86_400 + 1) == ["ct.old-log-list", "ct.met"])
    }

    @Test("log_list.json of version 3 is read, and one that is none is refused with the reason")
    func json() throws {
        func log(_ log: ListedLog, _ state: String, identifier: [UInt8]? = nil) -> String {
            let key = log.key.publicKey
            return """
                {"description": "\(log.name)", "log_id": "\(Base64.encode(identifier ?? key.pin.digest.bytes))",
                 "key": "\(Base64.encode(key.der))", "url": "https://log.test/", "mmd": 86400,
                 "state": {"\(state)": {"timestamp": "2026-01-01T00:00:00Z"}}}
                """
        }
        func list(_ logs: String, tiled: String = "") -> [UInt8] {
            Array(
                """
                {"version": "40.1", "log_list_timestamp": "2026-08-01T12:00:00Z", "operators": [
                 {"name": "A", "email": ["a@example.com"], "logs": [\(logs)], "tiled_logs": [\(tiled)]}]}
                """.utf8)
        }
        let read = try LogList(
            json: list(
                [log(one, "usable"), log(two, "readonly"), log(retired, "retired"), log(pending, "rejected")].joined(
                    separator: ","), tiled: log(tiled, "qualified")))
        #expect(read.timestamp == 1_785_585_600)
        #expect(read.logs.map(\.name) == ["one", "two", "retired", "pending", "tiled"])
        #expect(
            read.logs.map(\.state) == [.approved, .approved, .retired(since: 1_767_225_600), .notApproved, .approved])
        #expect(read.logs.map(\.isRFC6962) == [true, true, true, true, false])
        for (text, reason) in [
            (Array("[]".utf8), "version 3"), (list(""), "no log"),
            (list(log(one, "usable", identifier: two.key.publicKey.pin.digest.bytes)), "not that of its key"),
        ] {
            #expect { try LogList(json: text) } throws: { "\($0)".contains(reason) }
        }
    }
}
