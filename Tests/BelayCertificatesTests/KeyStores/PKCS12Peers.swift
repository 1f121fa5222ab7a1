import BelayCertificates
import Foundation

/// Programs that make PKCS#12 files of the same key, certificate and chain, and open them.
struct PKCS12Peers {
    let world: World.Members
    let folder: TemporaryFolder
    let key: String
    let leaf: String
    let chain: String
    /// What the files hold: the chain with its root.
    let whole: Identity

    init() throws {
        world = try World.ecdsa.get()
        folder = try TemporaryFolder()
        key = try folder.write("key.pem", world.server.privateKey.pkcs8PEM())
        leaf = try folder.write("leaf.pem", world.server.certificate.pem)
        chain = try folder.write("chain.pem", world.intermediate.certificate.pem + world.root.certificate.pem)
        whole = try Identity(
            certificate: world.server.certificate, chain: [world.intermediate.certificate, world.root.certificate],
            privateKey: world.server.privateKey)
    }

    /// What `openssl pkcs12 -export` makes of key, leaf and chain.
    func openssl(_ options: [String] = [], passphrase: String = "secret") throws -> [UInt8] {
        try Tool.succeed(
            "openssl",
            ["pkcs12", "-export", "-inkey", key, "-in", leaf, "-certfile", chain, "-passout", "pass:" + passphrase]
                + options
        ).output
    }

    /// Java's keytool, in English.
    @discardableResult
    func keytool(_ arguments: [String]) throws -> Tool.Result {
        try Tool.succeed("keytool", ["-J-Duser.language=en", "-J-XX:TieredStopAtLevel=1"] + arguments)
    }

    /// Bouncy Castle as keytool takes it.
    static let bouncyCastle = [
        "-providerclass", "org.bouncycastle.jce.provider.BouncyCastleProvider", "-providerpath",
        "/usr/share/java/bcprov.jar",
    ]

    /// A file that another program has read and written again.
    func rewrittenByJava(_ file: [UInt8], _ options: [String]) throws -> [UInt8] {
        let source = try folder.write("java-source.p12", file)
        let name = UUID().uuidString + ".p12"
        try keytool(
            [
                "-importkeystore", "-srckeystore", source, "-srcstoretype", "PKCS12", "-srcstorepass", "secret",
                "-destkeystore", folder(name), "-deststoretype", "PKCS12", "-deststorepass", "secret",
            ] + options)
        return try folder.read(name)
    }

    /// The same by NSS: imported into a data base and exported from it.
    func rewrittenByNSS(_ file: [UInt8], name: String, passphrase: String, _ options: [String]) throws -> [UInt8] {
        let source = try folder.write("nss-source.p12", file)
        let database = folder("nss-" + UUID().uuidString)
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: true)
        try Tool.succeed("pk12util", ["-i", source, "-d", "sql:" + database, "-W", "secret", "-K", ""])
        let result = database + "/out.p12"
        try Tool.succeed(
            "pk12util", ["-o", result, "-n", name, "-d", "sql:" + database, "-W", passphrase, "-K", ""] + options)
        return try FileReading.bytes(ofFile: result)
    }

    /// Whether GnuTLS verifies a file's MAC and decrypts its certificates, and then its key.
    func opensInGnuTLS(_ file: String, passphrase: String) throws -> Bool {
        let info = try Tool.run(
            "certtool", ["--p12-info", "--inder", "--password", passphrase, "--infile", file])
        guard info.status == 0, !info.all.contains("rror"), info.text.contains("BEGIN CERTIFICATE") else {
            return false
        }
        // It shows the key as it is in the file.
        let key = try PEM.blocks(in: info.output).filter { $0.label == "ENCRYPTED PRIVATE KEY" }
        guard key.count == 1, let key = key.first else { return false }
        let keyFile = try folder.write("gnutls-key.pem", PEM.encode(label: key.label, der: key.der))
        let opened = try Tool.run(
            "certtool", ["--key-info", "--pkcs8", "--password", passphrase, "--infile", keyFile])
        return opened.status == 0 && opened.text.contains("Public Key Info")
    }

    /// Runs a program of Python with pyca cryptography, which `Scripts/setup test` installs.
    func pyca(_ program: String, _ arguments: String..., input: [UInt8] = []) throws -> [UInt8] {
        let python = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(".cache/pyca/bin/python")
        guard FileManager.default.isExecutableFile(atPath: python.path) else {
            throw Tool.Failed(description: "\(python.path) is missing; Scripts/setup test installs it")
        }
        return try Tool.succeed(python.path, ["-c", program] + arguments, input: input).output
    }

    /// Puts PBMAC1 (RFC 9579) on a file without MAC: computed by Python's own hashlib and hmac.
    func addPBMAC1(
        to file: [UInt8], passphrase: String, derivation: String = "sha256", code: String = "sha256",
        keyLength: Int = 32,
        isLengthWritten: Bool = true
    ) throws -> [UInt8] {
        try Tool.succeed(
            "python3",
            [
                "-c", Self.pbmac1, passphrase, derivation, code, "\(keyLength)",
                isLengthWritten ? "written" : "left out",
            ],
            input: file
        ).output
    }

    private static let pbmac1 = """
        import hashlib, hmac, os, sys
        def tlv(tag, *parts):
            body = b"".join(parts)
            n = len(body)
            if n < 128: return bytes([tag, n]) + body
            k = (n.bit_length() + 7) // 8
            return bytes([tag, 0x80 | k]) + n.to_bytes(k, "big") + body
        def contents(data, at=0):
            n = data[at + 1]; start = at + 2
            if n & 0x80:
                k = n & 0x7f; n = int.from_bytes(data[start:start + k], "big"); start += k
            return start, start + n
        HMAC = {"sha1": 7, "sha224": 8, "sha256": 9, "sha384": 10, "sha512": 11}
        def number(n): return tlv(2, n.to_bytes(n.bit_length() // 8 + 1, "big"))
        def function(name): return tlv(0x30, tlv(6, bytes.fromhex("2a864886f70d02%02x" % HMAC[name])), tlv(5))
        password, prf, mac, length, written = sys.argv[1:6]
        data = sys.stdin.buffer.read()
        start, end = contents(data)
        _, version_end = contents(data, start)
        info, info_end = contents(data, version_end)
        _, type_end = contents(data, info)
        explicit, _ = contents(data, type_end)
        octets, octets_end = contents(data, explicit)
        salt, rounds = os.urandom(8), 2048
        key = hashlib.pbkdf2_hmac(prf, password.encode("utf-8"), salt, rounds, int(length))
        code = hmac.new(key, data[octets:octets_end], mac).digest()
        kdf = tlv(0x30, tlv(6, bytes.fromhex("2a864886f70d01050c")),
            tlv(0x30, tlv(4, salt), number(rounds), number(int(length)) if written == "written" else b"",
                b"" if prf == "sha1" else function(prf)))
        algorithm = tlv(0x30, tlv(6, bytes.fromhex("2a864886f70d01050e")), tlv(0x30, kdf, function(mac)))
        macdata = tlv(0x30, tlv(0x30, algorithm, tlv(4, code)), tlv(4, b"NOT USED"), number(1))
        sys.stdout.buffer.write(tlv(0x30, data[start:info_end], macdata))
        """
}
