/// Two policies that an authority considers equal (RFC 5280, section 4.2.1.5).
public struct PolicyMapping: Sendable, Hashable {
    /// The policy of the issuer.
    public let issuerPolicy: OID
    /// The policy of the subject that stands for it.
    public let subjectPolicy: OID

    static func readList(_ bytes: [UInt8], in range: Range<Int>) throws(DERError) -> [PolicyMapping] {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        guard !reader.isAtEnd else { throw DERError(.empty, at: range.lowerBound) }
        var list: [PolicyMapping] = []
        while !reader.isAtEnd {
            let start = reader.position
            let pair = try reader.enter(.sequence)
            let issuerPolicy = OID(octets: bytes[try reader.readObjectIdentifier()])
            let subjectPolicy = OID(octets: bytes[try reader.readObjectIdentifier()])
            try reader.leave(pair)
            guard issuerPolicy != .anyPolicy, subjectPolicy != .anyPolicy else {
                throw DERError(.other("a policy is mapped to or from anyPolicy"), at: start)
            }
            list.append(PolicyMapping(issuerPolicy: issuerPolicy, subjectPolicy: subjectPolicy))
        }
        try reader.leave(outer)
        try reader.finish()
        return list
    }
}

/// After how many certificates policies must be explicit, and may no longer be mapped (RFC 5280, section 4.2.1.11).
public struct PolicyConstraints: Sendable, Hashable {
    /// How many certificates may follow before an acceptable policy is demanded; nil for no demand.
    public let requireExplicitPolicy: Int?
    /// How many certificates may follow before policies may no longer be mapped; nil for no limit.
    public let inhibitPolicyMapping: Int?

    init(_ bytes: [UInt8], in range: Range<Int>) throws(DERError) {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        guard !reader.isAtEnd else { throw DERError(.empty, at: range.lowerBound) }
        requireExplicitPolicy =
            reader.next(is: .contextPrimitive(0))
            ? try reader.readSmallInteger(upTo: Int(Int32.max), .contextPrimitive(0)) : nil
        inhibitPolicyMapping =
            reader.next(is: .contextPrimitive(1))
            ? try reader.readSmallInteger(upTo: Int(Int32.max), .contextPrimitive(1)) : nil
        try reader.leave(outer)
        try reader.finish()
    }
}

extension OID {
    /// `anyPolicy` (RFC 5280, section 4.2.1.4).
    public static let anyPolicy = OID(octets: [0x55, 0x1D, 0x20, 0])
}

extension Certificate {
    /// The policies under which the certificate was issued (RFC 5280, section 4.2.1.4), without their qualifiers; nil
    /// without the extension.
    public var certificatePolicies: [OID]? {
        get throws(DERError) {
            guard let slot = layout.slot(.certificatePolicies) else { return nil }
            var reader = DERReader(layout.der, in: slot.value)
            let outer = try reader.enter(.sequence)
            guard !reader.isAtEnd else { throw DERError(.empty, at: slot.value.lowerBound) }
            var policies: [OID] = []
            var seen = Set<OID>()
            while !reader.isAtEnd {
                let start = reader.position
                let information = try reader.enter(.sequence)
                let policy = OID(octets: layout.der[try reader.readObjectIdentifier()])
                if !reader.isAtEnd { _ = try reader.read(.sequence) }
                try reader.leave(information)
                guard seen.insert(policy).inserted else {
                    throw DERError(.other("a policy occurs twice"), at: start)
                }
                policies.append(policy)
            }
            try reader.leave(outer)
            try reader.finish()
            return policies
        }
    }

    /// The policies that the authority considers equal (RFC 5280, section 4.2.1.5); nil without the extension.
    public var policyMappings: [PolicyMapping]? {
        get throws(DERError) {
            guard let slot = layout.slot(.policyMappings) else { return nil }
            return try PolicyMapping.readList(layout.der, in: slot.value)
        }
    }

    /// What the authority demands of policies below it (RFC 5280, section 4.2.1.11).
    public var policyConstraints: PolicyConstraints? {
        get throws(DERError) {
            guard let slot = layout.slot(.policyConstraints) else { return nil }
            return try PolicyConstraints(layout.der, in: slot.value)
        }
    }

    /// After how many certificates anyPolicy no longer counts (RFC 5280, section 4.2.1.14); nil for no limit.
    public var inhibitAnyPolicy: Int? {
        get throws(DERError) {
            guard let slot = layout.slot(.inhibitAnyPolicy) else { return nil }
            var reader = DERReader(layout.der, in: slot.value)
            let count = try reader.readSmallInteger()
            try reader.finish()
            return count
        }
    }
}
