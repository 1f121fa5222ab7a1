import CExpat

/// What an XML document is made of, as it is met.
protocol XMLEvents: AnyObject {
    /// An element begins.
    func start(_ name: String, prefix: String?, at parser: XMLPushParser)
    /// An element ends.
    func end(at parser: XMLPushParser)
    /// Text between tags; long ones come in parts.
    func text(_ units: UnsafeBufferPointer<UInt8>, at parser: XMLPushParser)
    /// An entity is declared, or one is used that XML does not define itself.
    func entity(_ name: String, at parser: XMLPushParser)
}

/// The only owner of one of Expat's parsers, which is freed when this object goes.
///
/// It loads nothing and expands nothing: no external subset, no entities, nothing from a network.
final class XMLPushParser {
    private let events: any XMLEvents
    private var parser: XML_Parser?
    /// How many bytes the document has.
    private var count = 0
    private var encoding: XMLEncoding
    /// What Expat is told that the encoding is, whatever the document says.
    private var encodingName: String?
    /// What this object refuses itself.
    private var fault: XMLFault.Reason?
    /// Whether the name of an entity comes next, which is being declared.
    private var declaresEntity = false

    /// A part of the document: large enough to be fast, small enough that a fault near the beginning ends the work soon.
    private static let pieceSize = 64 << 10
    /// The most bytes of a tag, a comment or anything else that Expat has to have whole.
    private static let markupLimit = 10_000_000

    init(events: any XMLEvents) {
        self.events = events
        encoding = XMLEncoding(firstBytes: [])
    }

    deinit { XML_ParserFree(parser) }

    /// The first byte of what is being met. An element that ends with its start tag ends behind it, in no bytes.
    var offset: Int { min(max(0, Int(XML_GetCurrentByteIndex(parser))), count) }

    /// The byte behind what is being met.
    var endOffset: Int { min(offset + max(0, Int(XML_GetCurrentByteCount(parser))), count) }

    /// The line, from 1, in which that begins.
    var line: Int { Int(clamping: XML_GetCurrentLineNumber(parser)) }

    /// Whether the document is in UTF-8, so that its bytes are those of its text.
    var isUTF8: Bool { encoding.isUTF8 }

    /// Ends the work: nothing more is parsed. (The end of an element that has begun may still be met.)
    func stop() { XML_StopParser(parser, XML_Bool(0)) }

    /// Parses a whole document.
    ///
    /// - Returns: what is wrong; nil where nothing is. Work that the consumer ended is never without a fault.
    func parse(_ bytes: [UInt8]) -> XMLFault? {
        count = bytes.count
        encoding = XMLEncoding(firstBytes: bytes.prefix(4))
        if let problem = encoding.problem { return XMLFault(reason: .encoding(problem), line: 1) }
        let end = feed(bytes, as: nil)
        // A name that Expat does not know for an encoding that it knows; nothing has been met but the declaration.
        guard let name = encoding.otherName, fault == nil else { return end }
        return feed(bytes, as: name)
    }

    private func feed(_ bytes: [UInt8], as encodingName: String?) -> XMLFault? {
        self.encodingName = encodingName
        XML_ParserFree(parser)
        parser = XML_ParserCreate(encodingName)
        guard let parser else { return XMLFault(reason: .code(XML_ERROR_NO_MEMORY), line: 0) }
        setHandlers()
        var sent = 0
        // Where the last event ended, or what is not yet whole began.
        var known = 0
        var isRefused = false
        bytes.withUnsafeBytes { buffer in
            repeat {
                let pending = sent - known
                guard pending <= Self.markupLimit else {
                    fault = .tooLong(limit: Self.markupLimit)
                    break
                }
                // What is not whole is looked at from its beginning again: as much again must be there by then.
                let size = max(Self.pieceSize, min(pending, Self.markupLimit - pending))
                let piece = UnsafeRawBufferPointer(rebasing: buffer[sent...].prefix(size))
                sent += piece.count
                let text = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
                isRefused = XML_Parse(parser, text, CInt(piece.count), sent == buffer.count ? 1 : 0) != XML_STATUS_OK
                known = max(known, Int(XML_GetCurrentByteIndex(parser)))
            } while !isRefused && sent < buffer.count
        }
        if let fault { return XMLFault(reason: fault, line: line) }
        guard isRefused else { return nil }
        return refusal(XML_GetErrorCode(parser), bytes)
    }

    /// What Expat's refusal means.
    private func refusal(_ code: XML_Error, _ bytes: [UInt8]) -> XMLFault {
        let start = offset
        // Of characters of two bytes those of ASCII: a message needs no more.
        func plain(_ part: ArraySlice<UInt8>) -> [UInt8] { encoding.isWide ? part.filter { $0 != 0 } : Array(part) }
        let ahead = plain(bytes[start...].prefix(4096))
        switch code {
        case XML_ERROR_UNDEFINED_ENTITY, XML_ERROR_ENTITY_DECLARED_IN_PE, XML_ERROR_RECURSIVE_ENTITY_REF,
            XML_ERROR_BINARY_ENTITY_REF, XML_ERROR_ATTRIBUTE_EXTERNAL_ENTITY_REF, XML_ERROR_PARAM_ENTITY_REF,
            XML_ERROR_EXTERNAL_ENTITY_HANDLING, XML_ERROR_ASYNC_ENTITY:
            // Of one in a start tag the tag is known.
            metEntity(XMLReference.firstUndefined(in: ahead) ?? XMLReference.name(ahead.dropFirst()))
            return XMLFault(reason: .code(code), line: line)
        case XML_ERROR_INCORRECT_ENCODING:
            return XMLFault(
                reason: .encoding("it is not in the encoding that it says; correct its first line"), line: line)
        case XML_ERROR_TAG_MISMATCH:
            let name = ahead.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") }
            return XMLFault(reason: .mismatch(String(decoding: name, as: UTF8.self)), line: line)
        case XML_ERROR_INVALID_TOKEN:
            let behind = plain(bytes[..<start].suffix(128))
            return XMLFault(reason: .invalid(ahead, behind: behind, isUTF8: isUTF8), line: line)
        default: return XMLFault(reason: .code(code), line: line)
        }
    }

    private func setHandlers() {
        // The callbacks run during calls of XML_Parse only, while this object lives.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { user, name, _ in XMLPushParser.of(user)?.metStart(name) },
            { user, _ in
                guard let parser = XMLPushParser.of(user) else { return }
                parser.events.end(at: parser)
            })
        XML_SetCharacterDataHandler(parser) { user, text, count in XMLPushParser.of(user)?.met(text, count) }
        XML_SetXmlDeclHandler(parser) { user, version, encoding, _ in
            XMLPushParser.of(user)?.metDeclaration(version, encoding)
        }
        XML_SetSkippedEntityHandler(parser) { user, name, _ in XMLPushParser.of(user)?.metEntity(string(name) ?? "") }
        // What may have any text in it and refers to nothing is passed over, and so kept from the handler of the rest.
        XML_SetCommentHandler(parser) { _, _ in }
        XML_SetProcessingInstructionHandler(parser) { _, _, _ in }
        XML_SetStartDoctypeDeclHandler(parser) { _, _, _, _, _ in }
        XML_SetNotationDeclHandler(parser) { _, _, _, _, _ in }
        // Entities, elements and attributes have no handlers of their own: their declarations come here, token by token.
        XML_SetDefaultHandler(parser) { user, text, count in XMLPushParser.of(user)?.metMarkup(text, count) }
    }

    /// The parser that a callback is for.
    private static func of(_ user: UnsafeMutableRawPointer?) -> XMLPushParser? {
        user.map { Unmanaged<XMLPushParser>.fromOpaque($0).takeUnretainedValue() }
    }

    private func metStart(_ fullName: UnsafePointer<XML_Char>?) {
        let name = string(fullName) ?? ""
        // Expat leaves out, without a word, entities in attributes that a document type elsewhere may declare.
        let bareTag = name.utf8.count + "</>".utf8.count
        if Int(XML_GetCurrentByteCount(parser)) > bareTag { XML_DefaultCurrent(parser) }
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return events.start(name, prefix: nil, at: self)
        }
        let local = String(name[name.utf8.index(after: colon)...])
        events.start(local, prefix: String(name[..<colon]), at: self)
    }

    private func met(_ text: UnsafePointer<XML_Char>?, _ count: CInt) {
        guard let text, count > 0 else { return }
        text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
            events.text(UnsafeBufferPointer(start: $0, count: Int(count)), at: self)
        }
    }

    private func metEntity(_ name: String) { events.entity(name, at: self) }

    /// A token of the document type, a start tag with more than a name, or white space.
    private func metMarkup(_ text: UnsafePointer<XML_Char>?, _ count: CInt) {
        let token = UnsafeRawBufferPointer(start: text, count: max(0, Int(count)))
        guard let first = token.first else { return }
        if declaresEntity {
            // White space and the % of a parameter entity come before the name.
            guard first > 0x20, first != UInt8(ascii: "%") else { return }
            declaresEntity = false
            metEntity(String(decoding: token.prefix(256), as: UTF8.self))
        } else if token.elementsEqual("<!ENTITY".utf8) {
            declaresEntity = true
        } else if first == UInt8(ascii: "%") {
            metEntity(XMLReference.name(token.dropFirst()))
        } else if let name = XMLReference.firstUndefined(in: token) {
            metEntity(name)
        }
    }

    private func metDeclaration(_ version: UnsafePointer<XML_Char>?, _ name: UnsafePointer<XML_Char>?) {
        let version = string(version) ?? ""
        if !version.hasPrefix("1.") || version.count < 3
            || !version.dropFirst(2).allSatisfy({ "0123456789".contains($0) })
        {
            fault = .version(version)
        } else if let name = string(name) {
            encoding.declare(name)
            if let problem = encoding.problem { fault = .encoding(problem) }
        }
        if fault != nil || encoding.otherName != encodingName { stop() }
    }
}

private func string(_ text: UnsafePointer<XML_Char>?) -> String? { text.map { String(cString: $0) } }
