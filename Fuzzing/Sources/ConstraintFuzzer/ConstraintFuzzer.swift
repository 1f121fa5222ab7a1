import BelayCertificates
import BelayTrust
import FuzzingChains
import FuzzingSupport

/// Name constraints: the input is a kind of name, the length of a base, the base, and a name of the same kind.
///
/// What is permitted by a base must show that it lies there, what is excluded by it must rule it out: no name is accepted under both.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConstraint(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    guard input.count >= 2 else { return 0 }
    let length = min(Int(input[1]), input.count - 2)
    let base = Array(input[2..<(2 + length)])
    let name = Array(input[(2 + length)...])
    let tags: [UInt8] = [0x82, 0x87, 0x81, 0x86, 0xA4]
    let tag = DERTag(rawValue: tags[Int(input[0]) % tags.count])

    let permitted = verdict(tag, base, name, listNumber: 0)
    let excluded = verdict(tag, base, name, listNumber: 1)
    demand(!(permitted.isTrusted && excluded.isTrusted), "a name is permitted and not excluded by one base")
    if tag.rawValue == 0x82 {
        // Letters of host names have no case.
        let other = verdict(tag, base, name.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, listNumber: 0)
        demand(other.isTrusted == permitted.isTrusted, "the case of a letter decides")
    }
    raw(input)
    return 0
}

private func verdict(_ tag: DERTag, _ base: [UInt8], _ name: [UInt8], listNumber: UInt8) -> Verdict {
    let subtree = DERWriter.sequence(DERWriter.element(tag, base))
    let constraints = DERWriter.sequence(DERWriter.element(.contextConstructed(listNumber), subtree))
    let names = DERWriter.sequence(DERWriter.element(tag, name))
    let verdict = FuzzingChains.shared.pair(
        root: FuzzingChains.element(30, critical: true, constraints),
        leaf: FuzzingChains.element(17, critical: true, names)
    ).evaluate()
    verdict.demandConsistency()
    return verdict
}

/// The whole input as the value of the extension.
private func raw(_ input: [UInt8]) {
    FuzzingChains.shared.pair(
        root: FuzzingChains.element(30, critical: true, input), leaf: FuzzingChains.hostNames
    ).evaluate().demandConsistency()
}
