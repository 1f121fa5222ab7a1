import BelayCertificates
import FuzzingSupport

/// Whatever a file holds, the readers of key stores and bundles answer with what is in it or with an error that has words.
///
/// JKS is read with the passphrase of the seeds too: its digest is cheap, so that what lies behind it is reached where the fuzzer
/// leaves it alone. Others' key derivation costs more than a fuzzer has time for, and is bounded elsewhere.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyStores(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    guard !mayBePKCS12(input) else { return 0 }
    read(input, nil)
    if input.starts(with: [0xFE, 0xED, 0xFE, 0xED]) { read(input, seedPassphrase) }
    return 0
}

/// PKCS#12 derives keys even without a passphrase, for seconds where the input says so. It begins with a version.
private func mayBePKCS12(_ input: [UInt8]) -> Bool {
    guard input.count > 6, input[0] == 0x30 else { return false }
    let header = input[1] <= 0x80 ? 2 : 2 + Int(input[1] & 0x7F)
    return header >= input.count || input[header] == 0x02
}

private let seedPassphrase = Secret(text: "secret")

private func read(_ input: [UInt8], _ passphrase: Secret?) {
    do throws(KeyStoreError) {
        let store = try KeyStore(bytes: input, passphrase: passphrase)
        use("\(store.format) \(store.integrity)")
        for entry in store.entries {
            use(entry.name ?? "")
            if case .closedKey(let error, _) = entry.content { use(error.description) }
        }
        let bundle = PKCS7.encode(store.certificates, revocationLists: store.revocationLists)
        let again = try KeyStore(bytes: bundle)
        demand(again.certificates == store.certificates, "certificates that were bundled are read differently")
        demand(again.revocationLists == store.revocationLists, "lists that were bundled are read differently")
    } catch {
        use(error.description)
    }
    do throws(CertificateFileError) {
        demand(try !Certificate.read(bytes: input, name: "input").isEmpty, "no certificates and no error")
    } catch {
        use(error.description)
    }
}
