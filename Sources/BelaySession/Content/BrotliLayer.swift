import CBrotli

/// The coding `br` (RFC 7932).
final class BrotliLayer: ContentLayer {
    private let state: OpaquePointer
    private var output = [UInt8](repeating: 0, count: BrotliLayer.pieceSize)
    private var hasEnded = false

    init() throws(ContentCodingError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .corrupt(coding: "br") }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func unpack(
        _ piece: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(ContentCodingError) -> Bool {
        guard !hasEnded || piece.isEmpty else { throw .trailing(coding: "br") }
        var next = piece.bindMemory(to: UInt8.self).baseAddress
        var left = piece.count
        while !hasEnded {
            let room = output.count
            var free = room
            let result = output.withUnsafeMutableBufferPointer { output in
                var place = output.baseAddress
                return BrotliDecoderDecompressStream(state, &left, &next, &free, &place, nil)
            }
            if free < room,
                !output.withUnsafeBytes({ sink(UnsafeRawBufferPointer(rebasing: $0[..<(room - free)])) })
            {
                return false
            }
            switch result {
            case BROTLI_DECODER_RESULT_SUCCESS:
                hasEnded = true
                guard left == 0 else { throw .trailing(coding: "br") }
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return true
            case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
            default: throw .corrupt(coding: "br")
            }
        }
        return true
    }

    func finish() throws(ContentCodingError) {
        guard hasEnded else { throw .truncated(coding: "br") }
    }
}
