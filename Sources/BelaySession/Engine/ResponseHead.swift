/// The head of a response while it comes.
///
/// One value, so that a line costs its transfer one check for exclusive access and not one for each part.
struct ResponseHead {
    /// The lines of the last header block, without the status line; then those of the trailer.
    private(set) var fields = HeaderBlock()
    /// The newest status line, where somebody wants to know.
    private(set) var statusLine: [UInt8] = []
    /// Why the newest line ended the exchange; nil where it did not.
    private(set) var fault: TransferFailure?
    private var check = ResponseHeadCheck()
    private var byteCount = 0
    private var informationalCount = 0

    /// Whether the empty line that ends the head has come.
    var isComplete: Bool { check.isComplete }

    /// What comes of a line.
    enum Step {
        case goesOn
        /// The head is over.
        case ends
        /// See ``ResponseHead/fault``.
        case fails
    }

    /// Takes the next line, its end included.
    mutating func take(_ line: UnsafeRawBufferPointer, within limits: TransferLimits, keepsStatusLine: Bool) -> Step {
        byteCount += line.count
        guard byteCount <= limits.headers else { return fail(.headersTooLarge(limit: limits.headers)) }
        if let wrong = check.take(line) {
            return fail(.malformed("the head of the response cannot be right: \(wrong)"))
        }
        if line.count > 5, ResponseHeadCheck.isStatusLine(line) {
            // Another header block: the one before it was informational, or asked for a password.
            if fields.isEmpty { fields.reserveUsual() } else { fields.removeAll() }
            if keepsStatusLine { statusLine = Array(Self.withoutLineEnd(line)) }
            if line.count > 12,
                line[9] == UInt8(ascii: "1") || line[7] == UInt8(ascii: "1") && line[6] == UInt8(ascii: " ")
            {
                informationalCount += 1
                guard informationalCount <= limits.informational else {
                    return fail(.tooManyInformational(limit: limits.informational))
                }
            }
            return .goesOn
        }
        let content = Self.withoutLineEnd(line)
        if content.isEmpty { return .ends }
        fields.append(content)
        return .goesOn
    }

    private mutating func fail(_ failure: TransferFailure) -> Step {
        fault = failure
        return .fails
    }

    private static func withoutLineEnd(_ line: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt8> {
        var end = line.count
        while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
        return UnsafeBufferPointer(rebasing: line.bindMemory(to: UInt8.self)[..<end])
    }
}
