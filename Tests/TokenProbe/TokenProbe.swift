import BelayCertificates
import Glibc

/// Does with a key on a token, in a process of its own, what the tests want to know; they cannot in theirs, whose environment is
/// everybody's.
///
///     token-probe (exports|pins|threads) URI CERTIFICATES
///
/// The PIN is in the variable PIN. Prints a line for each thing that was tried.
@main
enum TokenProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let pin = getenv("PIN").map({ Secret(text: String(cString: $0)) }) else { exit(2) }
        let uri = try PKCS11URI(arguments[2])
        switch arguments[1] {
        case "exports":
            let certificates = try Certificate.read(contentsOf: arguments[3])
            try exports(.onToken(uri, certificates: certificates, pin: pin))
        case "pins": pins(uri, pin)
        case "threads": try await threads(uri, pin)
        default: exit(2)
        }
    }

    /// Tries to write the key in every form.
    private static func exports(_ identity: Identity) throws {
        let key = identity.privateKey
        let passphrase = Secret(text: "secret")
        report("pkcs8DER") { _ = try key.pkcs8DER() }
        report("pkcs8PEM") { _ = try key.pkcs8PEM() }
        report("encryptedPKCS8DER") { _ = try key.encryptedPKCS8DER(passphrase: passphrase) }
        report("encryptedPKCS8PEM") { _ = try key.encryptedPKCS8PEM(passphrase: passphrase) }
        report("pem") { _ = try identity.pem() }
        report("pkcs12") { _ = try identity.pkcs12(passphrase: passphrase) }
        print("described as \(key)")
    }

    /// Opens the token with the right PIN, another and none, before and after it is open.
    private static func pins(_ uri: PKCS11URI, _ pin: Secret) {
        let wrong = Secret(text: "9999")
        for (name, pin) in [
            ("wrong", wrong), ("none", nil), ("right", pin), ("wrong", wrong), ("none", nil), ("right", pin),
        ] {
            report(name) { _ = try PrivateKey.onToken(uri, pin: pin) }
        }
    }

    /// Signs from many tasks while others ask for the same key again.
    private static func threads(_ uri: PKCS11URI, _ pin: Secret) async throws {
        let first = try PrivateKey.onToken(uri, pin: pin)
        guard let verification = VerificationKey(first.publicKey) else { exit(3) }
        let good = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var good = 0
                    for round in 0..<25 {
                        let key = task.isMultiple(of: 2) ? first : try PrivateKey.onToken(uri, pin: pin)
                        let message = Array("task \(task), round \(round)".utf8)
                        let signature = try key.sign(message, with: key.usualSignatureAlgorithm)
                        let isGood = verification.verifies(
                            signature, over: message, in: 0..<message.count, with: key.usualSignatureAlgorithm)
                        good += isGood ? 1 : 0
                    }
                    return good
                }
            }
            return try await group.reduce(0, +)
        }
        print("\(good) good signatures")
    }

    private static func report(_ name: String, _ body: () throws -> Void) {
        do {
            try body()
            print("\(name): done")
        } catch {
            print("\(name): \(error)")
        }
    }
}
