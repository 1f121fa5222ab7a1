import BelayCertificates
import BelayTrust
import Testing

@Suite("Pins as text")
struct PinTextTests {
    // printf '' | openssl dgst -sha256 -binary | base64
    private static let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let hexadecimal = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    @Test(
        "the same digest in every usual dress is the same pin",
        arguments: [
            base64, "sha256/" + base64, "sha256//" + base64, "pin-sha256=\"\(base64)\"", "pin-sha256=\"\(base64)\";",
            "SHA256/" + base64, "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "sha256:" + hexadecimal, hexadecimal,
            hexadecimal.uppercased(),
            "E3:B0:C4:42:98:FC:1C:14:9A:FB:F4:C8:99:6F:B9:24:27:AE:41:E4:64:9B:93:4C:A4:95:99:1B:78:52:B8:55",
        ])
    func dresses(text: String) throws {
        #expect(try SPKIPin(text: text) == SPKIPin(SHA256Digest(of: [])))
    }

    // printf 70 | openssl dgst -sha256 -binary | base64
    private static let slash = "/1oa4BKvpdTIicUK1Ceq9UXTGk+sBP/BxNA9QDukJQo="

    @Test(
        "a digest that begins with a slash keeps it after either prefix",
        arguments: [
            slash, "sha256/" + slash, "sha256//" + slash, "SHA256/" + slash, "pin-sha256=\"\(slash)\"",
            "sha256/" + slash.dropLast(), "sha256//" + slash.dropLast(),
            "sha256/_1oa4BKvpdTIicUK1Ceq9UXTGk-sBP_BxNA9QDukJQo",
        ])
    func leadingSlash(text: String) throws {
        #expect(try SPKIPin(text: text) == SPKIPin(SHA256Digest(of: Array("70".utf8))))
    }

    @Test(
        "a SHA-1 pin is refused as such",
        arguments: [
            "sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709", "pin-sha1=\"2jmj7l5rSw0yVb/vlWAYkK/YBwk=\"",
        ])
    func sha1(text: String) {
        do throws(SPKIPinError) {
            _ = try SPKIPin(text: text)
            Issue.record("\(text) was taken for a pin")
        } catch {
            #expect(error.reason == .sha1)
            #expect(error.description.contains("SHA-256"))
        }
    }

    @Test(
        "what is no pin is refused with the form that is wanted",
        arguments: [
            "", "hello", base64 + "A", "sha256/", String(hexadecimal.dropLast(2)), "sha512/" + base64, "=" + base64,
        ])
    func refused(text: String) {
        #expect(throws: SPKIPinError.self) { try SPKIPin(text: text) }
    }

    @Test("a file of lines gives its pins, and one bad line is an error with its number")
    func lines() throws {
        let good = "# servers\r\n\r\nsha256/\(Self.base64)\r\n  \(Self.hexadecimal)  \r\n"
        #expect(try PinSet.read(bytes: Array(good.utf8), name: "pins").keys.count == 1)
        do throws(PinSetError) {
            _ = try PinSet.read(bytes: Array("\(Self.base64)\nsha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=\n".utf8), name: "pins")
            Issue.record("a SHA-1 pin was accepted")
        } catch {
            #expect(error.line == 2)
            #expect(error.description.hasPrefix("pins:2:"))
        }
    }
}
