/// What a connection must be, whatever certificates it shows: the part of App Transport Security that holds for every
/// connection.
public struct ConnectionRequirements: Sendable, Hashable {
    /// The oldest version of TLS that is accepted.
    public var minimumVersion: TLSVersion
    /// Whether the key exchange must be ephemeral.
    public var requiresForwardSecrecy: Bool

    /// Puts requirements together.
    public init(minimumVersion: TLSVersion, requiresForwardSecrecy: Bool) {
        self.minimumVersion = minimumVersion
        self.requiresForwardSecrecy = requiresForwardSecrecy
    }

    /// What App Transport Security demands of a host without an exception: TLS 1.2 and forward secrecy.
    public static let transportSecurity = ConnectionRequirements(
        minimumVersion: .tls12, requiresForwardSecrecy: true)

    /// What a connection falls short of; empty when it meets the requirements.
    public func findings(for evidence: PeerEvidence) -> [Finding] {
        var findings: [Finding] = []
        if evidence.version < minimumVersion {
            findings.append(
                Finding(
                    .oldVersion, "the server negotiated \(evidence.version)",
                    expected: "\(minimumVersion) or newer", found: evidence.version.description))
        }
        if evidence.cipherSuite.isAnonymous {
            findings.append(
                Finding(
                    .anonymousSuite,
                    "the server negotiated \(evidence.cipherSuite), in which nobody proves who they are",
                    expected: "a suite with certificates", found: evidence.cipherSuite.name))
        }
        if evidence.cipherSuite.isUnencrypted {
            findings.append(
                Finding(
                    .unencryptedSuite, "the server negotiated \(evidence.cipherSuite), which encrypts nothing",
                    expected: "a suite that encrypts", found: evidence.cipherSuite.name))
        }
        // What an anonymous suite lacks is more than forward secrecy, and mostly not that.
        if requiresForwardSecrecy && !evidence.cipherSuite.isAnonymous && !evidence.cipherSuite.countsAsForwardSecret {
            let why =
                evidence.cipherSuite.hasForwardSecrecy
                ? "whose DHE does not count as forward secrecy here" : "which has no forward secrecy"
            findings.append(
                Finding(
                    .noForwardSecrecy, "the server negotiated \(evidence.cipherSuite), \(why)",
                    expected: "a suite with ECDHE", found: evidence.cipherSuite.name))
        }
        return findings
    }
}

extension CipherSuite {
    /// Whether App Transport Security takes the suite for forward secret: those of TLS 1.3, and those with ECDHE. It never
    /// accepts DHE, whose groups are of the server's own choice.
    fileprivate var countsAsForwardSecret: Bool { hasForwardSecrecy && !name.hasPrefix("TLS_DHE_") }
}

extension ConnectionRequirements: CustomStringConvertible {
    /// The requirements in words.
    public var description: String {
        "\(minimumVersion) or newer" + (requiresForwardSecrecy ? ", forward secrecy (ECDHE)" : "")
    }
}

extension Rule {
    static let oldVersion = Rule(
        "tls.version", "A connection uses a version of TLS that the requirements allow.", .deny,
        remedy: "Switch on TLS 1.2 or 1.3 on the server.",
        source: "Apple: Preventing Insecure Network Connections; RFC 8996")
    static let noForwardSecrecy = Rule(
        "tls.forward-secrecy", "A connection's key exchange is ephemeral.", .deny,
        remedy: "Switch on suites with ECDHE on the server.",
        source: "Apple: NSExceptionRequiresForwardSecrecy; RFC 9325, section 4.1")

    static let anonymousSuite = Rule(
        "tls.anonymous", "A connection's server proves who it is.", .deny,
        remedy: "Switch off anonymous suites (aNULL) on the server, and give it a certificate.",
        source: "RFC 9325, section 4.1")
    static let unencryptedSuite = Rule(
        "tls.unencrypted", "A connection is encrypted.", .deny,
        remedy: "Switch off suites without encryption (eNULL) on the server.", source: "RFC 9325, section 4.1")

    static let connectionCatalogue: [Rule] = [.oldVersion, .noForwardSecrecy, .anonymousSuite, .unencryptedSuite]
}
