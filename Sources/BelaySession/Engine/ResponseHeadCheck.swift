/// Looks at the lines of a response's head for faults that libcurl lets pass: which content ends where would be anybody's guess.
struct ResponseHeadCheck {
    /// Whether the empty line that ends the head has come.
    private(set) var isComplete = false
    private var length: Int64?

    private static let statusLineStart = Array("HTTP/".utf8)
    private static let lengthName = Array("content-length".utf8)

    /// Takes the next line, its end included; says what is wrong with it.
    mutating func take(_ line: UnsafeRawBufferPointer) -> String? {
        if line.starts(with: ResponseHeadCheck.statusLineStart) {
            isComplete = false
            length = nil
            let status = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
            // RFC 9110, section 15.2.2: only a client that asked for another protocol may be answered so.
            if status.elementsEqual("101".utf8) { return "it switches to another protocol, which nobody asked for" }
            return nil
        }
        // What comes after the content is a trailer, and says nothing about it.
        if isComplete { return nil }
        if line.first == 0x0D || line.first == 0x0A {
            isComplete = true
            return nil
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line[..<colon].trimmed()
        guard name.count == ResponseHeadCheck.lengthName.count,
            zip(name, ResponseHeadCheck.lengthName).allSatisfy({ $0 | 0x20 == $1 })
        else { return nil }
        // A list of equal lengths is as good as one (RFC 9110, section 8.6).
        for part in line[(colon + 1)...].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let digits = part.trimmed()
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let value = Int64(String(decoding: digits, as: UTF8.self))
            else { return "its length is no number" }
            if let length, length != value { return "it has two lengths, \(length) and \(value)" }
            length = value
        }
        return nil
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Without the white space around.
    fileprivate func trimmed() -> Self {
        var rest = self
        while let first = rest.first, first == 0x20 || (0x09...0x0D).contains(first) { rest = rest.dropFirst() }
        while let last = rest.last, last == 0x20 || (0x09...0x0D).contains(last) { rest = rest.dropLast() }
        return rest
    }
}
