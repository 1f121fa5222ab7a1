import CZstd

/// The coding `zstd` (RFC 8878).
final class ZstdLayer: ContentLayer {
    private let context: OpaquePointer
    private var output = [UInt8](repeating: 0, count: ZstdLayer.pieceSize)
    private var endedFrames = 0
    private var isInside = false

    /// Windows larger than 8 MiB need not be supported, and cost as much memory (RFC 9659, section 3).
    private static let windowLog: CInt = 23

    init() throws(ContentCodingError) {
        guard let context = ZSTD_createDCtx() else { throw .corrupt(coding: "zstd") }
        self.context = context
        guard ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZstdLayer.windowLog)) == 0 else {
            throw .corrupt(coding: "zstd")
        }
    }

    deinit { ZSTD_freeDCtx(context) }

    func unpack(
        _ piece: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(ContentCodingError) -> Bool {
        var input = ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
        var isFull = false
        while input.pos < input.size || isFull {
            let room = output.count
            let (result, made) = output.withUnsafeMutableBytes { bytes in
                var output = ZSTD_outBuffer(dst: bytes.baseAddress, size: room, pos: 0)
                return (ZSTD_decompressStream(context, &output, &input), output.pos)
            }
            guard ZSTD_isError(result) == 0 else {
                throw endedFrames > 0 && !isInside ? .trailing(coding: "zstd") : .corrupt(coding: "zstd")
            }
            isFull = made == room && result != 0
            isInside = result != 0
            if result == 0 { endedFrames += 1 }
            if made > 0, !output.withUnsafeBytes({ sink(UnsafeRawBufferPointer(rebasing: $0[..<made])) }) {
                return false
            }
        }
        return true
    }

    func finish() throws(ContentCodingError) {
        guard endedFrames > 0, !isInside else { throw .truncated(coding: "zstd") }
    }
}
