import BelayCertificates
import Testing

@Suite("PKCS#12 files of Java")
struct JavaKeyStoreTests {
    /// What Java 17 made of `keytool -genkeypair -keyalg EC -groupname secp256r1 -storetype PKCS12 -storepass secret
    /// -dname CN=a -ext san=dns:a.test`.
    static let file = """
        MIID1gIBAzCCA4AGCSqGSIb3DQEHAaCCA3EEggNtMIIDaTCCASAGCSqGSIb3DQEHAaCCAREEggENMIIBCTCCAQUGCyqGSIb3
        DQEMCgECoIG9MIG6MGYGCSqGSIb3DQEFDTBZMDgGCSqGSIb3DQEFDDArBBSucbyTKqQCIaA1l+fBvh8YcDjaOQICJxACASAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMCtFdm/uPrChYQOvQwmnqUEUOIYa8zR53QpkmCZ0hRqC83I8h7uE11vPXke
        vd7QjBZiYta+TNbtHfxm1urAPlIgigkMkwYIjxOHxYReRfXNyAg7Y8K+LtDYD/AzPde9Nx1wMTYwEQYJKoZIhvcNAQkUMQQe
        AgBhMCEGCSqGSIb3DQEJFTEUBBJUaW1lIDE3OTYwMjAxMDk1OTMwggJBBgkqhkiG9w0BBwagggIyMIICLgIBADCCAicGCSqG
        SIb3DQEHATBmBgkqhkiG9w0BBQ0wWTA4BgkqhkiG9w0BBQwwKwQUEdDF99cwVG9UxddzxO7PvuLR+PUCAicQAgEgMAwGCCqG
        SIb3DQIJBQAwHQYJYIZIAWUDBAEqBBBtm3/0ofm9Gd+owK+OPkzGgIIBsDUp2CL+ikB8e1sM4N+hO30FM6qvh9Z5/KaiUvfF
        WEFg1emymbcDWDIFjAbUYbhto/Cf26hm6L40smJzzK+9HNTNMsTaCtPkhedOCB8thb0G4YaA0p6MA5f3wN7WM/6YmQ1foTT5
        FOU8MlpFlt8NAz0rs6qg5ojgqtf5akqEshVVFhJSz1tTwbbsnWunKzsU4I9NY1tA2MjzIXWpHRUTuBFgrx84Xx5HBpnwB0/k
        Mj8VM/c2esnVTG+CVbguXxDVDBNpzX43+gHGWXMh4iP/72h6F6JHeAEebcI7zHpCz8tlPet4KjEP85YIwKZSwe+mjdBIBiDA
        MuJvgzYa/MESsFHh3x72tRFCLTK6nJT/r/AY68Dp1/dd6+uYwMmLOlsK1e5GCLCNt/oNnxO3iMHDpzq9US1IA2KDOT+4Wgi3
        fkF1gvo8MBaK5Njis4Ys+dcmHEapoNagO0EjnZY0GeOaQk/5U6AEy+BzFnxDPhAT0vpm2LdGMEHJ51L0TTosTFn57+Vok6Nv
        DPdwuF8ftA4X6UffIXMdCeiZrW9ddFu2q3XPhVqlcAuHiM3k4Ur0AjrX5jBNMDEwDQYJYIZIAWUDBAIBBQAEIBOZIlc8KI/h
        fKKltt5J3T+iF3OY1Piy1L8vGt0kCHZFBBSYx31WoWdE1bynv9QpcLCShqqXWwICJxA=
        """

    @Test("A key store of Java's keytool is opened, its certificate has the pin that OpenSSL computes")
    func opens() throws {
        let text = Self.file.bytes
        let bytes = try #require(Base64.decode(text, in: 0..<text.count, skippingWhitespace: true))
        let identity = try Identity(bytes: bytes, passphrase: Secret(text: "secret"))
        #expect(identity.certificate.pin.description == "9NvDJkdaBHszv1QG+IbYjh7ZOuFBNHqT6Rrx750LMJE=")
        #expect(identity.certificate.subject.description == "CN=a")
        #expect(identity.chain.isEmpty)
        // The file as text, without any armour, is the same file.
        #expect(try Identity(bytes: text, passphrase: Secret(text: "secret")) == identity)
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) {
            try Identity(bytes: bytes, passphrase: Secret(text: "changeit"))
        }
    }
}
