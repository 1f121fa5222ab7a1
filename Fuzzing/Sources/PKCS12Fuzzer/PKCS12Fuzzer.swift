import BelayCertificates
import FuzzingSupport

/// Whatever a PKCS#12 file holds, it is read or refused with words, and what is read is written so that it is read again.
///
/// The seeds are files without MAC, which nothing has to be guessed for, and few rounds.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPKCS12(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    // Rounds of derivation are bounded, and still too many for a fuzzer.
    guard !asksForRounds(input) else { return -1 }
    let passphrase = Secret(text: "secret")
    do throws(KeyStoreError) {
        let description = try PKCS12Description(input, passphrase: passphrase)
        use(description.support.map(\.description))
        guard let store = description.store else { return 0 }
        let entries = store.entries.filter { entry in
            switch entry.content {
            case .identity, .mismatch, .privateKey, .certificate: true
            default: false
            }
        }
        let whole = KeyStore(format: .pkcs12, integrity: .none, entries: entries)
        guard let file = try? whole.pkcs12(.none) else { return 0 }
        let again = try? KeyStore.read(pkcs12: file)
        demand(again != nil, "a store that was written is not read")
        demand(
            Set(again?.certificates ?? []) == Set(whole.certificates), "a store that was written has other certificates"
        )
        demand(again?.identities.count == whole.identities.count, "a store that was written has other identities")
    } catch {
        use(error.description)
    }
    do throws(KeyStoreError) { use(try PKCS12Description(input).protections) } catch { use(error.description) }
    do throws(IdentityError) { use(try Identity(pkcs12: input).description) } catch { use(error.description) }
    return 0
}

/// Whether an OCTET STRING, as a salt is, stands before an INTEGER of three bytes or more: as many rounds take seconds.
private func asksForRounds(_ input: [UInt8]) -> Bool {
    for index in input.indices.dropLast(2) where input[index] == 2 && (3...8).contains(input[index + 1]) {
        for length in 0...min(64, index) where index >= length + 2 {
            if input[index - length - 2] == 4, Int(input[index - length - 1]) == length { return true }
        }
    }
    return false
}
