import BelayCertificates

/// Finds the timestamps in a stapled OCSP response (RFC 6962, section 3.3).
///
/// What the response says about the certificate is not judged here, nor who signed it: each timestamp has the signature of its log.
enum StapledTimestamps {
    /// 1.3.6.1.4.1.11129.2.4.5
    private static let identifier: [UInt8] = [0x2B, 6, 1, 4, 1, 0xD6, 0x79, 2, 4, 5]

    /// The list, as the extension has it; nil where the response has none or cannot be read.
    static func list(in response: [UInt8]) -> [UInt8]? {
        do throws(DERError) { return try find(response) } catch { return nil }
    }

    /// RFC 6960, section 4.2.1.
    private static func find(_ response: [UInt8]) throws(DERError) -> [UInt8]? {
        var outer = DERReader(response)
        _ = try outer.enter(.sequence)
        _ = try outer.read(.enumerated)
        guard outer.next(is: .contextConstructed(0)) else { return nil }
        _ = try outer.enter(.contextConstructed(0))
        _ = try outer.enter(.sequence)
        _ = try outer.readObjectIdentifier()
        var reader = DERReader(response, in: try outer.read(.octetString))
        _ = try reader.enter(.sequence)
        // ResponseData: a version perhaps, who responds, when, and the responses.
        _ = try reader.enter(.sequence)
        if reader.next(is: .contextConstructed(0)) { _ = try reader.readAny() }
        _ = try reader.readAny()
        _ = try reader.readAny()
        _ = try reader.enter(.sequence)
        while !reader.isAtEnd {
            var single = DERReader(response, in: try reader.read(.sequence))
            while !single.isAtEnd {
                let field = try single.readAny()
                guard field.tag == .contextConstructed(1), field.element.upperBound == single.position,
                    single.isAtEnd, let list = try extensions(response, field.contents)
                else { continue }
                return list
            }
        }
        return nil
    }

    private static func extensions(_ response: [UInt8], _ range: Range<Int>) throws(DERError) -> [UInt8]? {
        var reader = DERReader(response, in: range)
        guard reader.next(is: .sequence) else { return nil }
        _ = try reader.enter(.sequence)
        while !reader.isAtEnd {
            var one = DERReader(response, in: try reader.read(.sequence))
            let octets = try one.readObjectIdentifier()
            guard response[octets].elementsEqual(identifier) else { continue }
            _ = try one.readBooleanDefaultFalse()
            var value = DERReader(response, in: try one.read(.octetString))
            return Array(response[try value.read(.octetString)])
        }
        return nil
    }
}
