import BelayCertificates
import Foundation
import Testing

@Suite("PKCS#12: PBMAC1 (RFC 9579), which OpenSSL 3.0 does not know")
struct PBMAC1Tests {
    private let peers: PKCS12Peers

    init() throws {
        peers = try PKCS12Peers()
    }

    @Test(
        "What Python's hashlib and hmac compute is right here, and a wrong passphrase is none",
        arguments: [
            ("sha256", "sha256", 32), ("sha512", "sha256", 32), ("sha512", "sha512", 64), ("sha1", "sha384", 48),
            ("sha224", "sha224", 28), ("sha384", "sha1", 20),
        ])
    func computes(derivation: String, code: String, keyLength: Int) throws {
        let bare = try peers.openssl(["-nomac"], passphrase: "pässwörd")
        let file = try peers.addPBMAC1(
            to: bare, passphrase: "pässwörd", derivation: derivation, code: code, keyLength: keyLength)
        let store = try KeyStore.read(pkcs12: file, passphrase: Secret(text: "pässwörd"))
        let name = "PBMAC1 with HMAC-SHA-\(code.dropFirst(3))"
        #expect(store.integrity == .verified(name))
        #expect(try Identity(pkcs12: file, passphrase: Secret(text: "pässwörd")) == peers.whole)
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) {
            try Identity(pkcs12: file, passphrase: Secret(text: "passwörd"))
        }
        let integrity = try #require(try PKCS12Description(file).integrity)
        #expect(integrity.name == name && integrity.rounds == 2_048 && integrity.saltLength == 8)
        // The same file in an OpenSSL that knows it.
        let subject = try peers.pyca(
            """
            import sys, warnings
            warnings.simplefilter("ignore")
            from cryptography.hazmat.primitives.serialization import pkcs12
            store = pkcs12.load_pkcs12(sys.stdin.buffer.read(), "pässwörd".encode())
            print(f"{store.cert.certificate.serial_number:x}", end="")
            """, input: file)
        let serial = hexadecimal(peers.whole.certificate.serialNumber).drop { $0 == "0" }
        #expect(String(decoding: subject, as: UTF8.self) == serial)
    }

    @Test("A changed file is noticed")
    func changed() throws {
        var file = try peers.addPBMAC1(to: try peers.openssl(["-nomac"]), passphrase: "secret")
        let place = try #require(
            file.indices.first { file[$0...].starts(with: peers.whole.certificate.der.suffix(20)) })
        file[place] ^= 1
        #expect(throws: KeyStoreError.wrongPassphrase(.pkcs12)) {
            try KeyStore.read(pkcs12: file, passphrase: Secret(text: "secret"))
        }
    }

    @Test("A length of the key that is left out or short is refused, since codes could be forged then")
    func keyLength() throws {
        let bare = try peers.openssl(["-nomac"])
        for file in try [
            peers.addPBMAC1(to: bare, passphrase: "secret", isLengthWritten: false),
            peers.addPBMAC1(to: bare, passphrase: "secret", keyLength: 4),
        ] {
            let error = #expect(throws: KeyStoreError.self) {
                try KeyStore.read(pkcs12: file, passphrase: Secret(text: "secret"))
            }
            guard case .malformed(.pkcs12, let reason, _) = error, reason.contains("PBMAC1 with a key of") else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("The file of RFC 9579, appendix A.1, is opened with its passphrase")
    func ofTheStandard() throws {
        let text = Self.appendixA1.bytes
        let file = try #require(Base64.decode(text, in: 0..<text.count, skippingWhitespace: true))
        let store = try KeyStore.read(pkcs12: file, passphrase: Secret(text: "1234"))
        #expect(store.integrity == .verified("PBMAC1 with HMAC-SHA-256"))
        #expect(try store.identity().privateKey.publicKey.description.contains("RSA"))
    }

    /// RFC 9579, appendix A.1 (Revised BSD License): SHA-256 for code and derivation, passphrase `1234`.
    private static let appendixA1 = """
        MIIKigIBAzCCCgUGCSqGSIb3DQEHAaCCCfYEggnyMIIJ7jCCBGIGCSqGSIb3DQEH
        BqCCBFMwggRPAgEAMIIESAYJKoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqG
        SIb3DQEFDDAcBAg9pxXxY2yscwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQME
        ASoEEK7yYaFQDi1pYwWzm9F/fs+AggPgFIT2XapyaFgDppdvLkdvaF3HXw+zjzKb
        7xFC76DtVPhVTWVHD+kIss+jsj+XyvMwY0aCuAhAG/Dig+vzWomnsqB5ssw5/kTb
        +TMQ5PXLkNeoBmB6ArKeGc/QmCBQvQG/a6b+nXSWmxNpP+71772dmWmB8gcSJ0kF
        Fj75NrIbmNiDMCb71Q8gOzBMFf6BpXf/3xWAJtxyic+tSNETfOJa8zTZb0+lV0w9
        5eUmDrPUpuxEVbb0KJtIc63gRkcfrPtDd6Ii4Zzbzj2Evr4/S4hnrQBsiryVzJWy
        IEjaD0y6+DmG0JwMgRuGi1wBoGowi37GMrDCOyOZWC4n5wHLtYyhR6JaElxbrhxP
        H46z2USLKmZoF+YgEQgYcSBXMgP0t36+XQocFWYi2N5niy02TnctwF430FYsQlhJ
        Suma4I33E808dJuMv8T/soF66HsD4Zj46hOf4nWmas7IaoSAbGKXgIa7KhGRJvij
        xM3WOX0aqNi/8bhnxSA7fCmIy/7opyx5UYJFWGBSmHP1pBHBVmx7Ad8SAsB9MSsh
        nbGjGiUk4h0QcOi29/M9WwFlo4urePyI8PK2qtVAmpD3rTLlsmgzguZ69L0Q/CFU
        fbtqsMF0bgEuh8cfivd1DYFABEt1gypuwCUtCqQ7AXK2nQqOjsQCxVz9i9K8NDeD
        aau98VAl0To2sk3/VR/QUq0PRwU1jPN5BzUevhE7SOy/ImuJKwpGqqFljYdrQmj5
        jDe+LmYH9QGVRlfN8zuU+48FY8CAoeBeHn5AAPml0PYPVUnt3/jQN1+v+CahNVI+
        La8q1Nen+j1R44aa2I3y/pUgtzXRwK+tPrxTQbG030EU51LYJn8amPWmn3w75ZIA
        MJrXWeKj44de7u4zdUsEBVC2uM44rIHM8MFjyYAwYsey0rcp0emsaxzar+7ZA67r
        lDoXvvS3NqsnTXHcn3T9tkPRoee6L7Dh3x4Od96lcRwgdYT5BwyH7e34ld4VTUmJ
        bDEq7Ijvn4JKrwQJh1RCC+Z/ObfkC42xAm7G010u3g08xB0Qujpdg4a7VcuWrywF
        c7hLNquuaF4qoDaVwYXHH3iuX6YlJ/3siTKbYCVXPEZOAMBP9lF/OU76UMJBQNfU
        0xjDx+3AhUVgnGuCsmYlK6ETDp8qOZKGyV0KrNSGtqLx3uMhd7PETeW+ML3tDQ/0
        X9fMkcZHi4C2fXnoHV/qa2dGhBj4jjQ0Xh1poU6mxGn2Mebe2hDsBZkkBpnn7pK4
        wP/VqXdQTwqEuvzGHLVFsCuADe40ZFBmtBrf70wG7ZkO8SUZ8Zz1IX3+S024g7yj
        QRev/6x6TtkwggWEBgkqhkiG9w0BBwGgggV1BIIFcTCCBW0wggVpBgsqhkiG9w0B
        DAoBAqCCBTEwggUtMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhTxzw+
        VptrYAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEK9nSqc1I2t4tMVG
        bWHpdtQEggTQzCwI7j34gCTvfj6nuOSndAjShGv7mN2j7WMV0pslTpq2b9Bn3vn1
        Y0JMvL4E7sLrUzNU02pdOcfCnEpMFccNv2sQrLp1mOCKxu8OjSqHZLoKVL0ROVsZ
        8dMECLLigDlPKRiSyLErl14tErX4/zbkUaWMROO28kFbTbubQ8YoHlRUwsKW1xLg
        vfi0gRkG/zHXRfQHjX/8NStv7hXlehn7/Gy2EKPsRFhadm/iUHAfmCMkMgHTU248
        JER9+nsXltd59H+IeDpj/kbxZ+YvHow9XUZKu828d3MQnUpLZ1BfJGhMBPVwbVUD
        A40CiQBVdCoGtPJyalL28xoS3H0ILFCnwQOr6u0HwleNJPGHq78HUyH6Hwxnh0b0
        5o163r6wTFZn5cMOxpbs/Ttd+3TrxmrYpd2XnuRme3cnaYJ0ILvpc/8eLLR7SKjD
        T4JhZ0h/CfcV2WWvhpQugkY0pWrZ+EIMneB1dZB96mJVLxOi148OeSgi0PsxZMNi
        YM33rTpwQT5WqOsEyDwUQpne5b8Kkt/s7EN0LJNnPyJJRL1LcqOdr6j+6YqRtPa7
        a9oWJqMcuTP+bqzGRJh+3HDlFBw2Yzp9iadv4KmB2MzhStLUoi2MSjvnnkkd5Led
        sshAd6WbKfF7kLAHQHT4Ai6dMEO4EKkEVF9JBtxCR4JEn6C98Lpg+Lk+rfY7gHOf
        ZxtgGURwgXRY3aLUrdT55ZKgk3ExVKPzi5EhdpAau7JKhpOwyKozAp/OKWMNrz6h
        obu2Mbn1B+IA60psYHHxynBgsJHv7WQmbYh8HyGfHgVvaA8pZCYqxxjpLjSJrR8B
        Bu9H9xkTh7KlhxgreXYv19uAYbUd95kcox9izad6VPnovgFSb+Omdy6PJACPj6hF
        W6PJbucP0YPpO0VtWtQdZZ3df1P0hZ7qvKwOPFA+gKZSckgqASfygiP9V3Zc8jIi
        wjNzoDM2QT+UUJKiiGYXJUEOO9hxzFHlGj759DcNRhpgl5AgR57ofISD9yBuCAJY
        PQ/aZHPFuRTrcVG3RaIbCAS73nEznKyFaLOXfzyfyaSmyhsH253tnyL1MejC+2bR
        Eko/yldgFUxvU5JI+Q3KJ6Awj+PnduHXx71E4UwSuu2xXYMpxnQwI6rroQpZBX82
        HhqgcLV83P8lpzQwPdHjH5zkoxmWdC0+jU/tcQfNXYpJdyoaX7tDmVclLhwl9ps/
        O841pIsNLJWXwvxG6B+3LN/kw4QjwN194PopiOD7+oDm5mhttO78CrBrRxHMD/0Q
        qniZjKzSZepxlZq+J792u8vtMnuzzChxu0Bf3PhIXcJNcVhwUtr0yKe/N+NvC0tm
        p8wyik/BlndxN9eKbdTOi2wIi64h2QG8nOk66wQ/PSIJYwZl6eDNEQSzH/1mGCfU
        QnUT17UC/p+Qgenf6Auap2GWlvsJrB7u/pytz65rtjt/ouo6Ih6EwWqwVVpGXZD0
        7gVWH0Ke/Vr6aPGNvkLcmftPuDZsn9jiig3guhdeyRVf10Ox369kKWcG75q77hxE
        IzSzDyUlBNbnom9SIjut3r+qVYmWONatC6q/4D0I42Lnjd3dEyZx7jmH3g/S2ASM
        FzWr9pvXc61dsYOkdZ4PYa9XPUZxXFagZsoS3F1sU799+IJVU0tC0MExJTAjBgkq
        hkiG9w0BCRUxFgQUwWO5DorvVWYF3BWUmAw0rUEajScwfDBtMEkGCSqGSIb3DQEF
        DjA8MCwGCSqGSIb3DQEFDDAfBAhvRzw4sC4xcwICCAACASAwDAYIKoZIhvcNAgkF
        ADAMBggqhkiG9w0CCQUABCB6pW2FOdcCNj87zS64NUXG36K5aXDnFHctIk5Bf4kG
        3QQITk9UIFVTRUQCAQE=
        """
}
