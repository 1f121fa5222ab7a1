/// Lines and columns of places in UTF-8 text that are asked for in rising order, in time that grows with the text only.
struct TextPlaces {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var column = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A mark of the byte order is no character of the first line.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The place of a byte. One before a place that was told already has that one's line.
    mutating func place(ofByte offset: Int) -> PlistPosition {
        while position < min(offset, bytes.count) {
            let unit = bytes[position]
            // CR LF is one end of a line.
            let endsLine =
                unit == 0x0A || (unit == 0x0D && (position + 1 >= bytes.count || bytes[position + 1] != 0x0A))
            if endsLine {
                line += 1
                column = 1
            } else if unit & 0xC0 != 0x80 {
                // Characters, not bytes: continuations do not count.
                column += 1
            }
            position += 1
        }
        return PlistPosition(line: line, column: column, offset: offset)
    }
}
