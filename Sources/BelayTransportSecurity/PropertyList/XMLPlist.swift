import BelayCertificates

/// The XML form (Apple's PropertyList-1.0 document type).
enum XMLPlist {
    static func read(_ bytes: [UInt8], _ limits: PlistLimits) throws(PlistError) -> PlistNode {
        let builder = XMLPlistBuilder(bytes, limits)
        let parser = XMLPushParser(events: builder)
        let failure = parser.parse(bytes)
        if let fault = builder.fault { throw fault }
        if let failure { throw builder.error(failure) }
        guard let root = builder.root else {
            throw PlistError(.malformed(found: "no value", expected: "one value in <plist>"), in: .xml)
        }
        return root
    }
}

/// Puts values together as elements begin and end.
private final class XMLPlistBuilder: XMLEvents {
    private(set) var root: PlistNode?
    /// The first thing that was wrong; the parser is stopped then.
    private(set) var fault: PlistError?
    /// Whether there is one: asked at every event, where to look at the error itself would copy it.
    private var isStopped = false

    private let bytes: [UInt8]
    private let limits: PlistLimits
    private var places: TextPlaces
    private var open: [Element] = []
    private var valueCount = 0
    private var hasPlist = false

    /// An element that has begun and not ended.
    private struct Element {
        let kind: Kind
        let position: PlistPosition
        var text: [UInt8] = []
        var members: [PlistMember] = []
        var elements: [PlistNode] = []
        /// Of a dictionary: the key whose value comes next.
        var key: (text: String, position: PlistPosition, range: Range<Int>?)?
    }

    private enum Kind: String {
        case plist, dict, array, key, string, integer, real, date, data
        case yes = "true"
        case no = "false"

        var holdsText: Bool {
            switch self {
            case .key, .string, .integer, .real, .date, .data: true
            case .plist, .dict, .array, .yes, .no: false
            }
        }
    }

    init(_ bytes: [UInt8], _ limits: PlistLimits) {
        self.bytes = bytes
        self.limits = limits
        places = TextPlaces(bytes)
    }

    // MARK: Events

    func start(_ name: String, prefix: String?, at parser: XMLPushParser) {
        guard !isStopped else { return }
        let position = startPosition(parser)
        guard prefix == nil, let kind = Kind(rawValue: name) else {
            let name = (prefix.map { "\($0):" } ?? "") + name
            return fail(found: "<\(name)>", expected: "an element of property lists", position, parser)
        }
        guard open.count < limits.depth else {
            return fail(PlistError(.tooDeep(limit: limits.depth), in: .xml, at: position), parser)
        }
        if let expected = misplaced(kind) { return fail(found: "<\(name)>", expected: expected, position, parser) }
        if kind == .plist { hasPlist = true }
        open.append(Element(kind: kind, position: position))
    }

    /// What would have been right here; nil where the element is.
    private func misplaced(_ kind: Kind) -> String? {
        guard let parent = open.last else {
            return root != nil ? "the end" : kind == .key ? "a value" : nil
        }
        if kind == .plist { return "a value" }
        switch parent.kind {
        case .plist: return root != nil ? "</plist>, since there is a value already" : kind == .key ? "a value" : nil
        case .array: return kind == .key ? "a value or </array>" : nil
        case .dict:
            if parent.key == nil { return kind == .key ? nil : "<key> or </dict>" }
            return kind == .key ? "a value for the key '\(parent.key?.text ?? "")'" : nil
        default: return "</\(parent.kind.rawValue)>"
        }
    }

    func text(_ units: UnsafeBufferPointer<UInt8>, at parser: XMLPushParser) {
        guard !isStopped, let index = open.indices.last else { return }
        if open[index].kind.holdsText {
            open[index].text.append(contentsOf: units)
        } else if !units.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) {
            fail(
                found: "text in <\(open[index].kind.rawValue)>", expected: "elements only", endPosition(parser), parser)
        }
    }

    func entity(_ name: String, at parser: XMLPushParser) {
        guard !isStopped else { return }
        fail(PlistError(.entity(name), in: .xml, at: endPosition(parser)), parser)
    }

    func end(at parser: XMLPushParser) {
        guard !isStopped, let element = open.popLast() else { return }
        let end = endOfTag(parser)
        let range = element.position.offset.flatMap { start in end.offset.map { start..<max(start, $0) } }
        let text = String(decoding: element.text, as: UTF8.self)
        switch element.kind {
        case .plist:
            if root == nil { fail(found: "</plist>", expected: "a value in <plist>", element.position, parser) }
        case .key:
            guard let index = open.indices.last else { return }
            open[index].key = (text, element.position, range)
        default:
            guard let value = value(of: element, text, parser) else { return }
            valueCount += 1
            guard valueCount <= limits.values else {
                return fail(
                    PlistError(.tooManyValues(limit: limits.values), in: .xml, at: element.position), parser)
            }
            take(PlistNode(value, position: element.position, range: range, endLine: end.line))
        }
    }

    private func take(_ node: PlistNode) {
        guard let index = open.indices.last, open[index].kind != .plist else {
            root = node
            return
        }
        if open[index].kind == .array {
            open[index].elements.append(node)
        } else if let key = open[index].key {
            open[index].members.append(
                PlistMember(key: key.text, keyPosition: key.position, keyRange: key.range, node: node))
            open[index].key = nil
        }
    }

    // MARK: Values

    private func value(of element: Element, _ text: String, _ parser: XMLPushParser) -> PlistNode.Value? {
        switch element.kind {
        case .dict:
            if let key = element.key {
                fail(found: "</dict>", expected: "a value for the key '\(key.text)'", key.position, parser)
                return nil
            }
            return .dictionary(element.members)
        case .array: return .array(element.elements)
        case .string: return .string(text)
        case .yes: return .boolean(true)
        case .no: return .boolean(false)
        case .date: return .date(text)
        case .integer:
            if let number = Self.integer(text) { return .integer(number) }
            fail(found: "<integer>\(text)", expected: "a whole number of 64 bits", element.position, parser)
        case .real:
            if let number = Self.real(text) { return .real(number) }
            fail(found: "<real>\(text)", expected: "a number", element.position, parser)
        case .data:
            let units = element.text.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
            if let bytes = Base64.decode(units, in: 0..<units.count, skippingWhitespace: false) { return .data(bytes) }
            fail(found: "<data> that is not base64", expected: "base64", element.position, parser)
        case .plist, .key: break
        }
        return nil
    }

    /// Decimal or, after `0x`, hexadecimal, with a sign perhaps; white space around it is passed over.
    private static func integer(_ text: String) -> Int64? {
        let trimmed = trimmed(text)
        let isNegative = trimmed.hasPrefix("-")
        let digits = trimmed.hasPrefix("-") || trimmed.hasPrefix("+") ? trimmed.dropFirst() : trimmed
        guard let first = digits.utf8.first, first >= 0x30, first <= 0x39 else { return nil }
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let sign = isNegative ? "-" : ""
        return isHexadecimal ? Int64(sign + digits.dropFirst(2), radix: 16) : Int64(sign + digits)
    }

    private static func real(_ text: String) -> Double? {
        let trimmed = trimmed(text).lowercased()
        switch trimmed {
        case "nan": return .nan
        case "+infinity", "infinity", "+inf", "inf": return .infinity
        case "-infinity", "-inf": return -.infinity
        default:
            // Only what people write as a number: Double also reads hexadecimal.
            guard !trimmed.isEmpty, trimmed.utf8.allSatisfy({ "0123456789+-.e".utf8.contains($0) }) else { return nil }
            return Double(trimmed)
        }
    }

    private static func trimmed(_ text: String) -> Substring {
        var rest = text[...]
        while let unit = rest.first, unit.isWhitespace { rest = rest.dropFirst() }
        while let unit = rest.last, unit.isWhitespace { rest = rest.dropLast() }
        return rest
    }

    // MARK: Places and faults

    /// What the parser refused.
    func error(_ failure: XMLFault) -> PlistError {
        let position = PlistPosition(line: failure.line)
        if case .encoding(let problem) = failure.reason {
            return PlistError(.encoding(problem), in: .xml, at: position)
        }
        let (found, expected) = failure.words(open: open.last.map { ($0.kind.rawValue, $0.position.line) })
        return PlistError(.malformed(found: found, expected: expected), in: .xml, at: position)
    }

    /// Where the start tag begins that is being met.
    private func startPosition(_ parser: XMLPushParser) -> PlistPosition {
        guard parser.isUTF8 else { return PlistPosition(line: parser.line) }
        return places.place(ofByte: parser.offset)
    }

    /// The place behind the end tag that is being met.
    private func endOfTag(_ parser: XMLPushParser) -> PlistPosition {
        let (start, end) = (parser.offset, parser.endOffset)
        guard !parser.isUTF8 else { return places.place(ofByte: end) }
        // White space alone can have line ends in an end tag.
        return PlistPosition(line: parser.line + bytes[start..<end].count { $0 == 0x0A })
    }

    private func endPosition(_ parser: XMLPushParser) -> PlistPosition { PlistPosition(line: parser.line) }

    private func fail(found: String, expected: String, _ position: PlistPosition, _ parser: XMLPushParser) {
        fail(PlistError(.malformed(found: found, expected: expected), in: .xml, at: position), parser)
    }

    private func fail(_ error: PlistError, _ parser: XMLPushParser) {
        fault = error
        isStopped = true
        parser.stop()
    }
}
