extension DERReader {
    /// Reads a BOOLEAN (X.690, 11.1).
    public mutating func readBoolean() throws(DERError) -> Bool {
        let contents = try read(.boolean)
        guard contents.count == 1 else { throw DERError(.invalidBoolean(0), at: contents.lowerBound) }
        switch bytes[contents.lowerBound] {
        case 0x00: return false
        case 0xFF: return true
        case let other: throw DERError(.invalidBoolean(other), at: contents.lowerBound)
        }
    }

    /// Reads a BOOLEAN DEFAULT FALSE: absent means false, and false may not be written out (X.690, 11.5).
    @inline(__always)
    public mutating func readBooleanDefaultFalse() throws(DERError) -> Bool {
        guard next(is: .boolean) else { return false }
        let start = position
        guard try readBoolean() else { throw DERError(.defaultEncoded, at: start) }
        return true
    }

    /// Reads an INTEGER of any size; returns the range of its two's-complement octets, which is never empty.
    @inline(__always)
    public mutating func readInteger(_ tag: DERTag = .integer) throws(DERError) -> Range<Int> {
        let contents = try read(tag)
        let start = contents.lowerBound
        guard !contents.isEmpty else { throw DERError(.nonMinimalInteger, at: start) }
        if contents.count > 1 {
            let first = bytes[start]
            let signBit = bytes[start &+ 1] & 0x80
            if (first == 0x00 && signBit == 0) || (first == 0xFF && signBit != 0) {
                throw DERError(.nonMinimalInteger, at: start)
            }
        }
        return contents
    }

    /// Reads an INTEGER from 0 to `limit`.
    public mutating func readSmallInteger(
        upTo limit: Int = Int(Int32.max), _ tag: DERTag = .integer
    ) throws(DERError) -> Int {
        let contents = try readInteger(tag)
        guard bytes[contents.lowerBound] & 0x80 == 0, contents.count <= 5 else {
            throw DERError(.integerOutOfRange, at: contents.lowerBound)
        }
        var value = 0
        for index in contents { value = value << 8 | Int(bytes[index]) }
        guard value <= limit else { throw DERError(.integerOutOfRange, at: contents.lowerBound) }
        return value
    }

    /// Reads an OBJECT IDENTIFIER; returns the range of its octets, checked for form (X.690, 8.19).
    @inline(__always)
    public mutating func readObjectIdentifier(_ tag: DERTag = .objectIdentifier) throws(DERError) -> Range<Int> {
        let contents = try read(tag)
        guard !contents.isEmpty, bytes[contents.upperBound &- 1] & 0x80 == 0 else {
            throw DERError(.invalidObjectIdentifier, at: contents.lowerBound)
        }
        var startsArc = true
        for index in contents {
            let byte = bytes[index]
            if startsArc && byte == 0x80 { throw DERError(.invalidObjectIdentifier, at: index) }
            startsArc = byte & 0x80 == 0
        }
        return contents
    }

    /// Reads a BIT STRING; returns the range of its octets and how many bits of the last are unused (X.690, 11.2).
    @inline(__always)
    public mutating func readBitString(
        _ tag: DERTag = .bitString
    ) throws(DERError) -> (contents: Range<Int>, unusedBits: UInt8) {
        let contents = try read(tag)
        guard !contents.isEmpty else { throw DERError(.invalidBitString, at: contents.lowerBound) }
        let unused = bytes[contents.lowerBound]
        let octets = (contents.lowerBound &+ 1)..<contents.upperBound
        if unused != 0 {
            guard unused < 8, let last = octets.last, bytes[last] & ((1 << unused) - 1) == 0 else {
                throw DERError(.invalidBitString, at: contents.lowerBound)
            }
        }
        return (octets, unused)
    }

    /// Reads a BIT STRING that must be a whole number of octets, as keys and signatures are.
    @inline(__always)
    public mutating func readOctetAlignedBitString() throws(DERError) -> Range<Int> {
        let start = position
        let (octets, unused) = try readBitString()
        guard unused == 0 else { throw DERError(.invalidBitString, at: start) }
        return octets
    }

    /// Reads a named bit list: bit 0 is the most significant bit of the first octet. At most 16 bits are returned.
    ///
    /// DER demands that trailing zero bits are removed (X.690, 11.2.2).
    public mutating func readNamedBits(_ tag: DERTag = .bitString) throws(DERError) -> UInt16 {
        let start = position
        let (octets, unused) = try readBitString(tag)
        guard let last = octets.last else { return 0 }
        guard octets.count <= 2 else { throw DERError(.invalidBitString, at: start) }
        guard bytes[last] & (1 << unused) != 0 else { throw DERError(.invalidBitString, at: start) }
        var bits = UInt16(bytes[octets.lowerBound]) << 8
        if octets.count == 2 { bits |= UInt16(bytes[last]) }
        return bits
    }

    /// Reads a NULL.
    public mutating func readNull() throws(DERError) {
        let contents = try read(.null)
        guard contents.isEmpty else { throw DERError(.invalidNull, at: contents.lowerBound) }
    }

    /// Reads a time in the forms of RFC 5280, section 4.1.2.5: UTCTime or GeneralizedTime with seconds and `Z`.
    ///
    /// That section also wants years before 2050 as UTCTime. A root in every browser's store does not have them so (Certum
    /// Trusted Network CA 2), and the moment is clear in either form.
    ///
    /// Returns seconds since 1970-01-01T00:00:00Z.
    @inline(__always)
    public mutating func readTime() throws(DERError) -> Int64 {
        let isUTC = next(is: .utcTime)
        let start = position
        let contents = try read(isUTC ? .utcTime : .generalizedTime)
        let yearDigits = isUTC ? 2 : 4
        guard contents.count == yearDigits &+ 11, bytes[contents.upperBound &- 1] == 0x5A else {
            throw DERError(.invalidTime, at: start)
        }
        var cursor = contents.lowerBound
        var year = 0
        if !isUTC {
            year = try readTwoDigits(at: &cursor) &* 100
        }
        year &+= try readTwoDigits(at: &cursor)
        if isUTC {
            year &+= year < 50 ? 2000 : 1900
        }
        let month = try readTwoDigits(at: &cursor)
        let day = try readTwoDigits(at: &cursor)
        let hour = try readTwoDigits(at: &cursor)
        let minute = try readTwoDigits(at: &cursor)
        let second = try readTwoDigits(at: &cursor)
        guard month >= 1, month <= 12, day >= 1, day <= CivilTime.days(inMonth: month, ofYear: year),
            hour < 24, minute < 60, second < 60
        else {
            throw DERError(.invalidTime, at: start)
        }
        return CivilTime.seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    @inline(__always)
    private func readTwoDigits(at cursor: inout Int) throws(DERError) -> Int {
        let tens = bytes[cursor] &- 0x30
        let ones = bytes[cursor &+ 1] &- 0x30
        guard tens <= 9, ones <= 9 else { throw DERError(.invalidTime, at: cursor) }
        cursor &+= 2
        return Int(tens) &* 10 &+ Int(ones)
    }
}
