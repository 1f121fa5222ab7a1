import BelayCertificates
import FuzzingSupport

/// Whatever stands in a request's place, the reader answers with a request that its own key signed, or with an error that has
/// words; and what people type for a name becomes one that is read back the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    do throws(CertificateRequestError) {
        let request = try CertificateRequest(bytes: input)
        use(request.description)
        for name in request.subjectAlternativeNames { use(name.description) }
        let again = try? CertificateRequest(bytes: Array(request.pem.utf8))
        demand(again == request, "a request that was written is read differently")
    } catch {
        use(error.description)
    }
    do throws(DistinguishedNameTextError) {
        let name = try DistinguishedName(text: String(decoding: input, as: UTF8.self))
        demand((try? DistinguishedName(der: name.der)) == name, "a name that was typed is no name in DER")
        use(name.description)
    } catch {
        use(error.description)
    }
    return 0
}
