import BelayCertificates
import BelayTLS
import BelayTrust
import FoundationEssentials

/// What a server of the laboratory is made from.
struct Blueprint {
    /// The host it is asked for.
    let host: String
    /// The certificates it sends.
    let chain: [[UInt8]]
    /// How it behaves.
    var configuration: TLSServerConfiguration

    /// A server with an identity.
    init(host: String, _ identity: Identity) throws(LaboratoryError) {
        let chain = identity.certificates.map(\.der)
        try self.init(
            host: host, chain: chain,
            LaboratoryError.making("the identity of \(host)") {
                try TLSIdentity(certificates: chain, privateKey: identity.privateKey)
            })
    }

    init(host: String, chain: [[UInt8]], _ identity: TLSIdentity) {
        self.host = host
        self.chain = chain
        configuration = TLSServerConfiguration(identity: identity)
        // Who waits too long shall be the client: that is what its timeouts are tried with.
        configuration.timeouts = TLSTimeouts(all: .seconds(120))
    }
}

/// Makes the servers' blueprints in a world.
struct BlueprintMaker {
    let world: LaboratoryWorld

    private var authorities: Authorities { world.authorities }
    private var maker: SituationMaker { SituationMaker(authorities: world.authorities, moment: world.moment) }

    /// The blueprint of a server.
    func blueprint(_ kind: LaboratoryServer.Kind) throws(LaboratoryError) -> Blueprint {
        let host = "\(kind.id).lab.test"
        switch kind {
        case .situation(let letter):
            let situation = world.situation(letter)
            return try Blueprint(host: situation.host, situation.identity)
        case .oneWay, .tls10, .tls11, .tls12, .tls13, .forwardSecrecy, .staticRSA:
            return try speaking(kind, host)
        case .mutual, .mutualTLS12, .mutualWithoutIssuers, .identityRequested:
            return try asking(kind, host)
        case .rsa3072: return try good(host, .rsa(bits: 3_072))
        case .p384: return try good(host, .p384)
        case .p521: return try good(host, .p521)
        case .ed25519: return try good(host, .ed25519)
        case .privateAuthority, .selfSigned, .expired, .notYetValid, .wrongName, .wrongPurpose, .missingIntermediate,
            .shuffledChain, .crossSigned, .oldRoot, .pinnedAppendedToSelfSigned, .pinnedAppendedToPublic, .withoutKey,
            .hugeCertificate, .manyNames, .malformedCertificate:
            return try presenting(kind, host)
        case .http(let fault):
            var blueprint = try good(host)
            blueprint.configuration.applicationProtocols = ["http/1.1"]
            blueprint.configuration.handler = fault.script
            return blueprint
        case .slow: return try misbehaving(host, .drips(bytes: 64, pause: .milliseconds(10)))
        case .silent: return try misbehaving(host, .silence)
        case .hangs: return try misbehaving(host, .hangsInHandshake)
        case .truncates: return try misbehaving(host, .truncates)
        case .resets: return try misbehaving(host, .resets)
        case .resetsAtOnce: return try misbehaving(host, .resetsAtOnce)
        case .plainHTTP: return try misbehaving(host, .plainHTTP)
        case .garbage: return try misbehaving(host, .sends([0xDE, 0xAD, 0xBE, 0xEF, 0x00, 0x01, 0x02, 0x03]))
        case .endlessHandshake: return try misbehaving(host, .endlessHandshake)
        }
    }

    // MARK: Versions and suites

    private func good(_ host: String, _ key: PrivateKey.Specification = .p256) throws(LaboratoryError) -> Blueprint {
        let issued = try LaboratoryError.making("a certificate for \(host)") {
            try authorities.publicIntermediate.issueIdentity(
                .server(
                    names: [host], keyUsage: key.isRSA ? [.digitalSignature, .keyEncipherment] : .digitalSignature),
                key: .generate(key))
        }
        return try Blueprint(host: host, issued)
    }

    private func speaking(_ kind: LaboratoryServer.Kind, _ host: String) throws(LaboratoryError) -> Blueprint {
        let needsRSA = kind == .forwardSecrecy || kind == .staticRSA
        var blueprint = try good(host, needsRSA ? .rsa(bits: 2_048) : .p256)
        func only(_ version: TLSVersion) {
            blueprint.configuration.minimumVersion = version
            blueprint.configuration.maximumVersion = version
        }
        switch kind {
        case .tls10: only(.tls10)
        case .tls11: only(.tls11)
        case .tls12: only(.tls12)
        case .tls13: only(.tls13)
        case .forwardSecrecy:
            only(.tls12)
            blueprint.configuration.cipherSuites = .forwardSecret
        case .staticRSA:
            only(.tls12)
            blueprint.configuration.cipherSuites = .openSSL(list: "AES128-GCM-SHA256:AES256-GCM-SHA384")
        default: break
        }
        return blueprint
    }

    // MARK: Clients

    private func asking(_ kind: LaboratoryServer.Kind, _ host: String) throws(LaboratoryError) -> Blueprint {
        var blueprint = try good(host)
        let root = authorities.clientRoot.certificate
        let anchors = AnchorStore([root])
        let demand = TLSServerConfiguration.Demand(
            acceptableIssuers: kind == .mutualWithoutIssuers ? [] : [root.der],
            accepts: { chain in ServerTrust(chain: chain, policies: [.tlsClient], anchors: anchors).evaluate().isTrusted
            })
        blueprint.configuration.clientAuthentication = kind == .identityRequested ? .request(demand) : .require(demand)
        if kind == .mutualTLS12 { blueprint.configuration.maximumVersion = .tls12 }
        return blueprint
    }

    // MARK: Certificates

    private func presenting(_ kind: LaboratoryServer.Kind, _ host: String) throws(LaboratoryError) -> Blueprint {
        switch kind {
        case .privateAuthority: return try Blueprint(host: host, maker.server(authorities.privateIntermediate, host))
        case .selfSigned: return try Blueprint(host: host, maker.selfSigned(host))
        case .expired:
            return try Blueprint(
                host: host,
                maker.server(authorities.publicIntermediate, host, validity: .expired(before: world.moment)))
        case .notYetValid:
            return try Blueprint(
                host: host,
                maker.server(authorities.publicIntermediate, host, validity: .future(after: world.moment)))
        case .wrongName:
            return try Blueprint(host: host, maker.server(authorities.publicIntermediate, LaboratoryWorld.otherHost))
        case .wrongPurpose: return try issued(host) { $0.set(.extendedKeyUsage([.clientAuthentication])) }
        case .hugeCertificate:
            guard let identifier = OID(dotted: "1.3.6.1.4.1.32473.1") else { return try good(host) }
            return try issued(host) {
                // An extension of nobody's (RFC 5612 keeps the number for examples), not critical.
                $0.set(
                    CertificateExtension(
                        identifier: identifier, isCritical: false, value: [UInt8](repeating: 0, count: 250_000)))
            }
        case .manyNames:
            return try issued(host) { template in
                let names = (1...9_999).map { GeneralName.dns("name-\($0).lab.test") }
                // The name that counts comes last: whoever gives up early does not find it.
                template.set(.subjectAlternativeNames(names + [.dns(host)]))
            }
        case .oldRoot: return try Blueprint(host: host, maker.server(authorities.oldIntermediate, host))
        case .missingIntermediate, .shuffledChain, .crossSigned, .pinnedAppendedToSelfSigned, .pinnedAppendedToPublic:
            return try sending(kind, host)
        case .withoutKey:
            let genuine = world.situation(.a)
            return try LaboratoryError.making("the copied identity") {
                Blueprint(
                    host: genuine.host, chain: genuine.chain, try TLSIdentity.withoutKey(certificates: genuine.chain))
            }
        case .malformedCertificate:
            return try misbehaving(host, .certificateMessage([Array("this is no certificate".utf8)]))
        default: return try good(host)
        }
    }

    /// A chain that is not what the server's identity is.
    private func sending(_ kind: LaboratoryServer.Kind, _ host: String) throws(LaboratoryError) -> Blueprint {
        let genuine = world.situation(.a).identity.certificate
        let identity: Identity
        let chain: [Certificate]
        var name = host
        switch kind {
        case .missingIntermediate:
            identity = try issuedIdentity(host) { template in
                template.extensions.append(
                    .informationAccess(issuers: ["http://public-root.lab.test/issuing-authority.cer"]))
            }
            chain = []
        case .crossSigned:
            identity = try maker.server(authorities.publicIntermediate, host)
            chain = identity.chain + [authorities.crossCertificate]
        case .pinnedAppendedToSelfSigned:
            name = LaboratoryWorld.host
            identity = try maker.selfSigned(name)
            chain = [genuine]
        case .pinnedAppendedToPublic:
            name = LaboratoryWorld.host
            identity = try maker.server(authorities.secondPublicIntermediate, name)
            chain = identity.chain + [genuine]
        default:
            identity = try maker.server(authorities.publicIntermediate, host)
            chain = [authorities.publicRoot.certificate, authorities.stranger.certificate] + identity.chain
        }
        return try Blueprint(
            host: name, Identity(presenting: identity.certificate, chain, withKey: identity.privateKey))
    }

    private func issued(
        _ host: String, _ change: (inout CertificateTemplate) -> Void
    ) throws(LaboratoryError) -> Blueprint {
        try Blueprint(host: host, issuedIdentity(host, change))
    }

    private func issuedIdentity(
        _ host: String, _ change: (inout CertificateTemplate) -> Void
    ) throws(LaboratoryError) -> Identity {
        var template = CertificateTemplate.server(names: [host])
        change(&template)
        return try LaboratoryError.making("a certificate for \(host)") { [template] in
            try authorities.publicIntermediate.issueIdentity(template, key: .generate(.p256))
        }
    }

    // MARK: Manners

    private func misbehaving(
        _ host: String, _ misbehaviour: TLSServerConfiguration.Misbehaviour
    ) throws(LaboratoryError) -> Blueprint {
        var blueprint = try good(host)
        blueprint.configuration.misbehaviour = misbehaviour
        return blueprint
    }
}

extension PrivateKey.Specification {
    fileprivate var isRSA: Bool {
        switch self {
        case .rsa, .rsaPSS: true
        default: false
        }
    }
}
