import BelayCertificates

/// Key stores that `keytool` and Bouncy Castle's provider make, once for all tests: a start of Java takes a second.
struct JavaStores: Sendable {
    let jks: [UInt8]
    let jceks: [UInt8]
    let bks: [UInt8]
    /// Bouncy Castle's first version, whose code has a key of 16 bits.
    let firstBKS: [UInt8]
    let uber: [UInt8]
    let bcfks: [UInt8]
    /// The certificate that is trusted in each.
    let trusted: Certificate

    static let made = Result { try JavaStores() }

    /// The key in the JKS that has a passphrase of its own.
    static let keyPassphrase = Secret(text: "key secret")
    /// With letters of two and three bytes, and one of two units of UTF-16.
    static let passphrase = Secret(text: passphraseText)
    private static let passphraseText = "größe 名𝄞"
    /// JCEKS takes nothing but ASCII for keys.
    static let plain = Secret(text: "secret")
    static let name = "schlüssel 名𝄞"

    private init() throws {
        let folder = try TemporaryFolder()
        trusted = try World.ecdsa.get().root.certificate
        let anchor = try folder.write("root.pem", trusted.pem)
        try folder.write("store", Self.passphraseText)
        try folder.write("plain", "secret")
        try folder.write("key", "key secret")
        func keytool(_ arguments: String..., store: String, passphrase: String, key: String? = nil) throws {
            try Tool.succeed(
                "env",
                // The encoding of arguments and files, wherever the tests run.
                ["LC_ALL=C.UTF-8", "keytool", "-J-XX:TieredStopAtLevel=1"] + arguments
                    + ["-keystore", folder(store), "-storepass:file", folder(passphrase)]
                    + (key.map { ["-keypass:file", folder($0)] } ?? []))
        }
        for (alias, algorithm, key) in [("rsa", "RSA", "store"), (Self.name, "EC", "key"), ("dsa", "DSA", "store")] {
            try keytool(
                "-genkeypair", "-alias", alias, "-keyalg", algorithm, "-dname", "CN=\(algorithm)", "-storetype", "JKS",
                store: "a.jks", passphrase: "store", key: key)
        }
        try keytool(
            "-importcert", "-noprompt", "-alias", "anchor", "-file", anchor, store: "a.jks", passphrase: "store")
        try keytool(
            "-genkeypair", "-alias", "ec", "-keyalg", "EC", "-dname", "CN=EC", "-storetype", "JCEKS", store: "a.jceks",
            passphrase: "plain", key: "key")
        try keytool(
            "-genseckey", "-alias", "aes", "-keyalg", "AES", "-keysize", "128", "-storetype", "JCEKS",
            store: "a.jceks", passphrase: "plain")
        try keytool(
            "-importcert", "-noprompt", "-alias", "anchor", "-file", anchor, "-storetype", "JCEKS", store: "a.jceks",
            passphrase: "plain")
        func bouncyCastle(_ arguments: String..., type: String, passphrase: String, key: String? = nil) throws {
            try Tool.succeed(
                "env",
                ["LC_ALL=C.UTF-8", "keytool", "-J-XX:TieredStopAtLevel=1"]
                    + ["-J-Dorg.bouncycastle.bks.enable_v1=true"] + arguments
                    + ["-providerpath", "/usr/share/java/bcprov.jar"]
                    + ["-provider", "org.bouncycastle.jce.provider.BouncyCastleProvider", "-storetype", type]
                    + ["-keystore", folder(type), "-storepass:file", folder(passphrase)]
                    + (key.map { ["-keypass:file", folder($0)] } ?? []))
        }
        try bouncyCastle(
            "-genkeypair", "-alias", Self.name, "-keyalg", "EC", "-dname", "CN=EC", type: "BKS", passphrase: "store",
            key: "key")
        try bouncyCastle(
            "-genseckey", "-alias", "aes", "-keyalg", "AES", "-keysize", "128", type: "BKS", passphrase: "store")
        try bouncyCastle(
            "-genkeypair", "-alias", "rsa", "-keyalg", "RSA", "-dname", "CN=RSA", type: "BKS-V1", passphrase: "plain")
        for (type, passphrase) in [("BKS", "store"), ("BKS-V1", "plain"), ("UBER", "plain"), ("BCFKS", "plain")] {
            try bouncyCastle(
                "-importcert", "-noprompt", "-alias", "anchor", "-file", anchor, type: type, passphrase: passphrase)
        }
        bks = try folder.read("BKS")
        firstBKS = try folder.read("BKS-V1")
        uber = try folder.read("UBER")
        bcfks = try folder.read("BCFKS")
        jks = try folder.read("a.jks")
        jceks = try folder.read("a.jceks")
    }
}
