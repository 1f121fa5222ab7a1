import BelayCertificates
import BelayLaboratory
import Foundation
import TestSupport
import Testing

@Suite("Passphrases on the command line")
struct PassphraseTests {
    private static let secret = "open sesame"
    private let folder: TemporaryFolder
    private let key: String

    init() throws {
        folder = try TemporaryFolder()
        let made = try PrivateKey.generate(.p256)
        key = try folder.write("key.pem", made.encryptedPKCS8PEM(passphrase: Secret(text: Self.secret)))
        try folder.write("right", Self.secret + "\r\nsecond line\n")
        try folder.write("wrong", "sesame\n")
    }

    private func csr(_ options: String..., environment: [String: String] = [:]) async throws -> Program.Run {
        try await Program.run(["csr", "--key", key, "--san", "a.test"] + options, environment: environment)
    }

    @Test("A file's first line, a descriptor and an environment variable open a key alike")
    func sources() async throws {
        #expect(try await csr("--passphrase-file", folder("right")).status == 0)
        #expect(try await csr("--passphrase-env", "NAME", environment: ["NAME": Self.secret]).status == 0)
        let program = try Program.executable().path
        // From one descriptor come two passphrases, a line each.
        let script = """
            exec 3<<< $'\(Self.secret)\\nnew one'
            "$0" csr --key "$1" --san a.test --passphrase-fd 3 > /dev/null 2>&1 || exit 1
            read -r rest <&3; echo "$rest"
            """
        let run = try await Tool.finish("bash", ["-c", script, program, key])
        #expect(run.status == 0 && run.text == "new one\n", "\(run.all)")
        let pipe = try await Tool.finish(
            "bash",
            ["-c", "echo '\(Self.secret)' | \"$0\" csr --key \"$1\" --san a.test --passphrase-fd 0", program, key])
        #expect(pipe.status == 0 && pipe.text.contains("BEGIN CERTIFICATE REQUEST"))
    }

    @Test("A wrong one, none, an empty variable and an unset one are told apart, and no secret is in any message")
    func faults() async throws {
        let cases: [([String], [String: String], Int32, String)] = [
            (["--passphrase-file", folder("wrong")], [:], 3, "does not open"),
            ([], [:], 3, "--passphrase-env NAME"),
            (["--passphrase-env", "NOBODY"], [:], 3, "no environment variable 'NOBODY'"),
            (["--passphrase-env", "WRONG"], ["WRONG": "sesame"], 3, "does not open"),
            (["--passphrase-fd", "77"], [:], 3, "descriptor 77"),
            (["--passphrase-fd", "1"], [:], 2, "0, or 3 and above"),
            (["--passphrase-fd", "0", "--passphrase-env", "X"], [:], 2, "exclude each other"),
            (["--new-passphrase-env", "X"], [:], 2, "--new-key"),
        ]
        for (options, environment, status, text) in cases {
            let run = try await Program.run(
                ["csr", "--key", key, "--san", "a.test"] + options, environment: environment)
            #expect(run.status == status && run.errors.contains(text), "\(options): \(run.errors)")
            #expect(!run.errors.contains("sesame"))
        }
    }

    @Test("They are the same wherever there is an identity", arguments: ["check", "get"])
    func identities(command: String) async throws {
        let client = try await Stage.shared.value.laboratory.world.client
        let file = try folder.write("me.p12", client.pkcs12(passphrase: Secret(text: Self.secret)))
        let arguments = [command, "https://127.0.0.1:1", "--identity", file]
        let right = try await Program.run(arguments + ["--passphrase-env", "P"], environment: ["P": Self.secret])
        #expect(right.status == 3 && !right.errors.contains("me.p12"), "\(right.errors)")
        let wrong = try await Program.run(arguments + ["--passphrase-env", "P"], environment: ["P": "sesame"])
        #expect(wrong.status == 3 && wrong.errors.contains("does not open"), "\(wrong.errors)")
        let none = try await Program.run(arguments)
        #expect(none.status == 3 && none.errors.contains("--passphrase-fd N"), "\(none.errors)")
        let alone = try await Program.run([command, "https://127.0.0.1:1", "--passphrase-env", "P"])
        #expect(alone.status == 2 && alone.errors.contains("'--passphrase-env' means nothing without '--identity'"))
    }

    /// Runs the program on a terminal of its own (util-linux's `script`), typing an answer to each question once it is there.
    private func onTerminal(_ arguments: [String], typing answers: [String]) async throws -> Tool.Result {
        try await onTerminal([try Program.executable().path] + arguments, answers)
    }

    private func onTerminal(_ words: [String], _ answers: [String]) async throws -> Tool.Result {
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        let typing = answers.map {
            "IFS= read -r -d : question <&4; printf '%s\\n' '\($0)' >&3; printf '%s:' \"$question\""
        }
        let script = """
            mkfifo "$0/in" "$0/out"
            script --quiet --return --command "$1" /dev/null < "$0/in" > "$0/out" & program=$!
            exec 3> "$0/in" 4< "$0/out"
            \(typing.joined(separator: "\n"))
            cat <&4
            wait $program
            """
        let place = try TemporaryFolder()
        return try await Tool.finish("bash", ["-c", script, place.path, command])
    }

    @Test("On a terminal the passphrase of a key that needs one is asked for, and not shown")
    func prompt() async throws {
        let run = try await onTerminal(["csr", "--key", key, "--san", "a.test"], typing: [Self.secret])
        #expect(run.status == 0 && run.text.contains("Passphrase of "), "\(run.all)")
        #expect(run.text.contains("BEGIN CERTIFICATE REQUEST") && !run.text.contains("sesame"))
    }

    @Test("A new passphrase is asked for twice, until both are the same and not empty")
    func newPassphrase() async throws {
        let place = folder("new.key")
        let run = try await onTerminal(
            ["csr", "--new-key", "p256", "--key-out", place, "--san", "a.test"],
            typing: ["one thing", "another", "", "", "the same", "the same"])
        #expect(run.status == 0, "\(run.all)")
        #expect(run.text.contains("The two are not the same") && run.text.contains("An empty passphrase"))
        #expect(!run.text.contains("the same\r\nThe same again") && !run.text.contains("one thing"))
        _ = try PrivateKey.read(contentsOf: place, passphrase: Secret(text: "the same"))
    }

    @Test(
        "A signal that ends the program at the question leaves the terminal as it was",
        arguments: [("TERM", 143), ("HUP", 129)])
    func signals(name: String, status: Int) async throws {
        // In the same process group as the shell, so that it may use the terminal.
        let script = """
            before=$(stty -g < /dev/tty)
            "$0" csr --key "$1" --san a.test & pid=$!
            for ((turn = 0; turn < 20000; turn++)); do stty -a < /dev/tty | grep -q " -echo " && break; done
            kill -\(name) $pid; wait $pid; status=$?
            after=$(stty -g < /dev/tty)
            [ "$before" = "$after" ] && echo "as before, status $status"
            """
        let file = try folder.write("signals", script)
        let run = try await onTerminal(
            ["bash", "-c", "source \(file)", try Program.executable().path, key], [])
        #expect(run.text.contains("as before, status \(status)"), "\(run.all)")
    }

    @Test("Ctrl-Z stops the program with the terminal as it was; once it goes on it asks again")
    func stops() async throws {
        let script = """
            set -m
            "$0" csr --key "$1" --san a.test
            echo "stopped $?"; stty -a < /dev/tty | grep -q " echo " && echo "it echoes"
            fg > /dev/null
            """
        let file = try folder.write("stops", script)
        let run = try await onTerminal(
            ["bash", "-c", "source \(file)", try Program.executable().path, key], ["\u{1A}", Self.secret])
        #expect(run.status == 0 && run.text.contains("stopped 148") && run.text.contains("it echoes"), "\(run.all)")
        #expect(run.text.contains("BEGIN CERTIFICATE REQUEST"), "\(run.all)")
    }

    @Test("Ctrl-D is an answer that was not given; a mistyped passphrase is asked for again, three times in all")
    func mistyped() async throws {
        let arguments = ["csr", "--key", key, "--san", "a.test"]
        let none = try await onTerminal(arguments, typing: ["\u{4}"])
        #expect(none.status == 3 && none.text.contains("no answer was given"), "\(none.all)")
        let third = try await onTerminal(arguments, typing: ["one", "two", Self.secret])
        #expect(third.status == 0 && third.text.contains("not its passphrase"), "\(third.all)")
        let never = try await onTerminal(arguments, typing: ["one", "two", "three"])
        #expect(never.status == 3 && never.text.contains("does not open"), "\(never.all)")
    }

    @Test(
        "What is converted is asked for again where it is mistyped, once for files of one passphrase, and the new one twice"
    )
    func conversion() async throws {
        let first = try PrivateKey.read(contentsOf: key, passphrase: Secret(text: Self.secret))
        let (second, third) = (try PrivateKey.generate(.p256), try PrivateKey.generate(.p256))
        let same = try folder.write("same.pem", second.encryptedPKCS8PEM(passphrase: Secret(text: Self.secret)))
        let other = try folder.write("other.pem", third.encryptedPKCS8PEM(passphrase: Secret(text: "of its own")))
        let place = folder("all.pem")
        let run = try await onTerminal(
            ["cert", "convert", key, same, other, "-o", place],
            typing: ["mistyped", Self.secret, "of its own", "new", "another", "new", "new"])
        #expect(run.status == 0, "\(run.all)")
        #expect(run.text.components(separatedBy: "not its passphrase").count == 2, "\(run.all)")
        #expect(run.text.components(separatedBy: "Passphrase of ").count == 4, "\(run.all)")
        #expect(run.text.contains("The two are not the same"), "\(run.all)")
        let keys = try KeyStore.read(contentsOf: place, passphrase: Secret(text: "new")).entries.compactMap { entry in
            if case .privateKey(let key) = entry.content { key } else { nil }
        }
        #expect(keys == [first, second, third])
        let never = try await onTerminal(
            ["cert", "convert", key, "-o", folder("never.pem")], typing: ["one", "two", "three"])
        #expect(never.status == 3 && never.text.contains("does not open"), "\(never.all)")
        #expect(!FileManager.default.fileExists(atPath: folder("never.pem")))
    }

    @Test("Several secrets come from standard input as from any descriptor, a line each; not beside a file from it")
    func standardInput() async throws {
        let program = try Program.executable().path
        let run = try await Tool.finish(
            "bash",
            [
                "-c",
                """
                printf 'one\\ntwo\\n' | "$0" ca init --passphrase-fd 0 --out "$1/ca" &&
                printf 'one\\ntwo\\n' | "$0" ca issue client ada --passphrase-fd 0 --new-passphrase-fd 0 --ca "$1/ca" --out "$1"
                """, program, folder.path,
            ])
        #expect(run.status == 0, "\(run.all)")
        _ = try Identity.read(contentsOf: folder("ada.p12"), passphrase: Secret(text: "two"))
        let both = try await Program.run("csr", "--key", "-", "--san", "a.test", "--passphrase-fd", "0")
        #expect(both.status == 2 && both.errors.contains("descriptor of a passphrase"), "\(both.errors)")
    }
}
