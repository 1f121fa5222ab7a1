import BelayCertificates
import Foundation
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "RFC 4648, section 10: the test vectors",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base64.encode(plain.bytes) == encoded)
        #expect(Base64.decode(encoded) == plain.bytes)
    }

    @Test(
        "Stray bits, missing or superfluous padding and other alphabets are refused",
        arguments: [
            "Zh==", "Zm9=", "Zg=", "Zg", "Z", "Zm8", "====", "=", "Zg===", "Zg==Zg==", "Zm-v", "Zm_v", "Zm 9v",
            "Zm9v\n",
            "Zm9v\u{0}", "Zm9\u{E9}",
        ])
    func refuses(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("White space is skipped anywhere, between padding too, where it is asked for")
    func skipsWhitespace() {
        let text = " Z\r\ng\t= \n= \n".bytes
        #expect(Base64.decode(text, in: 0..<text.count, skippingWhitespace: true) == [0x66])
        #expect(Base64.decode(text, in: 0..<text.count, skippingWhitespace: false) == nil)
    }

    @Test("Any bytes, wrapped at any column, come back as Foundation encodes them")
    func agreesWithFoundation() {
        var generator = SystemRandomNumberGenerator()
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let encoded = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == encoded)
            let column = Int.random(in: 1...80, using: &generator)
            var wrapped: [UInt8] = []
            for (index, unit) in encoded.utf8.enumerated() {
                if index > 0, index.isMultiple(of: column) { wrapped += [0x0D, 0x0A] }
                wrapped.append(unit)
            }
            #expect(Base64.decode(wrapped, in: 0..<wrapped.count, skippingWhitespace: true) == bytes)
        }
    }

    @Test("A part of a text is decoded, and a range beyond it is cut")
    func decodesPart() {
        let text = "--Zm9v--".bytes
        #expect(Base64.decode(text, in: 2..<6, skippingWhitespace: false) == "foo".bytes)
        #expect(Base64.decode("Zm9v".bytes, in: 0..<99, skippingWhitespace: false) == "foo".bytes)
    }
}
