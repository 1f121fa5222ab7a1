/// Where the fields of a certificate stand among its bytes, found by one strict walk.
///
/// A class, so that copies of a ``Certificate`` share the bytes with one reference; nothing in it ever changes.
final class CertificateLayout: Sendable {
    let der: [UInt8]
    let signedPart: Range<Int>
    let version: Int
    let serialNumber: Range<Int>
    /// The contents of the AlgorithmIdentifier.
    let signatureAlgorithm: Range<Int>
    /// The Name, tag and length included.
    let issuer: Range<Int>
    let notBefore: Int64
    let notAfter: Int64
    /// The Name, tag and length included.
    let subject: Range<Int>
    let publicKey: PublicKeyLayout
    let signature: Range<Int>
    let algorithmsAreIdentical: Bool
    let hasUniqueIdentifiers: Bool
    let timesAreInProfile: Bool
    let extensions: [ExtensionSlot]

    /// 2050-01-01T00:00:00Z: from then on times are written as GeneralizedTime.
    static let year2050: Int64 = 2_524_608_000

    /// Walks a certificate (RFC 5280, section 4.1).
    init(_ der: [UInt8]) throws(DERError) {
        var reader = DERReader(der)
        let certificate = try reader.enter(.sequence)
        let signedStart = reader.position
        let signed = try reader.enter(.sequence)

        version = try CertificateLayout.readVersion(&reader)
        serialNumber = try reader.readInteger()
        let innerAlgorithm = try CertificateLayout.readAlgorithmIdentifier(&reader)
        issuer = try CertificateLayout.readName(&reader)

        let validity = try reader.enter(.sequence)
        let startIsGeneralized = reader.next(is: .generalizedTime)
        notBefore = try reader.readTime()
        let endIsGeneralized = reader.next(is: .generalizedTime)
        notAfter = try reader.readTime()
        timesAreInProfile =
            startIsGeneralized == (notBefore >= CertificateLayout.year2050)
            && endIsGeneralized == (notAfter >= CertificateLayout.year2050)
        try reader.leave(validity)

        subject = try CertificateLayout.readName(&reader)
        publicKey = try PublicKeyLayout(&reader)
        let identifiersStart = reader.position
        try CertificateLayout.skipUniqueIdentifiers(&reader, version: version)
        hasUniqueIdentifiers = reader.position > identifiersStart
        extensions = try CertificateLayout.readExtensions(&reader, version: version)
        try reader.leave(signed)
        signedPart = signedStart..<reader.position

        let outerStart = reader.position
        signatureAlgorithm = try CertificateLayout.readAlgorithmIdentifier(&reader)
        algorithmsAreIdentical = der.hasEqualBytes(in: innerAlgorithm, and: signatureAlgorithm)
        guard algorithmsAreIdentical || CertificateLayout.areSameAlgorithm(innerAlgorithm, signatureAlgorithm, in: der)
        else {
            throw DERError(.other("the signature algorithm differs from the one in the signed part"), at: outerStart)
        }
        signature = try reader.readOctetAlignedBitString()
        try reader.leave(certificate)
        try reader.finish()
        self.der = der
    }

    private static func readVersion(_ reader: inout DERReader) throws(DERError) -> Int {
        guard reader.next(is: .contextConstructed(0)) else { return 1 }
        let start = reader.position
        let explicit = try reader.enter(.contextConstructed(0))
        let number = try reader.readSmallInteger(upTo: 2)
        try reader.leave(explicit)
        guard number != 0 else { throw DERError(.defaultEncoded, at: start) }
        return number + 1
    }

    /// The contents of an AlgorithmIdentifier: an object identifier and at most one parameter.
    @inline(__always)
    static func readAlgorithmIdentifier(_ reader: inout DERReader) throws(DERError) -> Range<Int> {
        let outer = try reader.enter(.sequence)
        let start = reader.position
        _ = try reader.readObjectIdentifier()
        if !reader.isAtEnd { _ = try reader.readAny() }
        let contents = start..<reader.position
        try reader.leave(outer)
        return contents
    }

    /// Whether two AlgorithmIdentifiers name the same algorithm (RFC 5280, section 4.1.1.2).
    ///
    /// Parameters that are NULL in one place and absent in the other mean the same; Apple's Keychain Access issues
    /// certificates that way.
    static func areSameAlgorithm(_ left: Range<Int>, _ right: Range<Int>, in bytes: [UInt8]) -> Bool {
        if bytes.hasEqualBytes(in: left, and: right) { return true }
        func withoutNull(_ range: Range<Int>) -> Range<Int> {
            let end = range.upperBound
            let isNull = range.count > 4 && bytes[end - 2] == DERTag.null.rawValue && bytes[end - 1] == 0
            // The last two bytes are a NULL of their own only where the object identifier ends before them.
            let identifierEnd = range.lowerBound + 2 + Int(bytes[range.lowerBound + 1])
            return isNull && identifierEnd == end - 2 ? range.lowerBound..<(end - 2) : range
        }
        return bytes.hasEqualBytes(in: withoutNull(left), and: withoutNull(right))
    }

    /// A Name: a SEQUENCE of non-empty SETs of (type, value).
    @inline(__always)
    static func readName(_ reader: inout DERReader) throws(DERError) -> Range<Int> {
        let start = reader.position
        let name = try reader.enter(.sequence)
        while !reader.isAtEnd {
            let setStart = reader.position
            let relative = try reader.enter(.set)
            guard !reader.isAtEnd else { throw DERError(.empty, at: setStart) }
            while !reader.isAtEnd {
                let attribute = try reader.enter(.sequence)
                _ = try reader.readObjectIdentifier()
                _ = try reader.readAny()
                try reader.leave(attribute)
            }
            try reader.leave(relative)
        }
        try reader.leave(name)
        return start..<reader.position
    }

    /// issuerUniqueID and subjectUniqueID: allowed by the grammar in versions 2 and 3, used by nobody.
    private static func skipUniqueIdentifiers(_ reader: inout DERReader, version: Int) throws(DERError) {
        for number: UInt8 in 1...2 where reader.next(is: .contextPrimitive(number)) {
            guard version >= 2 else {
                throw DERError(.other("a version 1 certificate has a unique identifier"), at: reader.position)
            }
            _ = try reader.readBitString(.contextPrimitive(number))
        }
    }

    private static func readExtensions(
        _ reader: inout DERReader, version: Int
    ) throws(DERError) -> [ExtensionSlot] {
        guard reader.next(is: .contextConstructed(3)) else { return [] }
        guard version == 3 else {
            throw DERError(.other("a version \(version) certificate has extensions"), at: reader.position)
        }
        let explicit = try reader.enter(.contextConstructed(3))
        let slots = try readExtensionList(&reader)
        try reader.leave(explicit)
        return slots
    }

    /// Extensions: a non-empty SEQUENCE in which no object identifier occurs twice (RFC 5280, section 4.2).
    static func readExtensionList(_ reader: inout DERReader) throws(DERError) -> [ExtensionSlot] {
        var slots: [ExtensionSlot] = []
        slots.reserveCapacity(10)
        let listStart = reader.position
        let list = try reader.enter(.sequence)
        guard !reader.isAtEnd else { throw DERError(.empty, at: listStart) }
        while !reader.isAtEnd {
            let entry = try reader.enter(.sequence)
            let identifier = try reader.readObjectIdentifier()
            let isCritical = try reader.readBooleanDefaultFalse()
            let value = try reader.read(.octetString)
            try reader.leave(entry)
            slots.append(
                ExtensionSlot(
                    identifier: identifier, isCritical: isCritical, value: value,
                    kind: ExtensionKind(reader.bytes, in: identifier)))
        }
        try reader.leave(list)
        try rejectDuplicates(slots, in: reader.bytes)
        return slots
    }

    private static func rejectDuplicates(_ slots: [ExtensionSlot], in bytes: [UInt8]) throws(DERError) {
        if slots.count > 64 {
            // Quadratic comparison is cheaper for the dozen extensions of a real certificate, not for a hostile one.
            var seen = Set<ArraySlice<UInt8>>()
            for slot in slots where !seen.insert(bytes[slot.identifier]).inserted {
                throw DERError(.other("an extension occurs twice"), at: slot.identifier.lowerBound)
            }
            return
        }
        for index in slots.indices {
            for earlier in 0..<index
            where bytes.hasEqualBytes(in: slots[earlier].identifier, and: slots[index].identifier) {
                throw DERError(.other("an extension occurs twice"), at: slots[index].identifier.lowerBound)
            }
        }
    }

    /// The extension of a kind, if there is one.
    @inline(__always)
    func slot(_ kind: ExtensionKind) -> ExtensionSlot? {
        for slot in extensions where slot.kind == kind { return slot }
        return nil
    }
}

extension [UInt8] {
    /// Whether two parts of the array hold the same bytes.
    @inline(__always)
    func hasEqualBytes(in left: Range<Int>, and right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        var offset = 0
        while offset < left.count {
            if self[left.lowerBound &+ offset] != self[right.lowerBound &+ offset] { return false }
            offset &+= 1
        }
        return true
    }
}
