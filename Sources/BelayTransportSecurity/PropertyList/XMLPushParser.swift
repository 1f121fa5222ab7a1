import CXML2

/// What an XML document is made of, as it is met.
protocol XMLEvents: AnyObject {
    /// An element begins. The parser stands inside its start tag.
    func start(_ name: String, prefix: String?, at parser: XMLPushParser)
    /// An element ends. The parser stands behind its end tag.
    func end(at parser: XMLPushParser)
    /// Text between tags; long ones come in parts.
    func text(_ units: UnsafeBufferPointer<UInt8>, at parser: XMLPushParser)
    /// An entity is declared, or one is used that XML does not define itself.
    func entity(_ name: String, at parser: XMLPushParser)
}

/// The only owner of one of libxml2's push parsers, which is freed when this object goes.
///
/// It loads nothing: no external subset, no entities, nothing from a network.
final class XMLPushParser {
    private let events: any XMLEvents
    private var context: xmlParserCtxtPtr?
    private var firstError: (message: String, line: Int)?

    /// A part of the document: large enough to be fast, small enough that a fault near the beginning ends the work soon.
    private static let pieceSize = 64 << 10

    init(events: any XMLEvents) {
        self.events = events
        // Idempotent, and guarded by a lock of libxml2's own.
        xmlInitParser()
    }

    deinit {
        if let context { xmlFreeParserCtxt(context) }
    }

    /// How many bytes have been consumed; nil where the document is not in UTF-8, so that libxml2 converts it.
    var offset: Int? {
        guard let context, let input = context.pointee.input, input.pointee.buf?.pointee.encoder == nil else {
            return nil
        }
        let offset = xmlByteConsumed(context)
        return offset >= 0 ? offset : nil
    }

    /// The line that the parser stands on.
    var line: Int? { context?.pointee.input.map { Int($0.pointee.line) } }

    /// Ends the work: nothing more is parsed, no more events come.
    func stop() {
        if let context { xmlStopParser(context) }
    }

    /// Parses a whole document.
    ///
    /// - Returns: what libxml2 found wrong; nil where nothing is.
    func parse(_ bytes: [UInt8]) -> (message: String, line: Int)? {
        var handler = Self.handler
        // The callbacks run during the calls below only, while this object lives.
        let user = Unmanaged.passUnretained(self).toOpaque()
        guard let context = xmlCreatePushParserCtxt(&handler, user, nil, 0, nil) else { return ("no memory", 0) }
        self.context = context
        // The thread's handler gets what is wrong, and prints it unless there is another one. It is for the calls below only.
        let (thread, threadContext) = (belay_xml_error_handler(), belay_xml_error_context())
        xmlSetStructuredErrorFunc(user) { user, error in
            guard let error else { return }
            XMLPushParser.of(user)?.met(error.pointee)
        }
        defer { xmlSetStructuredErrorFunc(threadContext, thread) }
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOWARNING.rawValue
        _ = xmlCtxtUseOptions(context, CInt(options))
        var code: CInt = 0
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            repeat {
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceSize))
                rest = rest.dropFirst(piece.count)
                code = xmlParseChunk(
                    context, piece.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(piece.count),
                    rest.isEmpty ? 1 : 0)
            } while code == 0 && !rest.isEmpty
        }
        guard code != 0 || context.pointee.wellFormed == 0 else { return nil }
        return firstError ?? ("it is not well-formed", line ?? 0)
    }

    /// Keeps the first error; what comes behind it is mostly its consequence.
    private func met(_ error: xmlError) {
        guard firstError == nil, error.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
        let message = error.message.map { String(cString: $0) } ?? "it is not well-formed"
        // That a conversion failed is said without a line.
        firstError = (String(message.prefix { $0 != "\n" }), error.line > 0 ? Int(error.line) : line ?? 0)
    }

    private static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { user, name, prefix, _, _, _, _, _, _ in
            guard let parser = XMLPushParser.of(user) else { return }
            parser.events.start(string(name) ?? "", prefix: string(prefix), at: parser)
        }
        handler.endElementNs = { user, _, _, _ in
            guard let parser = XMLPushParser.of(user) else { return }
            parser.events.end(at: parser)
        }
        handler.characters = { user, text, count in XMLPushParser.of(user)?.met(text, count) }
        handler.ignorableWhitespace = { user, text, count in XMLPushParser.of(user)?.met(text, count) }
        handler.cdataBlock = { user, text, count in XMLPushParser.of(user)?.met(text, count) }
        handler.entityDecl = { user, name, _, _, _, _ in XMLPushParser.of(user)?.metEntity(name) }
        handler.unparsedEntityDecl = { user, name, _, _, _ in XMLPushParser.of(user)?.metEntity(name) }
        handler.reference = { user, name in XMLPushParser.of(user)?.metEntity(name) }
        return handler
    }

    /// The parser that a callback is for.
    private static func of(_ user: UnsafeMutableRawPointer?) -> XMLPushParser? {
        user.map { Unmanaged<XMLPushParser>.fromOpaque($0).takeUnretainedValue() }
    }

    private func met(_ text: UnsafePointer<xmlChar>?, _ count: CInt) {
        guard count > 0 else { return }
        events.text(UnsafeBufferPointer(start: text, count: Int(count)), at: self)
    }

    private func metEntity(_ name: UnsafePointer<xmlChar>?) { events.entity(string(name) ?? "", at: self) }
}

private func string(_ text: UnsafePointer<xmlChar>?) -> String? { text.map { String(cString: $0) } }
