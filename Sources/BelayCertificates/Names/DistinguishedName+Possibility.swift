extension DistinguishedName {
    /// Whether this name lies in the subtree of `base` or might: what an excluded subtree must rule out.
    ///
    /// RFC 5280, section 7.1 compares names after the string preparation of RFC 4518, of which ``isWithin(_:)`` does the part
    /// for ASCII. A name that differs from the base only in what that part does not see (another kind of string, letters
    /// beyond ASCII, an odd order within a relative name) must not escape an exclusion.
    package func mightBeWithin(_ base: DistinguishedName) -> Bool {
        if isWithin(base) { return true }
        let theirs = base.relativeNames
        // No more than the base has: a name may be a thousand times as long.
        let mine = relativeNames(first: theirs.count)
        guard mine.count >= theirs.count else { return false }
        return zip(mine, theirs).allSatisfy { found, wanted in
            found.count == wanted.count
                && wanted.allSatisfy { attribute in found.contains { $0.mightMatch(attribute) } }
        }
    }
}

extension DistinguishedName.Attribute {
    /// Whether two attributes match, or could to a reader who knows more about text.
    fileprivate func mightMatch(_ other: DistinguishedName.Attribute) -> Bool {
        guard type == other.type else { return false }
        guard let mine = text, let theirs = other.text else {
            // Not text that can be decoded: equal only where the octets are, unless the kinds differ too.
            return tag != other.tag || octets == other.octets
        }
        let (folded, otherFolded) = (Self.folded(mine), Self.folded(theirs))
        return folded == otherFolded || Self.isUncertain(folded) || Self.isUncertain(otherFolded)
    }

    /// Without case, and with runs of white space as one space. Comparing the results minds canonical equivalence.
    private static func folded(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Whether compatibility forms (a full-width letter, a ligature, an invisible character) could make it equal another.
    private static func isUncertain(_ text: String) -> Bool {
        text.unicodeScalars.contains { !$0.isASCII && $0.properties.changesWhenNFKCCaseFolded }
    }
}
