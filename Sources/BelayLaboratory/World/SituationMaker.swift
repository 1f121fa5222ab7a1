import BelayCertificates
import FoundationEssentials

/// Issues what the situations of the policy table need.
struct SituationMaker {
    let authorities: Authorities
    let moment: Date

    /// The situations in the order of their letters.
    func situations() throws(LaboratoryError) -> [Situation] {
        let genuine = try publicServer(LaboratoryWorld.host)
        return try Situation.Letter.allCases.map { letter throws(LaboratoryError) in
            try situation(letter, genuine: genuine)
        }
    }

    /// - Parameter genuine: the identity of the real server, of which the app knows where an attacker answers.
    private func situation(_ letter: Situation.Letter, genuine: Identity) throws(LaboratoryError) -> Situation {
        let host = LaboratoryWorld.host
        let identity: Identity
        var pinned: Certificate?
        switch letter {
        case .a: identity = genuine
        case .b: identity = try publicServer(LaboratoryWorld.otherHost)
        case .c: identity = try publicServer(host, validity: .expired(before: moment))
        case .d: identity = try selfSigned(host)
        case .e: identity = try selfSigned(LaboratoryWorld.otherHost)
        case .f: identity = try selfSigned(host, validity: .expired(before: moment))
        case .g:
            identity = try selfSigned(host)
            pinned = genuine.certificate
        case .h:
            identity = try publicServer(LaboratoryWorld.attackerHost)
            pinned = genuine.certificate
        case .i:
            identity = try server(authorities.secondPublicIntermediate, host)
            pinned = genuine.certificate
        case .j:
            identity = try server(authorities.privateIntermediate, host)
            pinned = authorities.privateRoot.certificate
        case .k:
            let old = try publicServer(host, validity: .days(90, from: moment.addingTimeInterval(-60 * 86_400)))
            identity = try server(authorities.publicIntermediate, host, key: old.privateKey)
            pinned = old.certificate
        case .l:
            identity = try server(authorities.privateIntermediate, LaboratoryWorld.otherHost)
            pinned = authorities.privateRoot.certificate
        case .m:
            let site = try server(authorities.privateIntermediate, LaboratoryWorld.otherHost)
            identity = try LaboratoryError.making("the forgery of situation M") {
                try CertificateIssuer(
                    certificate: site.certificate, below: site.chain, privateKey: site.privateKey
                ).issueIdentity(.server(names: [host]), key: .generate(.p256))
            }
            pinned = authorities.privateRoot.certificate
        case .n:
            identity = try publicServer(LaboratoryWorld.attackerHost)
            pinned = authorities.publicRoot.certificate
        }
        return Situation(letter: letter, host: host, identity: identity, pinned: pinned ?? identity.certificate)
    }

    private func publicServer(_ host: String, validity: Validity = .days(90)) throws(LaboratoryError) -> Identity {
        try server(authorities.publicIntermediate, host, validity: validity)
    }

    /// A server's identity; it sends everything below the root.
    func server(
        _ issuer: CertificateIssuer, _ host: String, validity: Validity = .days(90), key: PrivateKey? = nil
    ) throws(LaboratoryError) -> Identity {
        try LaboratoryError.making("a certificate for \(host)") {
            try issuer.issueIdentity(.server(names: [host], validity: validity), key: key ?? .generate(.p256))
        }
    }

    /// A server that vouches for itself.
    func selfSigned(_ host: String, validity: Validity = .days(90)) throws(LaboratoryError) -> Identity {
        try LaboratoryError.making("a self-signed certificate for \(host)") {
            let issuer = try CertificateIssuer.selfSigned(
                .server(names: [host], validity: validity), key: .generate(.p256))
            return try Identity(certificate: issuer.certificate, privateKey: issuer.privateKey)
        }
    }
}
