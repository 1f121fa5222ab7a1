extension LaboratoryServer {
    /// The servers that the laboratory can start.
    public enum Kind: Sendable, Hashable {
        /// A situation of the policy table.
        case situation(Situation.Letter)

        // Versions and suites.
        case oneWay
        case tls10
        case tls11
        case tls12
        case tls13
        case forwardSecrecy
        case staticRSA

        // Clients must say who they are.
        case mutual
        case mutualTLS12
        case mutualWithoutIssuers
        case identityRequested

        // Keys.
        case rsa3072
        case p384
        case p521
        case ed25519

        // Certificates.
        case privateAuthority
        case selfSigned
        case expired
        case notYetValid
        case wrongName
        case wrongPurpose
        case missingIntermediate
        case shuffledChain
        case crossSigned
        case oldRoot
        case pinnedAppendedToSelfSigned
        case pinnedAppendedToPublic
        case withoutKey
        case hugeCertificate
        case manyNames
        case malformedCertificate

        // Manners.
        case slow
        case silent
        case hangs
        case truncates
        case resets
        case resetsAtOnce
        case plainHTTP
        case garbage
        case endlessHandshake

        /// A good handshake, and then something wrong in HTTP.
        case http(HTTPFault)
    }
}

extension LaboratoryServer.Kind: CaseIterable {
    /// All of them: the good server first, then the situations.
    public static var allCases: [LaboratoryServer.Kind] {
        [.oneWay] + situations + [
            .tls10, .tls11, .tls12, .tls13, .forwardSecrecy, .staticRSA, .mutual, .mutualTLS12,
            .mutualWithoutIssuers, .identityRequested, .rsa3072, .p384, .p521, .ed25519, .privateAuthority, .selfSigned,
            .expired, .notYetValid, .wrongName, .wrongPurpose, .missingIntermediate, .shuffledChain, .crossSigned,
            .oldRoot,
            .pinnedAppendedToSelfSigned, .pinnedAppendedToPublic, .withoutKey, .hugeCertificate, .manyNames,
            .malformedCertificate, .slow, .silent, .hangs, .truncates, .resets, .resetsAtOnce, .plainHTTP, .garbage,
            .endlessHandshake,
        ] + faults
    }

    /// The servers that are wrong, or hard on their clients, in HTTP.
    public static var faults: [LaboratoryServer.Kind] { HTTPFault.allCases.map { .http($0) } }

    /// The servers of the policy table.
    public static var situations: [LaboratoryServer.Kind] { Situation.Letter.allCases.map { .situation($0) } }
}

extension LaboratoryServer.Kind {
    /// A name for command lines and files, which is the first label of the server's host too: `missing-intermediate`.
    public var id: String { entry.id }

    /// What it is, in a line.
    public var summary: String { entry.summary }

    /// What a client with the usual requirements, and the laboratory's public roots as anchors, makes of it.
    public var expectation: LaboratoryServer.Expectation { entry.expectation }
}

extension LaboratoryServer.Kind: CustomStringConvertible {
    /// The name and what it is.
    public var description: String { "\(id): \(summary)" }
}
