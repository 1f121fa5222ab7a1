import BelayTransportSecurity
import BelayTrust

/// What differs between two decisions about one host.
struct DecisionChange {
    /// Whether anything but pins is less strict afterwards.
    private(set) var easesConnection = false
    /// Whether pins are less strict afterwards.
    private(set) var easesPins = false
    /// What differs, in words, a host in the place of `%`.
    private(set) var texts: [String] = []

    init(_ before: TransportSecurityDecision, _ after: TransportSecurityDecision) {
        compare(
            before.requiresHTTPS, after.requiresHTTPS, "http to % is refused", "http to % is allowed")
        let (old, new) = (before.demands.minimumVersion, after.demands.minimumVersion)
        if old != new {
            let rank = { (version: TLSVersion?) in version.map { Int($0.rawValue) } ?? -1 }
            easesConnection = easesConnection || rank(new) < rank(old)
            texts.append(new.map { "\($0) is the oldest version for %" } ?? "the oldest version for % is the system's")
        }
        compare(
            before.demands.requiresForwardSecrecy, after.demands.requiresForwardSecrecy,
            "forward secrecy is required of %", "forward secrecy is not required of %")
        compare(
            before.requiresCertificateTransparency, after.requiresCertificateTransparency,
            "Certificate Transparency is required of %", "Certificate Transparency is not required of %")
        compareRest(before, after)
        comparePins(before.pins, after.pins)
    }

    /// Notes a demand that is there, or is not.
    private mutating func compare(_ before: Bool, _ after: Bool, _ stricter: String, _ looser: String) {
        guard before != after else { return }
        texts.append(after ? stricter : looser)
        if before { easesConnection = true }
    }

    private mutating func compareRest(_ before: TransportSecurityDecision, _ after: TransportSecurityDecision) {
        let (old, new) = (before.demands, after.demands)
        let wasStricter =
            old.limitsKeySizes && !new.limitsKeySizes || old.limitsHashes && !new.limitsHashes
            || !before.isTrustRelaxed && after.isTrustRelaxed || Self.rank(new.suites) < Self.rank(old.suites)
        if wasStricter {
            if !easesConnection { texts.append("the rules for % are looser") }
            easesConnection = true
        }
        guard before.niapPackage != after.niapPackage else { return }
        texts.append(after.niapPackage.map { "the package \($0.rawValue) holds for %" } ?? "no package holds for %")
        if before.niapPackage != nil { easesConnection = true }
    }

    private static func rank(_ suites: TransportSecurityDecision.Suites) -> Int {
        switch suites {
        case .ats: 2
        case .atsCompatibility: 1
        case .any: 0
        }
    }

    private mutating func comparePins(_ before: PinnedIdentities?, _ after: PinnedIdentities?) {
        guard before != after else { return }
        guard let before else {
            texts.append("% is pinned")
            return
        }
        guard let after else {
            texts.append("% is not pinned")
            easesPins = true
            return
        }
        texts.append(
            before.isUnsatisfiable && !after.isUnsatisfiable ? "the pins of % match keys" : "the pins of % are others")
        for (old, new) in [(before.leaf, after.leaf), (before.authority, after.authority)] {
            guard let old else { continue }
            if new.map({ !$0.isSubset(of: old) }) ?? true { easesPins = true }
        }
    }
}
