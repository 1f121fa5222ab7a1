import BelayCertificates
import Testing

@Suite("DER reader: X.690 by hand")
struct DERReaderTests {
    /// The failure of reading something from bytes.
    private func failure<Value>(
        _ bytes: [UInt8], _ read: (inout DERReader) throws(DERError) -> Value
    ) -> DERError? {
        var reader = DERReader(bytes)
        do throws(DERError) {
            _ = try read(&reader)
            try reader.finish()
            return nil
        } catch {
            return error
        }
    }

    private func failure(_ bytes: [UInt8], _ tag: DERTag) -> DERError? {
        failure(bytes) { reader throws(DERError) in try reader.read(tag) }
    }

    @Test("lengths are read in their shortest form and no other")
    func lengths() throws {
        for count in [0, 1, 127, 128, 255, 256, 65_535, 65_536] {
            let bytes = DERWriter.element(.octetString, [UInt8](repeating: 7, count: count))
            var reader = DERReader(bytes)
            let contents = try reader.read(.octetString)
            #expect(contents.count == count)
            #expect(contents.upperBound == bytes.count)
            #expect(reader.isAtEnd)
        }
        #expect(DERWriter.element(.octetString, [UInt8](repeating: 0, count: 128)).prefix(3) == [4, 0x81, 0x80])
        let expectations: [([UInt8], DERError.Reason, Int)] = [
            ([], .missing(.octetString), 0), ([4], .truncated, 1), ([4, 1], .truncated, 0),
            ([4, 0x80], .indefiniteLength, 1),
            ([4, 0x80, 0, 0], .indefiniteLength, 1), ([4, 0x81, 0x7F], .nonMinimalLength, 1),
            ([4, 0x81, 0], .nonMinimalLength, 1), ([4, 0x82, 0, 0x80], .nonMinimalLength, 1),
            ([4, 0x82, 0, 0xFF], .nonMinimalLength, 1), ([4, 0x83, 0, 1, 0], .nonMinimalLength, 1),
            ([4, 0x85, 0, 0, 0, 0, 1], .lengthTooLarge, 1), ([4, 0xFF], .lengthTooLarge, 1),
            ([4, 0x82, 1], .truncated, 2),
            ([4, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], .truncated, 0), ([4, 0x84, 0x7F, 0xFF, 0xFF, 0xFF], .truncated, 0),
            ([5, 0], .unexpectedTag(expected: .octetString, found: 5), 0), ([4, 0, 0], .trailingData, 2),
        ]
        for (bytes, reason, offset) in expectations {
            #expect(failure(bytes, .octetString) == DERError(reason, at: offset), "\(bytes)")
        }
        #expect(
            failure([0x1F, 0x20, 0]) { reader throws(DERError) in try reader.readAny() }
                == DERError(.highTagNumber, at: 0))
        #expect(
            failure([0xBF, 0x20, 0]) { reader throws(DERError) in try reader.readAny() }
                == DERError(.highTagNumber, at: 0))
        #expect(failure([]) { reader throws(DERError) in try reader.readAny() } == DERError(.truncated, at: 0))
    }

    @Test("an element inside another cannot reach beyond it, and must be consumed")
    func enclosing() throws {
        var reader = DERReader([0x30, 3, 2, 2, 1, 9])
        let outer = try reader.enter(.sequence)
        #expect(throws: DERError(.truncated, at: 2)) { try reader.readInteger() }
        reader = DERReader([0x30, 6, 2, 1, 1, 2, 1, 2])
        let sequence = try reader.enter(.sequence)
        _ = try reader.readInteger()
        #expect(throws: DERError(.trailingData, at: 5)) { try reader.leave(sequence) }
        _ = try reader.readInteger()
        #expect(throws: DERError(.missing(.integer), at: 8)) { try reader.readInteger() }
        try reader.leave(sequence)
        try reader.finish()
        _ = outer
        // Offsets count from the start of the bytes, also in a part of them; a part beyond them is cut.
        var part = DERReader([9, 9, 9, 5, 1, 0], in: 3..<6)
        #expect(throws: DERError(.invalidNull, at: 5)) { try part.readNull() }
        let empty = DERReader([5, 0], in: 7..<9)
        #expect(empty.isAtEnd && empty.position == 2)
    }

    @Test("a BOOLEAN is 00 or FF, and a default is not written out")
    func booleans() {
        let read = { (reader: inout DERReader) throws(DERError) in try reader.readBoolean() }
        #expect(failure([1, 1, 0xFF], read) == nil)
        #expect(failure([1, 1, 0], read) == nil)
        #expect(failure([1, 1, 1], read) == DERError(.invalidBoolean(1), at: 2))
        #expect(failure([1, 0], read)?.offset == 2)
        #expect(failure([1, 2, 0xFF, 0xFF], read)?.offset == 2)
        let optional = { (reader: inout DERReader) throws(DERError) in try reader.readBooleanDefaultFalse() }
        #expect(failure([], optional) == nil)
        #expect(failure([1, 1, 0xFF], optional) == nil)
        #expect(failure([1, 1, 0], optional) == DERError(.defaultEncoded, at: 0))
    }

    @Test("an INTEGER is in its shortest form and in the range of its field")
    func integers() throws {
        let read = { (reader: inout DERReader) throws(DERError) in try reader.readInteger() }
        for good: [UInt8] in [[2, 1, 0], [2, 1, 0x7F], [2, 2, 0, 0x80], [2, 1, 0x80], [2, 2, 0xFF, 0x7F]] {
            #expect(failure(good, read) == nil)
        }
        for bad: [UInt8] in [[2, 0], [2, 2, 0, 0x7F], [2, 2, 0xFF, 0x80], [2, 3, 0, 0, 0x80]] {
            #expect(failure(bad, read) == DERError(.nonMinimalInteger, at: 2), "\(bad)")
        }
        func small(_ bytes: [UInt8], upTo limit: Int) throws(DERError) -> Int {
            var reader = DERReader(bytes)
            return try reader.readSmallInteger(upTo: limit)
        }
        #expect(try small([2, 1, 0], upTo: 0) == 0)
        #expect(try small([2, 2, 1, 0], upTo: 256) == 256)
        #expect(throws: DERError(.integerOutOfRange, at: 2)) { try small([2, 2, 1, 1], upTo: 256) }
        #expect(throws: DERError(.integerOutOfRange, at: 2)) { try small([2, 1, 0xFF], upTo: 256) }
        #expect(try small([2, 5, 0, 0xFF, 0xFF, 0xFF, 0xFF], upTo: 0xFFFF_FFFF) == 0xFFFF_FFFF)
        #expect(throws: DERError(.integerOutOfRange, at: 2)) {
            try small([2, 9, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], upTo: Int.max)
        }
    }

    @Test("a BIT STRING has at most seven unused bits, all zero")
    func bitStrings() throws {
        let read = { (reader: inout DERReader) throws(DERError) in try reader.readBitString() }
        for good: [UInt8] in [[3, 1, 0], [3, 2, 0, 0xFF], [3, 2, 7, 0x80], [3, 2, 1, 0xFE], [3, 2, 3, 0]] {
            #expect(failure(good, read) == nil, "\(good)")
        }
        for bad: [UInt8] in [[3, 0], [3, 1, 1], [3, 2, 8, 0], [3, 2, 7, 0xC0], [3, 2, 1, 1], [3, 2, 255, 0]] {
            #expect(failure(bad, read) == DERError(.invalidBitString, at: 2), "\(bad)")
        }
        let aligned = { (reader: inout DERReader) throws(DERError) in try reader.readOctetAlignedBitString() }
        #expect(failure([3, 2, 0, 0xFF], aligned) == nil)
        #expect(failure([3, 2, 1, 0xFE], aligned) == DERError(.invalidBitString, at: 0))
    }

    @Test("named bits are counted from the front, without zeros at the end")
    func namedBits() throws {
        func bits(_ bytes: [UInt8]) throws(DERError) -> UInt16 {
            var reader = DERReader(bytes)
            return try reader.readNamedBits()
        }
        #expect(try bits([3, 1, 0]) == 0)
        // digitalSignature and keyEncipherment: bits 0 and 2.
        #expect(try bits([3, 2, 5, 0xA0]) == 0xA000)
        // decipherOnly: bit 8.
        #expect(try bits([3, 3, 7, 0, 0x80]) == 0x0080)
        for bad: [UInt8] in [
            [3, 2, 0, 0xA0], [3, 2, 4, 0xA0], [3, 3, 7, 0xA0, 0], [3, 2, 7, 0], [3, 4, 0, 1, 1, 1],
        ] {
            #expect(throws: DERError(.invalidBitString, at: 0), "\(bad)") { try bits(bad) }
        }
        for bits: UInt16 in [0, 0x8000, 0xA000, 0x0600, 0x0080, 0xFF80] {
            var reader = DERReader(DERWriter.namedBits(bits))
            #expect(try reader.readNamedBits() == bits)
        }
    }

    @Test("a NULL is empty")
    func null() {
        let read = { (reader: inout DERReader) throws(DERError) in try reader.readNull() }
        #expect(failure([5, 0], read) == nil)
        #expect(failure([5, 1, 0], read) == DERError(.invalidNull, at: 2))
    }

    @Test("every failure is a sentence with its offset")
    func descriptions() {
        #expect(DERError(.truncated, at: 7).description == "the data end inside an element at byte 7")
        #expect(
            DERError(.unexpectedTag(expected: .sequence, found: 0xA3), at: 0).description
                == "expected SEQUENCE, found [3] at byte 0")
        #expect(DERError(.missing(.contextPrimitive(1)), at: 4).description == "[1] IMPLICIT is missing at byte 4")
        #expect(DERError(.invalidBoolean(1), at: 2).description.contains("0x01"))
    }
}

@Suite("Object identifiers")
struct OIDTests {
    @Test(
        "dotted form and octets are two spellings of one thing",
        arguments: [
            ("1.2.840.113549.1.1.11", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 0x0B]),
            ("2.5.29.15", [0x55, 0x1D, 0x0F]),
            ("0.0", [0]), ("0.39", [39]), ("1.0", [40]), ("1.39", [79]), ("2.0", [80]), ("2.39", [119]),
            ("2.40", [120]),
            ("2.47", [127]), ("2.48", [0x81, 0]), ("2.999.3", [0x88, 0x37, 3]), ("1.3.127", [0x2B, 0x7F]),
            ("1.3.128", [0x2B, 0x81, 0]), ("1.3.16383", [0x2B, 0xFF, 0x7F]), ("1.3.16384", [0x2B, 0x81, 0x80, 0]),
            (
                "1.3.18446744073709551615",
                [0x2B, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
            ),
        ] as [(String, [UInt8])])
    func spellings(dotted: String, octets: [UInt8]) throws {
        let identifier = try #require(OID(dotted: dotted))
        #expect(identifier.octets == octets)
        #expect(identifier.description == dotted)
    }

    @Test(
        "what is none is refused",
        arguments: [
            "", "1", "1.", ".1", "3.1", "0.40", "1.40", "1.2.", "1..2", "1.2.-3", "1.2.+3", "a.b",
            "1.2.18446744073709551616", " 1.2", "2.18446744073709551615",
        ])
    func refused(dotted: String) {
        #expect(OID(dotted: dotted) == nil)
    }

    @Test("octets that are empty, not minimal or unterminated are refused where they go wrong")
    func malformedOctets() {
        func offset(_ octets: [UInt8]) -> Int? {
            var reader = DERReader(DERWriter.element(.objectIdentifier, octets))
            do throws(DERError) {
                _ = try reader.readObjectIdentifier()
                return nil
            } catch {
                #expect(error.reason == .invalidObjectIdentifier)
                return error.offset
            }
        }
        #expect(offset([0x2A]) == nil)
        #expect(offset([]) == 2)
        #expect(offset([0x2A, 0x86]) == 2)
        #expect(offset([0x80, 1]) == 2)
        #expect(offset([0x2A, 0x80, 1]) == 3)
    }

    @Test("an arc beyond 64 bits is printed as a question mark, the others as they are")
    func hugeArc() throws {
        // 2^64 under 1.3, then 5.
        let octets: [UInt8] = [0x2B, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 5]
        let extensionDER = DERWriter.sequence(
            DERWriter.element(.objectIdentifier, octets), DERWriter.element(.utf8String, [0x61]))
        let name = try DistinguishedName(der: DERWriter.sequence(DERWriter.set(of: [extensionDER])))
        #expect(name.relativeNames[0][0].type.description == "1.3.?.5")
    }
}
