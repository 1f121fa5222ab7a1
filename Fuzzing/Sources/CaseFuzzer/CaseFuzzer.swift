import BelayCertificates
import BelayTrust
import FoundationEssentials
import FuzzingChains
import FuzzingSupport

/// Whatever line is a case has an answer that can be written; whatever is none has an error with words.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCase(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    do throws(TrustCaseError) {
        let answer = try TrustCase(json: input) { () throws(SystemAnchorsError) in .empty }.evaluate()
        answer.verdict.demandConsistency()
        demand((try? JSONEncoder().encode(answer)) != nil, "an answer cannot be written")
    } catch {
        demand(!error.description.isEmpty, "an error without words")
    }
    return 0
}
