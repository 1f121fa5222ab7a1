import BelayCertificates
import Testing

@Suite("pkcs11: URIs")
struct PKCS11URITests {
    @Test("The attributes of RFC 7512 that say which key are read, percent-encoding undone")
    func attributes() throws {
        // After the examples of RFC 7512, section 3.
        let uri = try PKCS11URI(
            "pkcs11:token=The%20Software%20PKCS%2311%20Softtoken;manufacturer=Snake%20Oil,%20Inc.;model=1.0;"
                + "serial=4a:0b;object=my-certificate;type=private;id=%69%95%3E%5C%F4%BD%EC%91"
                + "?pin-source=file:/etc/token_pin&module-path=/usr/lib/a%26b.so")
        #expect(uri.token == "The Software PKCS#11 Softtoken")
        #expect(uri.manufacturer == "Snake Oil, Inc." && uri.model == "1.0" && uri.serial == "4a:0b")
        #expect(uri.object == "my-certificate")
        #expect(uri.id == [0x69, 0x95, 0x3E, 0x5C, 0xF4, 0xBD, 0xEC, 0x91])
        #expect(uri.pinFile == "/etc/token_pin" && uri.modulePath == "/usr/lib/a&b.so")
    }

    @Test("An empty path, three slashes before a file and a label in another script are allowed")
    func corners() throws {
        let empty = try PKCS11URI("pkcs11:")
        #expect(empty.token == nil && empty.object == nil && empty.id == nil && empty.description == "pkcs11:")
        #expect(try PKCS11URI("pkcs11:?pin-source=file:///etc/pin").pinFile == "/etc/pin")
        #expect(try PKCS11URI("pkcs11:object=%C5%A0%C3%A1rka").object == "Šárka")
        #expect(try PKCS11URI("PKCS11:object=a=b&c").object == "a=b&c")
    }

    @Test(
        "What it prints means the same again",
        arguments: [
            "pkcs11:", "pkcs11:token=a%3bb;id=%00%ff", "pkcs11:object=%c3%a9%20%26;serial=1?module-path=/a/b%20c",
            "pkcs11:model=x;manufacturer=y?pin-source=file:/p%25q",
        ])
    func roundTrip(text: String) throws {
        let uri = try PKCS11URI(text)
        #expect(try PKCS11URI(uri.description) == uri)
    }

    @Test(
        "What is wrong is told with its place",
        arguments: [
            ("file:/x", 0, .scheme), ("pkcs11:token", 7, .noAttribute), ("pkcs11:token=a;", 15, .noAttribute),
            ("pkcs11:=a", 7, .noAttribute), ("pkcs11:token=a;token=b", 15, .repeated("token")),
            ("pkcs11:slot-id=1", 7, .unsupported("slot-id")), ("pkcs11:module-path=/a", 7, .unsupported("module-path")),
            ("pkcs11:?token=a", 8, .unsupported("token")), ("pkcs11:?module-name=p", 8, .unsupported("module-name")),
            ("pkcs11:token=a b", 14, .character), ("pkcs11:token=a/b", 14, .character),
            ("pkcs11:token=é", 13, .character), ("pkcs11:token=%4", 13, .encoding), ("pkcs11:token=%+1", 13, .encoding),
        ] as [(String, Int, PKCS11URIError.Problem)])
    func faults(text: String, offset: Int, problem: PKCS11URIError.Problem) {
        let error = #expect(throws: PKCS11URIError.self) { try PKCS11URI(text) }
        #expect(error?.offset == offset && error?.problem == problem)
    }

    @Test(
        "A value that cannot be meant is told by its attribute",
        arguments: [
            ("pkcs11:type=cert", "type", 12), ("pkcs11:id=", "id", 10), ("pkcs11:token=%FF", "token", 13),
            ("pkcs11:object=a%00b", "object", 14), ("pkcs11:?module-path=lib.so", "module-path", 20),
            ("pkcs11:?pin-source=/etc/pin", "pin-source", 19), ("pkcs11:?pin-source=%7C/usr/bin/pin", "pin-source", 19),
            ("pkcs11:?pin-source=file://host/pin", "pin-source", 19), ("pkcs11:?pin-source=file:/", "pin-source", 19),
        ])
    func values(text: String, attribute: String, offset: Int) {
        do {
            _ = try PKCS11URI(text)
            Issue.record("\(text) was taken")
        } catch {
            guard case .value(of: attribute, _) = error.problem else {
                Issue.record("\(error)")
                return
            }
            #expect(error.offset == offset)
        }
    }

    @Test("A PIN in a URI is refused, wherever it stands, and shown by nothing")
    func pinValue() {
        for text in [
            "pkcs11:token=a?pin-value=83619274", "pkcs11:pin-value=83619274",
            "pkcs11:?pin-value=83619274&pin-source=file:/p",
            "pkcs11:token=a?pin-source=83619274", "pkcs11:?83619274", "pkcs11:type=83619274", "pkcs11:token=a 83619274",
        ] {
            do {
                _ = try PKCS11URI(text)
                Issue.record("\(text) was taken")
            } catch {
                #expect(!"\(error)".contains("83619274") && !String(reflecting: error).contains("83619274"))
                if text.contains("pin-value") { #expect(error.problem == .pinValue) }
            }
        }
    }

    @Test("However a URI is damaged, it is refused within its bounds or means the same again once printed")
    func mutations() throws {
        let seed = Array("pkcs11:token=a%20b;object=c;id=%01%02;type=private?pin-source=file:/p&module-path=/m".utf8)
        let alphabet = Array("pkcs1:;?&=%/ab01\u{0}é".utf8)
        // Numerical Recipes' generator: the same cases each time.
        var state: UInt32 = 1
        func next(_ bound: Int) -> Int {
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int(state >> 8) % bound
        }
        var taken = 0
        for _ in 0..<20_000 {
            var units = seed
            for _ in 0...next(4) {
                let place = next(units.count)
                switch next(3) {
                case 0: units[place] = alphabet[next(alphabet.count)]
                case 1: units.insert(alphabet[next(alphabet.count)], at: place)
                default: units.remove(at: place)
                }
            }
            let text = String(decoding: units, as: UTF8.self)
            let uri: PKCS11URI
            do { uri = try PKCS11URI(text) } catch {
                #expect((0...text.utf8.count).contains(error.offset), "\(text)")
                continue
            }
            taken += 1
            try #require((try? PKCS11URI(uri.description)) == uri, "\(text)")
        }
        #expect(taken > 100 && taken < 19_900)
    }
}
