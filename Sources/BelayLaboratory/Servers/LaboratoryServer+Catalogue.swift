extension LaboratoryServer.Kind {
    /// What the catalogue says about a server.
    struct Entry {
        let id: String
        let summary: String
        let expectation: LaboratoryServer.Expectation

        init(_ id: String, _ summary: String, _ expectation: LaboratoryServer.Expectation) {
            self.id = id
            self.summary = summary
            self.expectation = expectation
        }
    }

    /// The catalogue.
    var entry: Entry {
        switch self {
        case .situation(let letter): Entry("situation-\(letter.rawValue.lowercased())", letter.summary, .policyTable)

        case .oneWay: Entry("one-way", "a good server: public authority, P-256, TLS 1.2 and 1.3", .accepted)
        case .tls10: Entry("tls-1-0", "TLS 1.0 and nothing newer", .noConnection(.version))
        case .tls11: Entry("tls-1-1", "TLS 1.1 and nothing else", .noConnection(.version))
        case .tls12: Entry("tls-1-2", "TLS 1.2 and nothing else", .accepted)
        case .tls13: Entry("tls-1-3", "TLS 1.3 and nothing else", .accepted)
        case .forwardSecrecy:
            Entry("forward-secrecy", "TLS 1.2 with ephemeral key exchange only, RSA 2048", .accepted)
        case .staticRSA:
            Entry("static-rsa", "TLS 1.2 without forward secrecy, RSA 2048", .refused(rule: "tls.forward-secrecy"))

        case .mutual: Entry("mutual-tls", "demands a client certificate of the client root", .acceptedWithIdentity)
        case .mutualTLS12:
            Entry("mutual-tls-1-2", "demands a client certificate, under TLS 1.2", .acceptedWithIdentity)
        case .mutualWithoutIssuers:
            Entry(
                "mutual-tls-any-issuer", "demands a client certificate and does not say of whom", .acceptedWithIdentity)
        case .identityRequested:
            Entry("identity-requested", "asks for a client certificate and serves those without as well", .accepted)

        case .rsa3072: Entry("rsa-3072", "a certificate with an RSA key of 3072 bits", .accepted)
        case .p384: Entry("p-384", "a certificate with a key on P-384", .accepted)
        case .p521: Entry("p-521", "a certificate with a key on P-521", .accepted)
        case .ed25519: Entry("ed25519", "a certificate with an Ed25519 key", .accepted)

        case .privateAuthority:
            Entry("private-authority", "a certificate of the private root", .refused(rule: "anchor.unknown"))
        case .selfSigned: Entry("self-signed", "a self-signed certificate", .refused(rule: "anchor.unknown"))
        case .expired: Entry("expired", "a certificate that expired three days ago", .refused(rule: "validity.expired"))
        case .notYetValid:
            Entry(
                "not-yet-valid", "a certificate that begins in three days", .refused(rule: "validity.not-yet-valid"))
        case .wrongName: Entry("wrong-name", "a certificate for another host", .refused(rule: "name.mismatch"))
        case .wrongPurpose:
            Entry("wrong-purpose", "a certificate for clients only, on a server", .refused(rule: "eku.purpose"))
        case .missingIntermediate:
            Entry(
                "missing-intermediate", "sends its leaf without the intermediate",
                .refused(rule: "path.issuer-not-sent"))
        case .shuffledChain:
            Entry(
                "shuffled-chain", "leaf, root, a stranger, intermediate: the wrong order, and one too many",
                .acceptedWithFinding(rule: "path.extra-certificate"))
        case .crossSigned:
            Entry(
                "cross-signed", "still sends its root as certified by an older one that has expired",
                .acceptedWithFinding(rule: "path.alternative"))
        case .oldRoot:
            Entry("old-root", "a certificate below a root that has expired", .refused(rule: "validity.expired"))
        case .pinnedAppendedToSelfSigned:
            Entry(
                "pinned-appended-self-signed",
                "an attacker: a self-signed certificate, with the genuine pinned one sent after it",
                .refused(rule: "anchor.unknown"))
        case .pinnedAppendedToPublic:
            Entry(
                "pinned-appended-public",
                "an attacker: a mis-issued public certificate, with the genuine pinned one sent after it",
                .acceptedWithFinding(rule: "path.extra-certificate"))
        case .withoutKey:
            Entry("without-key", "the genuine certificate, copied, without its key", .noConnection(.keyMissing))
        case .hugeCertificate: Entry("huge-certificate", "a certificate of 250 kB", .accepted)
        case .manyNames: Entry("many-names", "a certificate with 10,000 names", .accepted)
        case .malformedCertificate:
            Entry("malformed-certificate", "sends bytes that are no certificate", .noConnection(.unreadableCertificate))

        case .slow: Entry("slow", "does everything right, 64 bytes at a time", .accepted)
        case .silent: Entry("silent", "takes the connection and says nothing", .noConnection(.timeout))
        case .hangs: Entry("hangs", "stops in the middle of the handshake", .noConnection(.timeout))
        case .truncates:
            Entry("truncates", "ends the connection in the middle of the handshake", .noConnection(.closedEarly))
        case .resets: Entry("resets", "breaks the connection off", .noConnection(.reset))
        case .resetsAtOnce: Entry("resets-at-once", "breaks the connection off before anything", .noConnection(.reset))
        case .plainHTTP: Entry("plain-http", "speaks HTTP without TLS", .noConnection(.notTLS))
        case .garbage: Entry("garbage", "sends bytes without meaning", .noConnection(.notTLS))
        case .endlessHandshake:
            Entry("endless-handshake", "sends handshake messages without end", .noConnection(.endless))

        case .http(let fault): Entry(fault.rawValue, "after a good handshake it \(fault.summary)", .accepted)
        }
    }
}
