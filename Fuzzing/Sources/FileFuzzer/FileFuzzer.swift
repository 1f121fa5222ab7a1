import BelayCertificates
import FuzzingSupport

/// Whatever a file holds, each reader answers with what it reads or with an error that has words.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    do throws(CertificateFileError) {
        let certificates = try Certificate.read(bytes: input, name: "input")
        demand(!certificates.isEmpty, "a file without certificates is read without an error")
        for certificate in certificates {
            let again = try? Certificate(pemOrBase64: certificate.pem)
            demand(again == certificate, "a certificate that was written is read differently")
        }
    } catch {
        use(error.description)
    }
    do throws(PrivateKeyError) {
        let key = try PrivateKey(bytes: input)
        use(key.description)
        if let der = (try? key.pkcs8DER())?.withUnsafeBytes({ Array($0) }) {
            demand((try? PrivateKey(der: der)) == key, "a key that was written is read differently")
        }
    } catch {
        use(error.description)
    }
    do throws(PublicKeyFileError) {
        let found = try PublicKey.findAll(bytes: input, name: "input")
        demand(!found.isEmpty, "a file without keys is read without an error")
        for one in found { demand((try? PublicKey(der: one.key.der)) == one.key, "a key is read differently") }
    } catch {
        use(error.description)
    }
    // No passphrase: what is behind one costs seconds by intention, and cannot be reached by chance.
    do throws(IdentityError) { use(try Identity(bytes: input).description) } catch { use(error.description) }
    return 0
}
