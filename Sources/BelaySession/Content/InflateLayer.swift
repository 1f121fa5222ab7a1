import CZlib

/// The codings `gzip` (RFC 1952) and `deflate` (RFC 1950), by zlib.
final class InflateLayer: ContentLayer {
    enum Coding: String {
        case gzip
        case deflate
    }

    private let coding: Coding
    private let stream: UnsafeMutablePointer<z_stream>
    private var output = [UInt8](repeating: 0, count: InflateLayer.pieceSize)
    /// What has come of the first two bytes, which say what is in `deflate`.
    private var start: [UInt8] = []
    private var isBegun = false
    /// How many members have ended; gzip may have several.
    private var ended = 0
    /// Whether a member has begun that has not ended.
    private var isInside = false

    init(_ coding: Coding) throws(ContentCodingError) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard coding == .gzip else { return }
        // 16 more than the window means gzip alone.
        guard belay_inflate_begin(stream, MAX_WBITS + 16) == Z_OK else { throw .corrupt(coding: coding.rawValue) }
        isBegun = true
    }

    deinit {
        if isBegun { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    func unpack(
        _ piece: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(ContentCodingError) -> Bool {
        if isBegun { return try inflate(piece, to: sink) }
        start += piece
        guard start.count >= 2 else { return true }
        try begin()
        let whole = start
        start = []
        var fault: ContentCodingError?
        let goesOn = whole.withUnsafeBytes { bytes in
            do throws(ContentCodingError) { return try inflate(bytes, to: sink) } catch {
                fault = error
                return false
            }
        }
        if let fault { throw fault }
        return goesOn
    }

    /// `deflate` means the format of zlib, and many servers send it without that: what has no header of zlib's (RFC 1950, section 2.2) is
    /// taken for bare.
    private func begin() throws(ContentCodingError) {
        let (first, second) = (Int(start[0]), Int(start[1]))
        let isWrapped = first & 15 == 8 && first >> 4 <= 7 && (first << 8 | second) % 31 == 0
        guard belay_inflate_begin(stream, isWrapped ? MAX_WBITS : -MAX_WBITS) == Z_OK else {
            throw .corrupt(coding: coding.rawValue)
        }
        isBegun = true
    }

    private func inflate(
        _ piece: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(ContentCodingError) -> Bool {
        var rest = piece
        // Where the output was filled there may be more of it, even without more input.
        var isFull = false
        while !rest.isEmpty || isFull {
            if ended > 0, !isInside {
                guard coding == .gzip, inflateReset(stream) == Z_OK else { throw .trailing(coding: coding.rawValue) }
            }
            isInside = true
            let (result, used, made) = step(rest)
            rest = UnsafeRawBufferPointer(rebasing: rest[used...])
            switch result {
            // The latter says that there was nothing to do.
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END:
                isInside = false
                ended += 1
            // What follows the end of a member has to be another one.
            case Z_DATA_ERROR where ended > 0 && stream.pointee.total_out == 0:
                throw .trailing(coding: coding.rawValue)
            default: throw .corrupt(coding: coding.rawValue)
            }
            isFull = isInside && made == output.count
            if made > 0, !output.withUnsafeBytes({ sink(UnsafeRawBufferPointer(rebasing: $0[..<made])) }) {
                return false
            }
        }
        return true
    }

    /// Unpacks as much as the output takes; what zlib says, and how many bytes were used and made.
    private func step(_ input: UnsafeRawBufferPointer) -> (result: CInt, used: Int, made: Int) {
        let given = min(input.count, Int(UInt32.max))
        let room = output.count
        return output.withUnsafeMutableBufferPointer { output in
            stream.pointee.next_in = input.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_in = UInt32(given)
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(room)
            let result = CZlib.inflate(stream, Z_NO_FLUSH)
            let (left, free) = (Int(stream.pointee.avail_in), Int(stream.pointee.avail_out))
            stream.pointee.next_in = nil
            stream.pointee.next_out = nil
            return (result, given - left, room - free)
        }
    }

    func finish() throws(ContentCodingError) {
        guard isInside || ended == 0 else { return }
        // A member that ended whole, and something that does not even begin another.
        throw ended > 0 && stream.pointee.total_out == 0
            ? .trailing(coding: coding.rawValue) : .truncated(coding: coding.rawValue)
    }
}
