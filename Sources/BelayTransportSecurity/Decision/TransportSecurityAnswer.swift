import BelayCertificates
import BelayTrust

/// What a range of systems does with a URL. Where the systems differ, a field has no value, and ``changes`` says from which version on it
/// has which.
public struct TransportSecurityAnswer: Sendable, Hashable {
    /// The systems that were asked about.
    public let systems: SystemRange
    /// The decisions, each from a version on; at least one, the oldest first.
    public let parts: [Part]

    /// What holds from a version on.
    public struct Part: Sendable, Hashable {
        /// The first version.
        public let system: SystemVersion
        /// The decision.
        public let decision: TransportSecurityDecision
    }

    /// Whether the load may go on, on every system of the range; nil where that differs.
    public var isAllowed: Bool? { common(\.isAllowed) }

    /// What a field is on every system; nil where that differs.
    func common<Value: Equatable>(_ field: (TransportSecurityDecision) -> Value) -> Value? {
        guard let first = parts.first.map({ field($0.decision) }) else { return nil }
        return parts.allSatisfy { field($0.decision) == first } ? first : nil
    }

    /// Every key that decided on one of the systems.
    public var decidedBy: [[String]] {
        var paths: [[String]] = []
        for part in parts { for path in part.decision.decidedBy where !paths.contains(path) { paths.append(path) } }
        return paths
    }

    /// Why; where the systems differ in that, for each of them.
    public var why: String {
        var texts: [(system: SystemVersion, why: String)] = []
        for part in parts where texts.last?.why != part.decision.why { texts.append((part.system, part.decision.why)) }
        guard texts.count > 1 else { return texts.first?.why ?? "" }
        return texts.map { "From \($0.system): \($0.why)" }.joined(separator: " ")
    }

    /// A field that is not the same on all systems.
    public struct Change: Sendable, Hashable {
        /// The field, as JSON names it.
        public let field: String
        /// The first version that has the value.
        public let system: SystemVersion
        /// The value.
        public let value: Field
    }

    /// The fields that differ, each with its value on the oldest system and at every change.
    public var changes: [Change] {
        guard parts.count > 1 else { return [] }
        var changes: [Change] = []
        for name in Field.names {
            let values = parts.map { ($0.system, Field(name, of: $0.decision)) }
            guard values.contains(where: { $0.1 != values[0].1 }) else { continue }
            for (index, (system, value)) in values.enumerated() where index == 0 || value != values[index - 1].1 {
                changes.append(Change(field: name.rawValue, system: system, value: value))
            }
        }
        return changes
    }
}

extension TransportSecurityAnswer {
    /// The value of a field of an answer.
    public enum Field: Sendable, Hashable {
        /// True or false.
        case flag(Bool)
        /// A number, or none.
        case number(Int?)
        /// A text, or none.
        case text(String?)
        /// The lists of pins.
        case pins(PinnedIdentities?)

        /// The fields that can differ, in the order of the format.
        enum Name: String, CaseIterable {
            case allowed
            case requiresHTTPS = "https_required"
            case minimumVersion = "min_tls"
            case forwardSecrecy = "forward_secrecy"
            case transparency = "ct_required"
            case systemTransparency = "system_ct"
            case trustRelaxed = "trust_relaxed"
            case matched, error, suites
            case minimumRSABits = "min_rsa_bits"
            case minimumECBits = "min_ec_bits"
            case minimumHash = "min_hash"
            case pins, niap
        }

        static var names: [Name] { Name.allCases }

        init(_ name: Name, of decision: TransportSecurityDecision) {
            self =
                switch name {
                case .allowed: .flag(decision.isAllowed)
                case .requiresHTTPS: .flag(decision.requiresHTTPS)
                case .minimumVersion: .text(decision.demands.minimumVersion?.keyText)
                case .forwardSecrecy: .flag(decision.demands.requiresForwardSecrecy)
                case .transparency: .flag(decision.requiresCertificateTransparency)
                case .systemTransparency: .flag(decision.systemRequiresCertificateTransparency)
                case .trustRelaxed: .flag(decision.isTrustRelaxed)
                case .matched: .text(decision.matched)
                case .error: .number(decision.errorCode)
                case .suites: .text(decision.demands.suites.rawValue)
                case .minimumRSABits: .number(decision.demands.minimumRSABits)
                case .minimumECBits: .number(decision.demands.minimumECBits)
                case .minimumHash: .text(decision.demands.minimumHash)
                case .pins: .pins(decision.pins)
                case .niap: .text(decision.niapPackage?.rawValue)
                }
        }
    }
}

extension TLSVersion {
    /// As `NSExceptionMinimumTLSVersion` writes it, for example `TLSv1.2`.
    public var keyText: String {
        switch self {
        case .tls10: "TLSv1.0"
        case .tls11: "TLSv1.1"
        case .tls12: "TLSv1.2"
        case .tls13: "TLSv1.3"
        }
    }
}
