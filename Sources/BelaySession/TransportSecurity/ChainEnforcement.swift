import BelayTransportSecurity
import BelayTrust

extension TransportSecurityRequirements {
    /// What is demanded of a connection and cannot be seen in a chain of certificates.
    package struct Unchecked: Sendable, Hashable {
        /// A name for programs: `minimum-version`.
        package let name: String
        /// What is demanded, for people.
        package let demand: String
    }

    /// A policy's verdict on a chain that nobody was shown by a connection, within what the Info.plist demands.
    ///
    /// What only a connection could show (``uncheckedByChains``) is told as not checked; it never counts as met.
    ///
    /// - Parameters:
    ///   - verdict: what the policy says.
    ///   - trust: what the policy has judged.
    package func hold(_ verdict: Verdict, chain trust: ServerTrust) -> Verdict {
        let held = hold(verdict, nil, trust)
        return held.verdict.adding(held.shortcomings + [notChecked])
    }

    /// What only a connection could show.
    package var uncheckedByChains: [Unchecked] {
        var unchecked = [
            Unchecked(name: "minimum-version", demand: "\(connection.minimumVersion) or newer")
        ]
        if connection.requiresForwardSecrecy {
            unchecked.append(Unchecked(name: "forward-secrecy", demand: "a key exchange with forward secrecy"))
        }
        if let cipherSuites {
            unchecked.append(Unchecked(name: "cipher-suite", demand: "one of \(cipherSuites.count) cipher suites"))
        }
        if niapPackage != nil {
            unchecked += [
                Unchecked(name: "extended-master-secret", demand: "the extended master secret under TLS 1.2"),
                Unchecked(name: "handshake-signature", demand: "a handshake that is signed with SHA-256 or better"),
            ]
        }
        if requiresCertificateTransparency || systemRequiresCertificateTransparency {
            unchecked.append(
                Unchecked(name: "delivered-timestamps", demand: "timestamps that come by TLS or OCSP, if any do"))
        }
        return unchecked
    }

    private var notChecked: Finding {
        Finding(
            .connectionNotChecked,
            "only a connection shows these, which the Info.plist demands; none of them was checked: "
                + uncheckedByChains.map(\.demand).joined(separator: "; "),
            expected: uncheckedByChains.map(\.name).joined(separator: ", "), found: "no connection")
    }
}

extension Rule {
    static let connectionNotChecked = Rule(
        "ats.not-checked", "What an Info.plist demands of a connection is looked at.", severity: .note, .none,
        remedy: "Ask the server itself with 'belay check --info-plist'.", source: "Apple: NSAppTransportSecurity")
}
