import BelayCertificates
import Foundation
import Testing

@Suite("Issuing revocation lists")
struct RevocationListTests {
    private let world: World.Members
    private let folder: TemporaryFolder

    init() throws {
        world = try World.ecdsa.get()
        folder = try TemporaryFolder()
    }

    private func template(revoking certificates: [Certificate], reason: Int? = 1) -> RevocationListTemplate {
        RevocationListTemplate(
            thisUpdate: Date() - 60, nextUpdate: Date() + 3_600,
            entries: certificates.map {
                RevocationListTemplate.Entry(serialNumber: $0.serialNumber, date: Date() - 120, reason: reason)
            }, number: 7)
    }

    @Test("OpenSSL takes a certificate on the list for revoked, and one that is not for good")
    func opensslChecks() throws {
        let other = try world.intermediate.issueIdentity(.server(names: ["b.test"]), key: .generate(.p256))
        let list = try world.intermediate.issue(template(revoking: [other.certificate]))
        let rootList = try world.root.issue(template(revoking: []))
        let lists = try folder.write(
            "lists.pem", PEM.encode(label: "X509 CRL", der: list) + PEM.encode(label: "X509 CRL", der: rootList))
        let root = try folder.write("root.pem", world.root.certificate.pem)
        let chain = try folder.write("chain.pem", world.intermediate.certificate.pem)
        func verify(_ certificate: Certificate) throws -> Tool.Result {
            try Tool.run(
                "openssl",
                ["verify", "-x509_strict", "-crl_check_all", "-CRLfile", lists, "-CAfile", root, "-untrusted", chain],
                input: certificate.pem.bytes)
        }
        #expect(try verify(world.server.certificate).status == 0)
        #expect(try verify(other.certificate).errors.contains("certificate revoked"))
    }

    @Test("OpenSSL prints number, reason, dates and key identifier as they were asked for")
    func opensslPrints() throws {
        let moment = Date(timeIntervalSince1970: 1_767_225_599)
        let template = RevocationListTemplate(
            thisUpdate: moment, nextUpdate: moment + 2,
            entries: [.init(serialNumber: [0xAB], date: moment, reason: 1), .init(serialNumber: [2], date: moment)],
            number: 7)
        let list = try world.root.issue(template)
        let text = try Tool.openssl("crl", "-inform", "DER", "-text", "-noout", input: list).text
        for expected in [
            "Version 2 (0x1)", "Last Update: Dec 31 23:59:59 2025 GMT", "Next Update: Jan  1 00:00:01 2026 GMT",
            "Serial Number: AB", "Serial Number: 02", "Key Compromise", "X509v3 CRL Number: \n                7",
            "X509v3 Authority Key Identifier: ",
        ] {
            #expect(text.contains(expected), "\(expected) is not in\n\(text)")
        }
    }

    @Test("A list without entries, number, identifier and next update is one of version 1")
    func issuesBareList() throws {
        var template = RevocationListTemplate(thisUpdate: Date(), nextUpdate: nil, number: nil)
        template.addsKeyIdentifier = false
        let list = try world.root.issue(template)
        let text = try Tool.openssl("crl", "-inform", "DER", "-text", "-noout", input: list).text
        // RFC 5280, section 5.1.2.6: no list of entries at all where there are none.
        #expect(try !Tool.openssl("asn1parse", "-inform", "DER", input: list).text.contains("l=   0 cons: SEQUENCE"))
        #expect(text.contains("Version 1 (0x0)"))
        #expect(text.contains("Next Update: NONE"))
        #expect(text.contains("No Revoked Certificates."))
    }

    @Test("A list with a corrupted signature is refused by OpenSSL")
    func corrupts() throws {
        let root = try folder.write("root.pem", world.root.certificate.pem)
        var template = template(revoking: [])
        func verify() throws -> String {
            let list = try world.root.issue(template)
            return try Tool.run(
                "openssl", ["crl", "-inform", "DER", "-noout", "-verify", "-CAfile", root], input: list
            )
            .errors
        }
        #expect(try verify().contains("verify OK"))
        template.corruptsSignature = true
        #expect(try verify().contains("verify failure"))
    }
}
