import BelayCertificates
import BelayTrust
import FuzzingChains
import FuzzingSupport

/// Whatever is accepted as a revocation list gives back its bytes and can be asked everything; one that nobody signed never revokes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRevocationList(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    do throws(DERError) {
        let list = try RevocationList(der: input)
        demand(list.der == input, "a list does not give back its bytes")
        use(list.issuer.description)
        use(list.signatureAlgorithm.description)
        use(list.unhandledCriticalExtensions.map(\.description))
        use(list.scope?.names.map(\.description))
        demand(list.entryCount >= 0 && list.entryCount <= input.count, "\(list.entryCount) entries")
        for serial in [[1], [2], [3], [0x80], []] as [[UInt8]] {
            use(list.entry(forSerialNumber: serial)?.reason?.description)
        }
        var trust = FuzzingChains.shared.pair(leaf: FuzzingChains.hostNames)
        trust.revocationLists = [list]
        let verdict = trust.evaluate()
        verdict.demandConsistency()
        demand(
            !verdict.findings.contains { $0.rule.identifier == "revocation.revoked" },
            "a list that the authority did not sign revokes")
    } catch {
        demand((0...input.count).contains(error.offset), "the offset \(error.offset) is outside the input")
        use(error.description)
    }
    return 0
}
