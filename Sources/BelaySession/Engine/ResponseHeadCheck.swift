/// Looks at the lines of a response's head for faults that libcurl lets pass: which content ends where would be anybody's guess.
struct ResponseHeadCheck {
    /// Whether the empty line that ends the head has come.
    private(set) var isComplete = false
    private var length: Int64?
    /// Whether the line before was about the length.
    private var lengthCameLast = false

    private static let lengthName = Array("content-length".utf8)

    /// Takes the next line, its end included; says what is wrong with it.
    mutating func take(_ line: UnsafeRawBufferPointer) -> String? {
        if ResponseHeadCheck.isStatusLine(line) {
            isComplete = false
            length = nil
            // RFC 9110, section 15.2.2: only a client that asked for another protocol may be answered so.
            if let space = line.firstIndex(of: UInt8(ascii: " ")), line.count > space + 3,
                line[space + 1] == UInt8(ascii: "1"), line[space + 2] == UInt8(ascii: "0"),
                line[space + 3] == UInt8(ascii: "1")
            {
                return "it switches to another protocol, which nobody asked for"
            }
            return nil
        }
        // What comes after the content is a trailer, and says nothing about it.
        if isComplete { return nil }
        if line.first == 0x0D || line.first == 0x0A {
            isComplete = true
            return nil
        }
        if lengthCameLast {
            lengthCameLast = false
            // A line that goes on with the one before is read differently by everybody (RFC 9112, section 5.2).
            if line.first == 0x20 || line.first == 0x09 { return "its length goes on in a second line" }
        }
        guard ResponseHeadCheck.mayBeLength(line), let start = ResponseHeadCheck.startOfLength(line) else { return nil }
        lengthCameLast = true
        // A list of equal lengths is as good as one (RFC 9110, section 8.6).
        var position = start
        while true {
            guard let value = ResponseHeadCheck.number(line, &position) else { return "its length is no number" }
            if let length, length != value { return "it has two lengths, \(length) and \(value)" }
            length = value
            guard position < line.count else { return nil }
            guard line[position] == UInt8(ascii: ",") else { return "its length is no number" }
            position += 1
        }
    }

    /// Where the value begins, where the line's name is the length's, whatever its case and the white space around it.
    private static func startOfLength(_ line: UnsafeRawBufferPointer) -> Int? {
        var position = 0
        while position < line.count, line[position].isHeaderSpace { position += 1 }
        for letter in lengthName {
            guard position < line.count, line[position] | 0x20 == letter else { return nil }
            position += 1
        }
        while position < line.count, line[position].isHeaderSpace { position += 1 }
        return position < line.count && line[position] == UInt8(ascii: ":") ? position + 1 : nil
    }

    /// The digits at a position and the white space around them, which are passed over; nil where there are none, or too many.
    private static func number(_ line: UnsafeRawBufferPointer, _ position: inout Int) -> Int64? {
        while position < line.count, line[position].isHeaderSpace { position += 1 }
        let start = position
        var value: Int64 = 0
        while position < line.count, (0x30...0x39).contains(line[position]) {
            let (tens, isTooBig) = value.multipliedReportingOverflow(by: 10)
            let (sum, isMore) = tens.addingReportingOverflow(Int64(line[position] - 0x30))
            if isTooBig || isMore { return nil }
            value = sum
            position += 1
        }
        guard position > start else { return nil }
        while position < line.count, line[position].isHeaderSpace { position += 1 }
        return value
    }

    /// Whether a line starts as status lines do.
    static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count >= 5 && line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T") && line[2] == UInt8(ascii: "T")
            && line[3] == UInt8(ascii: "P") && line[4] == UInt8(ascii: "/")
    }

    /// Whether a look at two letters leaves it open that the line is about the length; most lines are not.
    private static func mayBeLength(_ line: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        while start < line.count, line[start].isHeaderSpace { start += 1 }
        return line.count - start > lengthName.count && line[start] | 0x20 == UInt8(ascii: "c")
            && line[start + 8] | 0x20 == UInt8(ascii: "l")
    }
}

extension UInt8 {
    /// Space and everything that C takes for white space.
    fileprivate var isHeaderSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
