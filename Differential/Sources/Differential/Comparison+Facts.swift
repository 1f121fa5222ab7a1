import BelayCertificates
import BelayTrust

/// What the reasons of disagreements rest on.
extension Comparison {
    /// The path that Belay found.
    var path: [Certificate] { standard.path }

    /// The certificates that have no place on it.
    var extras: [Certificate] { certificates.filter { !path.contains($0) } }

    /// Whether OpenSSL accepts the path that Belay found, when it is given nothing else to choose from.
    var opensslAcceptsThePath: Bool {
        guard standard.isTrusted, let anchor = path.last else { return false }
        let sent = path.count > 1 ? path.dropLast() : path[...]
        // A second earlier where it is the last one, which OpenSSL does not count: that is another class's matter.
        let moment = isTheLastSecond ? time.addingTimeInterval(-1) : time
        switch Self.askOpenSSL(sent.map(\.der), [anchor.der], host, moment) {
        case 0: return true
        case 26: return hasPurpose("2.5.29.37.0")  // X509_V_ERR_INVALID_PURPOSE, a class of its own as well
        default: return false
        }
    }

    /// Whether a certificate of the path names, by key identifier or by issuer and serial number, an issuer other than its own.
    var namesAnotherKey: Bool {
        // The root is compared with itself: OpenSSL takes it for no root otherwise.
        zip(path, path.dropFirst() + path.suffix(1)).contains { child, issuer in
            guard let named = try? child.authorityKeyIdentifier else { return false }
            if named.serialNumber != nil || named.issuer != nil { return true }
            guard let own = try? issuer.subjectKeyIdentifier else { return false }
            return named.keyIdentifier != own
        }
    }

    /// Whether the algorithm of a signature has parameters that it should not have.
    var hasMalformedAlgorithm: Bool {
        any { if case .malformed = $0.signatureAlgorithm { true } else { false } }
    }

    /// Whether a name along the path is written in two ways: as the issuer below, as the subject above.
    var spellsANameInTwoWays: Bool {
        zip(path, path.dropFirst()).contains { $0.issuer.der != $1.subject.der }
    }

    /// Whether a name has an attribute whose octets are not what its kind of string demands.
    var hasNameThatIsNoText: Bool {
        certificates.contains { certificate in
            var names = [certificate.subject, certificate.issuer]
            for case .directory(let name) in (try? certificate.subjectAlternativeNames) ?? [] { names.append(name) }
            return names.flatMap(\.relativeNames).joined().contains { $0.text == nil }
        }
    }

    /// Whether the moment is the last second of a certificate's validity.
    var isTheLastSecond: Bool { certificates.contains { $0.validity.notAfter == time } }

    /// Whether there is a certificate of which this is true.
    func any(_ isTrue: (Certificate) -> Bool) -> Bool { certificates.contains(where: isTrue) }

    /// Whether a certificate that issues on no path of Belay's has an extension that cannot be decoded.
    var hasMalformedExtra: Bool { extras.contains(where: \.hasMalformedExtension) }

    /// Whether a certificate has a critical extension with this identifier.
    func hasCritical(_ identifier: String) -> Bool {
        any { $0.extensions.contains { $0.isCritical && $0.identifier.description == identifier } }
    }

    /// Whether a certificate has an extension with this identifier.
    func has(_ identifier: String) -> Bool {
        any { $0.extensions.contains { $0.identifier.description == identifier } }
    }

    /// Whether a certificate states purposes and this is among them.
    func hasPurpose(_ dotted: String) -> Bool {
        any { certificate in
            (try? certificate.extendedKeyUsage)?.purposes.contains { $0.description == dotted } ?? false
        }
    }

    /// Whether an issuer of the path has a constraint of which this is true.
    func hasConstraintAbove(_ isTrue: (GeneralName) -> Bool) -> Bool {
        path.dropFirst().contains { issuer in
            guard let constraints = try? issuer.nameConstraints else { return false }
            return (constraints.permitted + constraints.excluded).contains(where: isTrue)
        }
    }

    /// Whether a certificate has a constraint, or an alternative name, of which this is true.
    func hasConstraint(_ isTrue: (GeneralName) -> Bool) -> Bool {
        any { certificate in
            guard let constraints = try? certificate.nameConstraints else { return false }
            return (constraints.permitted + constraints.excluded).contains(where: isTrue)
        }
    }
    func hasName(_ isTrue: (GeneralName) -> Bool) -> Bool {
        any { ((try? $0.subjectAlternativeNames) ?? []).contains(where: isTrue) }
    }

    /// Whether Belay also refused an anchor as malformed.
    var hasMalformedAnchor: Bool { standard.findings(.error).contains { $0.rule.identifier == "anchor.malformed" } }
}

extension Certificate {
    /// Whether an extension that Belay knows cannot be decoded.
    var hasMalformedExtension: Bool {
        do throws(DERError) {
            _ = try keyUsage
            _ = try extendedKeyUsage
            _ = try basicConstraints
            _ = try nameConstraints
            _ = try subjectAlternativeNames
            _ = try subjectKeyIdentifier
            _ = try authorityKeyIdentifier
            _ = try certificatePolicies
            _ = try policyMappings
            _ = try policyConstraints
            _ = try inhibitAnyPolicy
            _ = try revocationListDistributionPoints
            return false
        } catch {
            return true
        }
    }
}
