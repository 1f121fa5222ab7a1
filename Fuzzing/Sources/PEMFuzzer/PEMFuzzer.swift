import BelayCertificates
import FuzzingSupport

/// Every block that is found in a text, written and read again, is the same block.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPEM(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    let lines = input.reduce(into: 1) { lines, byte in
        if byte == 0x0A || byte == 0x0D { lines += 1 }
    }
    do throws(PEMError) {
        for block in try PEM.blocks(in: input) {
            demand((1...lines).contains(block.line), "line \(block.line) is outside the input")
            let written = PEM.encode(label: block.label, der: block.der)
            let again = try? PEM.blocks(in: Array(written.utf8))
            demand(again?.count == 1, "a block that was written is not read as one block")
            demand(again?.first?.label == block.label, "a label is read differently after writing")
            demand(again?.first?.der == block.der, "the contents are read differently after writing")
        }
    } catch {
        demand((1...lines).contains(error.line), "line \(error.line) is outside the input")
        use(error.description)
    }
    return 0
}
