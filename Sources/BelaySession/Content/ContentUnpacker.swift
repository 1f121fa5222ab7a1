/// Unpacks the content of one response, piece by piece as it comes.
///
/// libcurl could do it, and does not say whether the end of the compressed content has come, or something after it. So it is done here,
/// by the same libraries.
final class ContentUnpacker {
    /// The codings in the order in which they are undone, each with what undoes it.
    private let layers: [any ContentLayer]
    /// How many bytes may come out of each layer. Between two of them, too: content that is nothing in the end may have been endless on
    /// the way.
    private let limit: Int
    private var made: [Int]

    /// What requests say can be unpacked.
    static let accepted = "gzip, deflate, br, zstd"
    /// As many as libcurl takes.
    private static let maximumLayers = 5

    /// For what a response's head says; nil where its content is as it is.
    ///
    /// - Parameter limit: how many bytes the content may have, at each step of unpacking.
    init?(_ head: HeaderBlock, limit: Int) throws(ContentCodingError) {
        let codings = ContentUnpacker.codings(head)
        guard !codings.isEmpty else { return nil }
        guard codings.count <= ContentUnpacker.maximumLayers else {
            throw .tooMany(limit: ContentUnpacker.maximumLayers)
        }
        // The last one that was applied is the first to be undone.
        var layers: [any ContentLayer] = []
        for coding in codings.reversed() { layers.append(try ContentUnpacker.layer(coding)) }
        self.layers = layers
        self.limit = limit
        made = Array(repeating: 0, count: layers.count)
    }

    private static func codings(_ head: HeaderBlock) -> [String] {
        head.values(of: "content-encoding").flatMap { value in
            value.split(separator: UInt8(ascii: ",")).map {
                String(decoding: $0, as: UTF8.self).trimmingHeaderSpace().lowercased()
            }
        }.filter { !$0.isEmpty && $0 != "identity" }
    }

    private static func layer(_ coding: String) throws(ContentCodingError) -> any ContentLayer {
        switch coding {
        case "gzip", "x-gzip": try InflateLayer(.gzip)
        case "deflate": try InflateLayer(.deflate)
        case "br": try BrotliLayer()
        case "zstd": try ZstdLayer()
        default: throw .unknown(coding: coding)
        }
    }

    /// Unpacks a piece.
    ///
    /// - Parameter sink: given what was unpacked, in pieces of some kilobytes.
    /// - Returns: false where it is more than the limit.
    func unpack(
        _ piece: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) -> Void
    ) throws(ContentCodingError) -> Bool {
        try unpack(piece, 0, to: sink)
    }

    private func unpack(
        _ piece: UnsafeRawBufferPointer, _ level: Int, to sink: (UnsafeRawBufferPointer) -> Void
    ) throws(ContentCodingError) -> Bool {
        guard level < layers.count else {
            sink(piece)
            return true
        }
        var fault: ContentCodingError?
        let goesOn = try layers[level].unpack(piece) { unpacked in
            guard limit - made[level] >= unpacked.count else { return false }
            made[level] += unpacked.count
            do throws(ContentCodingError) { return try unpack(unpacked, level + 1, to: sink) } catch {
                fault = error
                return false
            }
        }
        if let fault { throw fault }
        return goesOn
    }

    /// There is no more content.
    func finish() throws(ContentCodingError) {
        for layer in layers { try layer.finish() }
    }
}

/// Undoes one coding.
protocol ContentLayer: AnyObject {
    /// Takes the next piece, and hands out what comes of it; false as soon as `sink` says so.
    func unpack(
        _ piece: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(ContentCodingError) -> Bool
    /// Says whether the end has come.
    func finish() throws(ContentCodingError)
}

extension ContentLayer {
    /// How much is unpacked at a time, in bytes.
    static var pieceSize: Int { 32 << 10 }
}
