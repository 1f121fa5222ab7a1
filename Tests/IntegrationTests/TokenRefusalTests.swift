import BelayCertificates
import FoundationEssentials
import TestSupport
import Testing

/// What is said where a key on a token cannot be used. Nothing is connected to then.
@Suite("Keys on a PKCS#11 token that cannot be used", .serialized, Provides<TokenWorld>())
struct TokenRefusalTests {
    private let world: TokenWorld

    init() throws {
        world = try TokenWorld.provided()
    }

    /// Runs `belay check` for a host that cannot be reached: only the identity can be the reason of an error about it.
    private func check(
        _ uri: String, _ more: String..., environment: [String: String] = [:]
    ) async throws -> Program.Run {
        let run = try await world.belay(["check", "https://127.0.0.1:1", "--identity", uri] + more, environment)
        for pin in [TokenWorld.pin, TokenWorld.sparePIN] {
            #expect(!run.output.contains(pin) && !run.errors.contains(pin))
        }
        return run
    }

    private var module: String { "?module-path=\(TokenWorld.module)" }
    private var moduleAndPIN: String { "\(module)&pin-source=file:\(world.folder("pin"))" }

    @Test("Each thing that is missing or ambiguous is told by its name")
    func places() async throws {
        let cases: [(String, [String])] = [
            ("pkcs11:token=office\(moduleAndPIN)", ["no token with token=office", "\"shop\"", "\"spare\""]),
            ("pkcs11:token=shop;serial=1\(moduleAndPIN)", ["no token with serial=1 and token=shop"]),
            ("pkcs11:object=ec\(moduleAndPIN)", ["several tokens", "shop (serial ", "given to none of them"]),
            (
                "pkcs11:token=shop;object=nobody\(moduleAndPIN)",
                ["no private key with object=nobody", "\"rsa (id 01)\""]
            ),
            ("pkcs11:token=shop;object=rsa;id=%02\(moduleAndPIN)", ["no private key with object=rsa and id=%02"]),
            ("pkcs11:token=shop\(moduleAndPIN)", ["several private keys", "\"rsa (id 01)\"", "\"ec (id 02)\""]),
            ("pkcs11:token=shop;object=ec\(moduleAndPIN)", ["no certificate", "--identity-certificate FILE"]),
            ("pkcs11:token=shop;object=rsa\(module)", ["wants its PIN", "--passphrase-file FILE", "pin-source"]),
            ("pkcs11:token=shop\(module)&pin-source=file:/nowhere", ["/nowhere", "No such file"]),
        ]
        for (uri, fragments) in cases {
            let run = try await check(uri)
            #expect(run.status == 3 && run.output.isEmpty, "\(uri): \(run.output)")
            for fragment in fragments { #expect(run.errors.contains(fragment), "\(uri): \(run.errors)") }
        }
    }

    @Test("A certificate of another key is refused")
    func mismatch() async throws {
        let run = try await check(
            "pkcs11:token=shop;object=ec\(moduleAndPIN)", "--identity-certificate", world.folder("rsa.pem"))
        #expect(run.status == 3 && run.errors.contains("Key does not match certificate"), "\(run.errors)")
        #expect(run.errors.contains("CN=ada-rsa"), "\(run.errors)")
    }

    @Test("On the token, another key's certificate under the key's identifier and several of one key are refused")
    func certificatesOnToken() async throws {
        let sparePIN = "\(module)&pin-source=file:\(world.folder("spare-pin"))"
        let other = try await check("pkcs11:token=spare;object=ec\(sparePIN)")
        #expect(other.status == 3 && other.errors.contains("Key does not match certificate"), "\(other.errors)")
        #expect(other.errors.contains("CN=ada-rsa"), "\(other.errors)")
        let several = try await check("pkcs11:token=spare;object=twice\(sparePIN)")
        for fragment in ["several certificates", "\"CN=bob\"", "\"CN=bert\"", "--identity-certificate FILE"] {
            #expect(several.status == 3 && several.errors.contains(fragment), "\(several.errors)")
        }
        try world.folder.write("bert.pem", Certificate(der: world.folder.read("bert.der")).pem)
        let chosen = try await check(
            "pkcs11:token=spare;object=twice\(sparePIN)", "--identity-certificate", world.folder("bert.pem"))
        #expect(chosen.errors.contains("nothing listens"), "\(chosen.errors)")
    }

    @Test("A wrong PIN is tried once, and the token's own warning is passed on")
    func wrongPIN() async throws {
        let log = world.folder("wrong-pin.log")
        let run = try await check(
            "pkcs11:token=spare;object=ec", "--pkcs11-module", TokenWorld.spy, "--passphrase-file",
            world.folder("wrong-pin"),
            environment: ["PKCS11SPY": TokenWorld.module, "PKCS11SPY_OUTPUT": log])
        #expect(run.status == 3 && run.errors.contains("not the PIN of the token \"spare\""), "\(run.errors)")
        // SoftHSM says so from the first wrong one on.
        #expect(run.errors.contains("few tries are left"), "\(run.errors)")
        let calls = String(decoding: try world.folder.read("wrong-pin.log"), as: UTF8.self)
        #expect(calls.split(separator: "\n").count { $0.hasSuffix(": C_Login") } == 1)
    }

    @Test("On a terminal the PIN is asked for once and not shown, also where it is wrong")
    func terminal() async throws {
        let place = try TemporaryFolder()
        for (pin, said) in [("9999", "not the PIN"), (TokenWorld.pin, "nothing listens")] {
            // What ends the question is its colon.
            let script = """
                rm -f "$0/in" "$0/out"; mkfifo "$0/in" "$0/out"
                script --quiet --return --command "$1" /dev/null < "$0/in" > "$0/out" & program=$!
                exec 3> "$0/in" 4< "$0/out"
                IFS= read -r -d : question <&4; printf '%s\\n' '\(pin)' >&3; printf '%s:' "$question"
                cat <&4
                wait $program
                """
            let words = [
                try Program.executable().path, "check", "https://127.0.0.1:1", "--identity",
                "pkcs11:token=shop;object=rsa\(module)",
            ]
            let run = try await Tool.finish(
                "bash",
                ["-c", script, place.path, words.map { "'\($0)'" }.joined(separator: " ")],
                environment: world.environment)
            #expect(run.status == 3 && run.text.contains("PIN of the token \"shop\": "), "\(run.all)")
            #expect(run.text.contains(said) && !run.text.contains(pin), "\(run.all)")
            #expect(run.text.ranges(of: "PIN of the token \"shop\": ").count == 1, "\(run.all)")
        }
    }

    @Test("What does not fit into the process names the package or the file")
    func missing() async throws {
        // The loader finds these in place of the libraries and cannot use them.
        let broken = try TemporaryFolder()
        try broken.write("libp11.so.3", [])
        let library = try await check("pkcs11:token=shop", environment: ["LD_LIBRARY_PATH": broken.path])
        #expect(library.status == 3 && library.errors.contains("apt install libp11-3"), "\(library.errors)")

        // Who has no token does not notice.
        let file = try await world.belay(
            ["cert", "show", world.folder("ec.pem")], ["LD_LIBRARY_PATH": broken.path])
        #expect(file.status == 0 && file.errors.isEmpty, "\(file.errors)")

        let other = try TemporaryFolder()
        try other.write("p11-kit-proxy.so", [])
        let proxy = try await check("pkcs11:token=shop", environment: ["LD_LIBRARY_PATH": other.path])
        #expect(proxy.status == 3 && proxy.errors.contains("apt install p11-kit-modules"), "\(proxy.errors)")
        #expect(proxy.errors.contains("--pkcs11-module FILE"), "\(proxy.errors)")

        let absent = try await check("pkcs11:token=shop", "--pkcs11-module", world.folder("none.so"))
        #expect(absent.status == 3 && absent.errors.contains("no PKCS#11 module \(world.folder("none.so"))"))
        let text = try await check("pkcs11:token=shop", "--pkcs11-module", world.folder("softhsm2.conf"))
        #expect(text.status == 3 && text.errors.contains("cannot be used as a PKCS#11 module"), "\(text.errors)")
        let stranger = try await check("pkcs11:token=shop", "--pkcs11-module", TokenWorld.noModule)
        #expect(stranger.status == 3 && stranger.errors.contains("is a library and no PKCS#11 module"))
    }

    @Test("Options that contradict each other or mean nothing are wrong use, and a PIN among them is not repeated")
    func wrongUse() async throws {
        let cases: [([String], String)] = [
            (["pkcs11:token=shop?pin-value=\(TokenWorld.pin)"], "pin-value"),
            (["pkcs11:slot-id=1"], "\"slot-id\" is not supported"),
            (["pkcs11:token=shop", "--identity-name", "x"], "--identity-name"),
            (["pkcs11:token=shop", "--key-passphrase-env", "X"], "--key-passphrase-env"),
            (["pkcs11:?module-path=/a.so", "--pkcs11-module", "/b.so"], "contradicts the URI's module-path"),
            (["pkcs11:?pin-source=file:/a", "--passphrase-env", "X"], "contradicts the URI's pin-source"),
            (["me.p12", "--pkcs11-module", "/b.so"], "means nothing without '--identity pkcs11:…'"),
            (["me.p12", "--identity-certificate", "me.pem"], "means nothing without '--identity pkcs11:…'"),
        ]
        for (words, fragment) in cases {
            let run = try await world.belay(["check", "https://127.0.0.1:1", "--identity"] + words)
            #expect(run.status == 2 && run.errors.contains(fragment), "\(words): \(run.errors)")
            #expect(!run.errors.contains(TokenWorld.pin))
        }
        for words in [["inspect"], ["re-encrypt", "--out", world.folder("new.p12")]] {
            let run = try await world.belay(["identity"] + words + ["pkcs11:token=shop"])
            #expect(run.status == 2 && run.errors.contains("stays on its token"), "\(run.errors)")
        }
        let alone = try await world.belay(["get", "https://127.0.0.1:1", "--pkcs11-module", "/b.so"])
        #expect(alone.status == 2, "\(alone.errors)")
    }
}
