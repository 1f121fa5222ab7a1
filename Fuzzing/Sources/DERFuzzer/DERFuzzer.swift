import BelayCertificates
import FuzzingSupport

/// What the reader accepts is DER, and DER has one encoding for each value: writing what was read gives the input again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDER(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    var reader = DERReader(input)
    do throws(DERError) {
        let written = try rewrite(&reader, depth: 0)
        try reader.finish()
        demand(written == input, "an accepted input has a second encoding")
    } catch {
        demand((0...input.count).contains(error.offset), "the offset \(error.offset) is outside the input")
        use(error.description)
    }
    return 0
}

/// Reads every element up to the end of the enclosing one, and writes each anew from what was understood.
private func rewrite(_ reader: inout DERReader, depth: Int) throws(DERError) -> [UInt8] {
    var written: [UInt8] = []
    while !reader.isAtEnd {
        guard let tag = reader.nextTag else { break }
        // Deeper than any real structure, and well within the stack of this process.
        if tag.isConstructed && depth < 64 {
            let enclosing = try reader.enter(tag)
            written += DERWriter.element(tag, try rewrite(&reader, depth: depth + 1))
            try reader.leave(enclosing)
        } else {
            written += try rewritePrimitive(&reader, tag)
        }
    }
    return written
}

private func rewritePrimitive(_ reader: inout DERReader, _ tag: DERTag) throws(DERError) -> [UInt8] {
    use(tag.description)
    var other = reader
    switch tag {
    case .boolean:
        return DERWriter.boolean(try reader.readBoolean())
    case .integer:
        let octets = reader.bytes[try reader.readInteger()]
        if let small = try? other.readSmallInteger() {
            demand(DERWriter.integer(small) == DERWriter.element(tag, octets), "a small integer is read wrong")
        }
        guard octets.first.map({ $0 & 0x80 == 0 }) ?? false else { return DERWriter.element(tag, octets) }
        return DERWriter.integer(octets)
    case .bitString:
        let (octets, unused) = try reader.readBitString()
        if let bits = try? other.readNamedBits() {
            demand(
                DERWriter.namedBits(bits) == DERWriter.element(tag, [unused] + octets.map { reader.bytes[$0] }),
                "a list of named bits is read wrong")
        }
        return unused == 0
            ? DERWriter.bitString(Array(reader.bytes[octets])) : DERWriter.element(tag, [unused] + reader.bytes[octets])
    case .null:
        try reader.readNull()
        return DERWriter.element(tag, [])
    case .objectIdentifier:
        let octets = Array(reader.bytes[try reader.readObjectIdentifier()])
        return DERWriter.element(tag, octets)
    case .utcTime, .generalizedTime:
        var copy = reader
        let seconds = try reader.readTime()
        let written = DERWriter.time(seconds)
        guard tag == .generalizedTime, written.first == DERTag.utcTime.rawValue else { return written }
        // A year before 2050 is read as GeneralizedTime too, and written as UTCTime: the moment must be the same.
        var again = DERReader(written)
        demand(try again.readTime() == seconds, "a time is read or written wrong")
        let contents = try copy.readAny().contents
        return DERWriter.element(tag, copy.bytes[contents])
    default:
        let (found, contents, element) = try reader.readAny()
        demand(found == tag && contents.upperBound == element.upperBound, "an element is torn")
        return DERWriter.element(tag, reader.bytes[contents])
    }
}
