import BelayCertificates

/// Comparing a name in a certificate with the name that was asked for (RFC 9525, section 6).
enum PresentedName {
    /// Why a DNS name of a certificate, although it resembles the host, does not stand for it.
    enum Miss: Equatable {
        /// It is another name.
        case different
        /// It has a wildcard that is not a whole left-most label.
        case partialWildcard
        /// It is a wildcard directly under a single label, such as `*.test`.
        case wildcardTooBroad
        /// It is no host name.
        case malformed
    }

    /// Whether a DNS name of a certificate stands for a host; `host` is in its normal form.
    static func match(_ presented: String, _ host: String) -> Miss? {
        let units = Array(presented.utf8)
        let wanted = Array(host.utf8)
        if !units.contains(0x2A) {
            guard equal(units[...], wanted[...]) else {
                return units.allSatisfy({ $0.isHostCharacter || $0 == 0x2E }) ? .different : .malformed
            }
            return nil
        }
        guard units.count > 2, units[0] == 0x2A, units[1] == 0x2E, !units.dropFirst().contains(0x2A) else {
            return .partialWildcard
        }
        let suffix = units[1...]
        guard let dot = wanted.firstIndex(of: 0x2E), dot > 0, equal(suffix, wanted[dot...]) else { return .different }
        // At least two labels must follow: nobody owns everything below a single one.
        guard suffix.dropFirst().contains(0x2E) else { return .wildcardTooBroad }
        return nil
    }

    private static func equal(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for (a, b) in zip(left, right) {
            let folded = a >= 0x41 && a <= 0x5A ? a | 0x20 : a
            if folded != b { return false }
        }
        return true
    }
}
