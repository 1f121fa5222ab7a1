/// Which octets may stand where in a URL (RFC 3986), and percent-encoding for those that may not.
///
/// What people and servers write is mended as RFC 3986 wants it: spaces, letters beyond ASCII (as UTF-8), quotes, braces,
/// brackets and a percent sign that starts no triplet become triplets. Triplets that are there stay as they are.
enum URLOctets {
    /// Percent-encodes what may not stand in a path, query or fragment; `?` and `#` must be those that end a part.
    static func encodingIllegal(_ octets: some BidirectionalCollection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(octets.count + 16)
        // A fragment has no number sign of its own.
        var isInFragment = false
        var index = octets.startIndex
        while index < octets.endIndex {
            let octet = octets[index]
            let next = octets.index(after: index)
            switch octet {
            case 0x23:
                if isInFragment { append(octet, to: &result) } else { result.append(octet) }
                isInFragment = true
            case 0x25:
                let pair = octets[next...].prefix(2)
                if pair.count == 2 && pair.allSatisfy(isHexadecimal) {
                    result.append(octet)
                } else {
                    append(octet, to: &result)
                }
            default:
                if isLegal(octet) { result.append(octet) } else { append(octet, to: &result) }
            }
            index = next
        }
        return result
    }

    /// Percent-encodes everything but the unreserved characters, for a name or value of a query.
    static func encodingReserved(_ text: String, into result: inout [UInt8]) {
        for octet in text.utf8 {
            if isUnreserved(octet) { result.append(octet) } else { append(octet, to: &result) }
        }
    }

    /// Whether the octet may stand in a path, query or fragment by itself: pchar, `/` and `?` (section 3.3).
    static func isLegal(_ octet: UInt8) -> Bool {
        switch octet {
        // ! $ & ' ( ) * + , ; = (sub-delims), : @ / ?
        case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D, 0x3A, 0x40, 0x2F, 0x3F: true
        default: isUnreserved(octet)
        }
    }

    /// Letters, digits, `-`, `.`, `_` and `~` (section 2.3).
    static func isUnreserved(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    static func isHexadecimal(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    static func isLetter(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x61...0x7A, 0x41...0x5A: true
        default: false
        }
    }

    static func isDigit(_ octet: UInt8) -> Bool { octet >= 0x30 && octet <= 0x39 }

    private static func append(_ octet: UInt8, to result: inout [UInt8]) {
        result.append(0x25)
        result.append(digit(octet >> 4))
        result.append(digit(octet & 0xF))
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
