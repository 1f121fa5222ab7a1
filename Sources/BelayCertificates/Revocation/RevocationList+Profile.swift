extension RevocationList {
    /// How a list departs from the profile of RFC 5280, section 5, in words after "its revocation list"; empty for a list by
    /// the profile. What makes a list unusable is not among it.
    static func departures(
        _ der: [UInt8], isVersion2: Bool, _ slots: [ExtensionSlot]
    ) -> [String] {
        // Section 5.1.2.1. A list of version 1 has no extensions that could be missing or wrong.
        guard isVersion2 else { return ["is of version 1"] }
        var departures: [String] = []
        func slot(_ kind: ExtensionKind) -> ExtensionSlot? { slots.first { $0.kind == kind } }

        // Section 5.2.1.
        if let slot = slot(.authorityKeyIdentifier) {
            if slot.isCritical { departures.append("has a critical authority key identifier") }
            if (try? AuthorityKeyIdentifier(der, in: slot.value))?.keyIdentifier == nil {
                departures.append("does not name its issuer's key")
            }
        } else {
            departures.append("has no authority key identifier")
        }
        // Section 5.2.3.
        if let slot = slot(.crlNumber) {
            if slot.isCritical { departures.append("has a critical number") }
            if !isNumber(der, slot.value) {
                departures.append("has a number that is negative or longer than 20 octets")
            }
        } else {
            departures.append("has no number")
        }
        // Sections 5.2.4 and 5.2.5.
        if slot(.issuingDistributionPoint)?.isCritical == false {
            departures.append("has a scope that is not critical")
        }
        if slot(.deltaCRLIndicator)?.isCritical == false {
            departures.append("says that it lists changes only, and not as critical")
        }
        return departures
    }

    private static func isNumber(_ der: [UInt8], _ range: Range<Int>) -> Bool {
        var reader = DERReader(der, in: range)
        guard let number = try? reader.readInteger(), reader.isAtEnd else { return false }
        // A zero in front only keeps the number positive.
        let count = der[number.lowerBound] == 0 ? number.count - 1 : number.count
        return der[number.lowerBound] & 0x80 == 0 && count <= 20
    }
}
