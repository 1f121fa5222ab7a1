/// A certificate revocation list (RFC 5280, section 5): a value over its DER bytes, read strictly.
public struct RevocationList: Sendable, Hashable {
    /// The exact bytes.
    public let der: [UInt8]
    private let signedPart: Range<Int>
    private let algorithm: Range<Int>
    private let signatureRange: Range<Int>
    private let issuerRange: Range<Int>
    private let entries: Range<Int>
    /// When it was issued, in seconds since 1970.
    package let thisUpdateSeconds: Int64
    /// When the next one is due, in seconds since 1970; nil where the list does not say.
    package let nextUpdateSeconds: Int64?
    /// How many certificates it revokes.
    public let entryCount: Int
    /// What the list covers, where it does not cover everything of its issuer (RFC 5280, section 5.2.5).
    public let scope: IssuingDistributionPoint?
    /// Whether it only lists changes to another one (RFC 5280, section 5.2.4).
    public let isDelta: Bool
    /// Critical extensions, of the list or of an entry, that Belay does not understand.
    public let unhandledCriticalExtensions: [OID]
    /// Whether an entry names a certificate of another issuer (RFC 5280, section 5.3.3).
    public let hasForeignEntries: Bool
    /// How it departs from the profile of RFC 5280, in words after "its revocation list".
    package let profileDepartures: [String]

    /// Reads a list.
    ///
    /// - Throws: ``DERError`` where the bytes are not one in DER.
    public init(der: [UInt8]) throws(DERError) {
        var reader = DERReader(der)
        let list = try reader.enter(.sequence)
        let signedStart = reader.position
        let signed = try reader.enter(.sequence)

        var isVersion2 = false
        if reader.next(is: .integer) {
            guard try reader.readSmallInteger(upTo: 1) == 1 else { throw DERError(.integerOutOfRange, at: signedStart) }
            isVersion2 = true
        }
        let innerAlgorithm = try CertificateLayout.readAlgorithmIdentifier(&reader)
        issuerRange = try CertificateLayout.readName(&reader)
        var dates = DateForms()
        thisUpdateSeconds = try dates.read(&reader)
        nextUpdateSeconds =
            reader.next(is: .utcTime) || reader.next(is: .generalizedTime) ? try dates.read(&reader) : nil

        var unhandled: [OID] = []
        (entries, entryCount, hasForeignEntries) = try Self.readEntries(&reader, isVersion2, &unhandled, &dates)
        var slots: [ExtensionSlot] = []
        if reader.next(is: .contextConstructed(0)) {
            guard isVersion2 else {
                throw DERError(.other("a version 1 list has extensions"), at: reader.position)
            }
            let explicit = try reader.enter(.contextConstructed(0))
            slots = try CertificateLayout.readExtensionList(&reader)
            try reader.leave(explicit)
        }
        try reader.leave(signed)
        signedPart = signedStart..<reader.position

        let outerStart = reader.position
        algorithm = try CertificateLayout.readAlgorithmIdentifier(&reader)
        guard CertificateLayout.areSameAlgorithm(innerAlgorithm, algorithm, in: der) else {
            throw DERError(.other("the signature algorithm differs from the one in the signed part"), at: outerStart)
        }
        signatureRange = try reader.readOctetAlignedBitString()
        try reader.leave(list)
        try reader.finish()

        var scope: IssuingDistributionPoint?
        var isDelta = false
        for slot in slots {
            switch slot.kind {
            case .issuingDistributionPoint:
                scope = try IssuingDistributionPoint(
                    der, in: slot.value, issuer: DistinguishedName(der, in: issuerRange))
            case .deltaCRLIndicator: isDelta = true
            case .crlNumber, .authorityKeyIdentifier: continue
            default:
                if slot.isCritical { unhandled.append(OID(octets: der[slot.identifier])) }
            }
        }
        self.scope = scope
        profileDepartures =
            (nextUpdateSeconds == nil ? ["does not say when the next one is due"] : [])
            + (dates.areAsProfiled ? [] : ["has a year through 2049 as GeneralizedTime"])
            + Self.departures(der, isVersion2: isVersion2, slots)
        self.isDelta = isDelta
        unhandledCriticalExtensions = unhandled
        self.der = der
    }

    /// Reads dates, and keeps whether their form is the one of RFC 5280, sections 5.1.2.4 to 5.1.2.6.
    private struct DateForms {
        var areAsProfiled = true

        mutating func read(_ reader: inout DERReader) throws(DERError) -> Int64 {
            let isGeneralized = reader.next(is: .generalizedTime)
            let seconds = try reader.readTime()
            if isGeneralized && seconds < CertificateLayout.year2050 { areAsProfiled = false }
            return seconds
        }
    }

    /// revokedCertificates: a SEQUENCE that is left out when nothing is revoked, or, in lists of careless software, empty.
    private static func readEntries(
        _ reader: inout DERReader, _ isVersion2: Bool, _ unhandled: inout [OID], _ dates: inout DateForms
    ) throws(DERError) -> (Range<Int>, count: Int, hasForeign: Bool) {
        guard reader.next(is: .sequence) else { return (reader.position..<reader.position, 0, false) }
        let outer = try reader.enter(.sequence)
        let start = reader.position
        var count = 0
        var hasForeign = false
        while !reader.isAtEnd {
            let entry = try reader.enter(.sequence)
            _ = try reader.readInteger()
            _ = try dates.read(&reader)
            if !reader.isAtEnd {
                guard isVersion2 else {
                    throw DERError(.other("an entry of a version 1 list has extensions"), at: reader.position)
                }
                for slot in try CertificateLayout.readExtensionList(&reader) {
                    if slot.kind == .certificateIssuer {
                        hasForeign = true
                    } else if slot.isCritical && slot.kind != .reasonCode {
                        unhandled.append(OID(octets: reader.bytes[slot.identifier]))
                    }
                }
            }
            try reader.leave(entry)
            count += 1
        }
        let range = start..<reader.position
        try reader.leave(outer)
        return (range, count, hasForeign)
    }

    /// Who issued it.
    public var issuer: DistinguishedName { DistinguishedName(der, in: issuerRange) }

    /// The algorithm of its signature.
    public var signatureAlgorithm: SignatureAlgorithm { SignatureAlgorithm(der, in: algorithm) }

    /// Whether the list's signature was made with this key.
    package func isSigned(by key: VerificationKey) -> Bool {
        key.verifies(Array(der[signatureRange]), over: der, in: signedPart, with: signatureAlgorithm)
    }

    /// The entry for a certificate's serial number; nil where the list does not revoke it.
    public func entry(forSerialNumber serialNumber: [UInt8]) -> RevokedCertificate? {
        var reader = DERReader(der, in: entries)
        // The entries were walked when the list was read, so that no error can occur here.
        while let entry = try? reader.read(.sequence) {
            var inner = DERReader(der, in: entry)
            guard let serial = try? inner.readInteger() else { return nil }
            if der[serial].elementsEqual(serialNumber) { return readEntry(entry) }
        }
        return nil
    }

    private func readEntry(_ entry: Range<Int>) -> RevokedCertificate? {
        var reader = DERReader(der, in: entry)
        guard (try? reader.readInteger()) != nil, let date = try? reader.readTime() else { return nil }
        return RevokedCertificate(seconds: date, reason: Self.readReason(&reader))
    }

    private static func readReason(_ reader: inout DERReader) -> RevokedCertificate.Reason? {
        guard !reader.isAtEnd, let slots = try? CertificateLayout.readExtensionList(&reader),
            let slot = slots.first(where: { $0.kind == .reasonCode })
        else { return nil }
        var value = DERReader(reader.bytes, in: slot.value)
        guard let code = try? value.readSmallInteger(upTo: 10, .enumerated) else { return nil }
        return RevokedCertificate.Reason(rawValue: code)
    }
}

extension RevocationList {
    /// Where the entries of a list are, by serial number: for whoever looks up many certificates in a long list.
    package struct Index {
        fileprivate var entries: [ArraySlice<UInt8>: Range<Int>] = [:]
    }

    /// Reads the list once.
    package func makeIndex() -> Index {
        var index = Index()
        index.entries.reserveCapacity(entryCount)
        var reader = DERReader(der, in: entries)
        while let entry = try? reader.read(.sequence) {
            var inner = DERReader(der, in: entry)
            guard let serial = try? inner.readInteger() else { break }
            // The first entry counts where there are several, as without an index.
            if index.entries[der[serial]] == nil { index.entries[der[serial]] = entry }
        }
        return index
    }

    /// The same as ``entry(forSerialNumber:)``, without reading the list.
    package func entry(forSerialNumber serialNumber: [UInt8], in index: Index) -> RevokedCertificate? {
        index.entries[serialNumber[...]].flatMap(readEntry)
    }
}

/// That a certificate is revoked (RFC 5280, section 5.1.2.6).
public struct RevokedCertificate: Sendable, Hashable {
    /// When, in seconds since 1970.
    package let seconds: Int64
    /// Why, where the list says.
    public let reason: Reason?

    /// The reasons of RFC 5280, section 5.3.1.
    public enum Reason: Int, Sendable, Hashable {
        case unspecified = 0
        case keyCompromise = 1
        case authorityCompromise = 2
        case affiliationChanged = 3
        case superseded = 4
        case cessationOfOperation = 5
        case certificateHold = 6
        case removeFromList = 8
        case privilegeWithdrawn = 9
        case attributeAuthorityCompromise = 10
    }
}

extension RevokedCertificate.Reason: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .unspecified: "no reason given"
        case .keyCompromise: "the key was compromised"
        case .authorityCompromise: "the authority was compromised"
        case .affiliationChanged: "the affiliation changed"
        case .superseded: "it was superseded"
        case .cessationOfOperation: "it is no longer in operation"
        case .certificateHold: "it is on hold"
        case .removeFromList: "the hold was lifted"
        case .privilegeWithdrawn: "a privilege was withdrawn"
        case .attributeAuthorityCompromise: "the attribute authority was compromised"
        }
    }
}

/// What a revocation list covers (RFC 5280, section 5.2.5).
public struct IssuingDistributionPoint: Sendable, Hashable {
    /// The full names of the distribution point, also where it is named relative to the list's issuer; empty where it has
    /// none.
    public let names: [GeneralName]
    /// Only certificates of end entities.
    public let coversOnlyLeaves: Bool
    /// Only certificates of authorities.
    public let coversOnlyAuthorities: Bool
    /// Only some reasons, as the named bits of ReasonFlags; nil for all.
    public let reasons: UInt16?
    /// Also certificates of other issuers.
    public let isIndirect: Bool
    /// Only attribute certificates.
    public let coversOnlyAttributeCertificates: Bool

    init(_ bytes: [UInt8], in range: Range<Int>, issuer: DistinguishedName) throws(DERError) {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        names = try DistributionPoint.readPointName(&reader)?.names(below: issuer) ?? []
        coversOnlyLeaves = try Self.readFlag(&reader, 1)
        coversOnlyAuthorities = try Self.readFlag(&reader, 2)
        reasons = reader.next(is: .contextPrimitive(3)) ? try reader.readNamedBits(.contextPrimitive(3)) : nil
        isIndirect = try Self.readFlag(&reader, 4)
        coversOnlyAttributeCertificates = try Self.readFlag(&reader, 5)
        try reader.leave(outer)
        try reader.finish()
    }

    private static func readFlag(_ reader: inout DERReader, _ number: UInt8) throws(DERError) -> Bool {
        guard reader.next(is: .contextPrimitive(number)) else { return false }
        let contents = try reader.read(.contextPrimitive(number))
        guard contents.count == 1, reader.bytes[contents.lowerBound] == 0xFF else {
            throw DERError(.defaultEncoded, at: contents.lowerBound)
        }
        return true
    }
}
