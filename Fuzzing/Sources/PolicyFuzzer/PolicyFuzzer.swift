import BelayCertificates
import BelayTrust
import FuzzingChains
import FuzzingSupport

/// Certificate policies: the input gives the values of the four extensions about them, each for one of three certificates.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPolicies(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    var extensions: [[UInt8]] = [[], [], FuzzingChains.hostNames]
    var taken: Set<UInt8> = []
    var rest = input[...]
    // A byte says which extension of which certificate, the next how long its value is.
    while let what = rest.popFirst(), let length = rest.popFirst() {
        let value = Array(rest.prefix(Int(length)))
        rest = rest.dropFirst(Int(length))
        let arc = ([32, 33, 36, 54] as [UInt8])[Int(what & 3)]
        let place = Int(what >> 2) % 3
        // Twice the same would be malformed in any case.
        guard taken.insert(what & 3 | UInt8(place) << 2).inserted else { continue }
        extensions[place] += FuzzingChains.element(arc, critical: what & 0x80 != 0, value)
    }
    let trust = FuzzingChains.shared.triple(
        root: extensions[0], intermediate: extensions[1], leaf: extensions[2])
    let verdict = trust.evaluate()
    verdict.demandConsistency()
    var told = trust
    told.explains = true
    let story = told.evaluate()
    demand(story.findings == verdict.findings, "the story changes the verdict")
    use(story.explanation?.description)
    for rules in [RuleSet.rfc5280, .webpki, .apple] {
        var strict = trust
        strict.rules = rules
        let other = strict.evaluate()
        other.demandConsistency()
        demand(verdict.isTrusted || !other.isTrusted, "\(rules.name) accepts what standard refuses")
    }
    return 0
}
