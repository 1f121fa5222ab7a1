import BelayCertificates
import BelayTrust
import Foundation
import Testing

@testable import BelayLaboratory

@Suite("The graph of a search")
struct ExplanationGraphTests {
    private typealias State = ExplanationGraph.State

    private static let host = "www.host.test"

    private static func explanation(
        _ sent: [Certificate], anchors: [Certificate], host: String = host
    ) throws -> Explanation {
        var trust = ServerTrust(
            chain: sent.map(\.der), policies: [.tlsServer(name: try ServerName(host))], anchors: AnchorStore(anchors))
        trust.explains = true
        return try #require(trust.evaluate().explanation)
    }

    private static func leaf(_ issuer: CertificateIssuer, location: String? = nil) throws -> Certificate {
        var template = CertificateTemplate.server(names: [host])
        if let location { template.extensions.append(.informationAccess(issuers: [location])) }
        return try issuer.issue(template, for: PrivateKey.generate(.p256).publicKey)
    }

    private func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    /// Which nodes lie in which place and column, and the edges between them.
    private func shape(_ graph: ExplanationGraph) -> [[Int]] { graph.nodes.map { [$0.depth, $0.column] } }

    @Test("a cross-signed root is drawn beside the root: the path straight down, the expired one to its right")
    func crossSigned() throws {
        let world = try LaboratoryWorld().authorities
        let explanation = try Self.explanation(
            [Self.leaf(world.publicIntermediate), world.publicIntermediate.certificate, world.crossCertificate],
            anchors: world.systemRoots)
        let graph = ExplanationGraph(explanation)
        #expect(
            graph.nodes.map(\.name) == [
                Self.host, "Public Issuing Authority", "Public Root", "Public Root", "Old Public Root",
            ])
        #expect(shape(graph) == [[0, 0], [1, 0], [2, 0], [2, 1], [3, 1]])
        #expect(graph.nodes.map(\.isOnPath) == [true, true, true, false, false])
        #expect(graph.nodes.map(\.state) == [.fits, .fits, .anchor, .fits, .refused])
        #expect(graph.nodes.last?.findings.map(\.rule.identifier) == ["validity.expired"])
        #expect(graph.edges.filter(\.isOnPath).map { [$0.child, $0.issuer] } == [[1, 2], [2, 3]])
        #expect(graph.edges.filter { !$0.isOnPath }.map { [$0.child, $0.issuer] } == [[2, 4], [4, 5]])
        #expect(explanation.ways.isEmpty)
        let remark = try #require(explanation.remarks.first)
        #expect(remark.hasPrefix("the anchor 'Old Public Root' expired on "))
        #expect(remark.hasSuffix("; the path to the anchor 'Public Root' is valid"))

        let svg = ExplanationDrawing(graph, title: "t").svg.text
        #expect(count("class=\"node ", in: svg) == 5)
        #expect(count(" path\" x=", in: svg) == 3)
        #expect(count("class=\"edge path\"", in: svg) == 2)
        #expect(count("class=\"edge signed\"", in: svg) == 2)
        #expect(svg.contains("✗ validity.expired"))
    }

    @Test("a missing intermediate is a node of its own, with the place where it is published")
    func missing() throws {
        let world = try LaboratoryWorld().authorities
        let explanation = try Self.explanation(
            [Self.leaf(world.publicIntermediate, location: "http://ca.host.test/i.cer")], anchors: world.systemRoots)
        let graph = ExplanationGraph(explanation)
        #expect(graph.nodes.map(\.state) == [.deadEnd, .missing(location: "http://ca.host.test/i.cer")])
        #expect(graph.nodes.last?.name == "Public Issuing Authority" && graph.nodes.last?.certificate == nil)
        #expect(graph.edges == [.init(child: 1, issuer: 2, isSigned: nil, isOnPath: false)])
        let page = ExplanationFigure(explanation).html.text
        #expect(page.contains("It is published at http://ca.host.test/i.cer."))
        #expect(page.contains("class=\"node missing\"") && page.contains("class=\"edge missing\""))
        #expect(page.contains("Configure the server to send its intermediate certificates"))
    }

    @Test("an expired root is refused on the path, and a cross-certificate that leads nowhere is told beside it")
    func expired() throws {
        let world = try LaboratoryWorld().authorities
        let stranger = try world.stranger.issue(
            .authority(named: "Old Issuing Authority", organization: "Example Trust Services"),
            for: world.oldIntermediate.privateKey.publicKey)
        let explanation = try Self.explanation(
            [Self.leaf(world.oldIntermediate), world.oldIntermediate.certificate, stranger], anchors: world.systemRoots)
        let graph = ExplanationGraph(explanation)
        #expect(graph.nodes.filter(\.isOnPath).map(\.state) == [.fits, .fits, .refused])
        #expect(graph.nodes.filter { !$0.isOnPath }.map(\.state) == [.deadEnd, .missing(location: nil)])
        #expect(graph.nodes.last?.name == "Stranger Root")
        #expect(explanation.ways.count == 2)
        #expect(explanation.ways.first?.obstacle.contains("the anchor expired on") == true)
        #expect(explanation.ways.last?.obstacle.contains("CN=Stranger Root") == true)
    }

    @Test("an authority of the right name and another key is drawn as one that did not sign")
    func impostor() throws {
        let world = try LaboratoryWorld().authorities
        let namesake = try CertificateIssuer.selfSigned(
            CertificateTemplate(
                subject: world.publicIntermediate.certificate.subject, validity: .days(10),
                extensions: [.basicConstraints(BasicConstraints(isAuthority: true))]), key: .generate(.p256))
        let graph = ExplanationGraph(
            try Self.explanation(
                [Self.leaf(world.publicIntermediate), namesake.certificate], anchors: world.systemRoots))
        #expect(graph.nodes.map(\.state) == [.deadEnd, .impostor, .missing(location: nil)])
        #expect(graph.edges.map(\.isSigned) == [false, nil])
        let svg = ExplanationDrawing(graph, title: "t").svg.text
        #expect(svg.contains("class=\"edge unsigned\"") && svg.contains("class=\"cross\""))
    }

    @Test("a certificate that two others lead to is one node with two edges")
    func merged() throws {
        let old = try CertificateIssuer.selfSigned(.authority(named: "Top"), key: .generate(.p256))
        let key = try PrivateKey.generate(.p256)
        let first = try old.issueAuthority(.authority(named: "Middle"), key: key)
        let second = try old.issue(.authority(named: "Middle", validity: .days(20)), for: key.publicKey)
        let graph = ExplanationGraph(
            try Self.explanation([Self.leaf(first), first.certificate, second], anchors: [old.certificate]))
        #expect(shape(graph) == [[0, 0], [1, 0], [1, 1], [2, 0]])
        #expect(Set(graph.edges.map { [$0.child, $0.issuer] }) == [[1, 2], [1, 3], [2, 4], [3, 4]])
    }

    @Test("a web of cross-certificates is drawn up to a limit, and says how much is left out")
    func web() throws {
        let root = try CertificateIssuer.selfSigned(.authority(named: "Top"), key: .generate(.p256))
        let key = try PrivateKey.generate(.p256)
        let middle = try root.issueAuthority(.authority(named: "Middle"), key: key)
        let many = try (1...60).map { _ in try root.issue(.authority(named: "Middle"), for: key.publicKey) }
        let explanation = try Self.explanation([Self.leaf(middle)] + many, anchors: [])
        let graph = ExplanationGraph(explanation)
        #expect(graph.nodes.count == ExplanationGraph.mostNodes)
        #expect(graph.omitted > 0)
        #expect(ExplanationFigure(explanation).html.text.contains("\(graph.omitted) more attempts are not shown."))
        #expect(Set(shape(graph)).count == graph.nodes.count)
    }

    @Test("the drawing has a text alternative, and the list beside it says the same")
    func accessible() throws {
        let world = try LaboratoryWorld().authorities
        let page = ExplanationFigure(
            try Self.explanation(
                [Self.leaf(world.publicIntermediate), world.publicIntermediate.certificate], anchors: world.systemRoots)
        ).html.text
        #expect(page.contains("role=\"img\" aria-label=\"Graph of the search: 3 certificates tried."))
        #expect(page.contains("1 \(Self.host), issued by 2 Public Issuing Authority, issued by 3 Public Root"))
        #expect(count("<span class=\"tag path\">on the path</span>", in: page) == 3)
    }

    @Test(
        "what a certificate says stays text, and cut off where it is long",
        arguments: [
            "<script>alert(1)</script>", "</text></svg><img src=x>", "\"' onload=\"x", "a\u{202E}b\u{0}c",
            String(repeating: "e\u{301}\u{302}\u{303}", count: 200), String(repeating: "<", count: 300),
        ])
    func escaping(_ name: String) throws {
        let root = try CertificateIssuer.selfSigned(
            CertificateTemplate(
                subject: DistinguishedName(commonName: name), validity: .days(5),
                extensions: [.basicConstraints(BasicConstraints(isAuthority: true))]), key: .generate(.p256))
        let leaf = try Self.leaf(root, location: "http://x.test/\"><script>")
        for explanation in [
            try Self.explanation([leaf], anchors: [root.certificate]), try Self.explanation([leaf], anchors: []),
            try Self.explanation([leaf, root.certificate], anchors: []),
        ] {
            let page = ExplanationFigure(explanation).html.text
            #expect(!page.contains("<script") && !page.contains("<img") && !page.contains(" onload=\""))
            #expect(!page.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0 })
            let texts = page.matches(of: /<(?:text|tspan)[^>]*>([^<]*)</).map(\.output.1)
            // An entity is up to 6 letters long.
            #expect(texts.allSatisfy { $0.unicodeScalars.count <= 21 * 6 })
            var open: [Substring] = []
            for match in page.matches(of: /<(\/?)([a-z0-9]+)([^>]*)>/) where !match.output.3.hasSuffix("/") {
                if match.output.1.isEmpty {
                    open.append(match.output.2)
                } else {
                    #expect(open.popLast() == match.output.2)
                }
            }
            #expect(open.isEmpty)
        }
    }
}
