import BelayCertificates
import BelayTLS
import BelayTrust
import CCurl

/// What happens in an exchange while it happens, for those who look for a fault.
enum TransferTrace: Sendable {
    /// The connection was accepted, and the request goes out next.
    case connected(SessionConnection)
    /// This head was sent.
    case requestHead([UInt8])
    /// This head came: the status line, then its fields.
    case responseHead([[UInt8]])
}

extension Transfer {
    static let debugCallback: curl_debug_callback = { _, kind, bytes, count, argument in
        guard kind == CURLINFO_HEADER_OUT || kind == CURLINFO_TEXT, let bytes, let argument,
            let transfer = EasyHandle.transfer(argument)
        else { return 0 }
        let told = UnsafeRawBufferPointer(start: bytes, count: count)
        if kind == CURLINFO_TEXT {
            transfer.sending.fate?.take(told)
        } else {
            transfer.order.trace?(.requestHead(Array(told)))
        }
        return 0
    }

    func traceConnection(_ guarding: ConnectionGuard?, isNew: Bool) {
        guard let trace = order.trace else { return }
        trace(
            .connected(
                SessionConnection(
                    peerAddress: easy.peerAddress, isNew: isNew, isResumedSession: guarding?.isResumed ?? false,
                    evidence: guarding?.evidence, verdict: guarding?.ruling?.verdict)))
    }

    func traceResponseHead(_ statusLine: [UInt8], _ headers: HeaderBlock) {
        guard let trace = order.trace else { return }
        var lines = [statusLine]
        headers.forEach { lines.append(Array($0)) }
        trace(.responseHead(lines))
    }
}

extension SessionEvent {
    /// The event for what a transfer tells.
    init(_ trace: TransferTrace, id: UInt64) {
        switch trace {
        case .connected(let connection): self = .connected(id: id, connection: connection)
        case .requestHead(let bytes):
            let lines = bytes.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }
                .filter { !$0.isEmpty }
            self = .requestHead(
                id: id,
                lines: lines.enumerated().map { index, line in
                    let text = String(decoding: line, as: UTF8.self)
                    return index == 0 ? HeadText.requestLine(text) : HeadText.field(text)
                })
        case .responseHead(let lines):
            self = .responseHead(
                id: id,
                lines: lines.enumerated().map { index, line in
                    let text = String(decoding: line, as: UTF8.self)
                    return index == 0 ? printable(text) : HeadText.field(text)
                })
        }
    }
}

/// The lines of a head without what may be secret, and with nothing that steers a terminal.
enum HeadText {
    /// `GET /search?q=shoes&token=<redacted> HTTP/1.1`
    static func requestLine(_ line: String) -> String {
        printable(
            line.split(separator: " ", omittingEmptySubsequences: false).map { Redaction.url(String($0)) }.joined(
                separator: " "))
    }

    /// A field; the value is redacted where its name authenticates somebody, and in URLs the parts that may.
    static func field(_ line: String) -> String {
        guard let colon = line.utf8.firstIndex(of: 0x3A) else { return printable(line) }
        let name = String(line[..<colon])
        let value = String(line[line.utf8.index(after: colon)...]).trimmingHeaderSpace()
        return "\(printable(name)): \(printable(Redaction.fieldValue(value, of: name)))"
    }
}
