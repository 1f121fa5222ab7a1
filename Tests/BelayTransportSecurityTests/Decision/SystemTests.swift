import BelayTransportSecurity
import Foundation
import Testing

@Suite("systems, URLs and answers over a range")
struct SystemTests {
    @Test(
        "versions and ranges are read, and told as they were written",
        arguments: [
            "ios9", "ios17.2", "ios18.4.1", "ios10-16", "ios9-18.3", "ios18.4+", "macos10.12-13", "macos10.11",
            "sdk<ios9",
        ])
    func systems(text: String) throws {
        #expect(try SystemRange(text).description == text)
    }

    @Test(
        "what is none is refused",
        arguments: [
            "", "ios", "ios+", "17", "iOS17", "ios17-", "ios17-16", "ios-17", "ios17-18+", "ios17.", "ios.17",
            "ios1.2.3.4",
            "ios99999", "windows11", "ios 17", "sdk<ios10", "ios17-macos14", "ios9-10-11",
        ])
    func noSystems(text: String) {
        #expect(throws: SystemRangeError.self) { try SystemRange(text) }
    }

    @Test("over a range a field that differs is null, and the changes say from where on it is what")
    func changes() throws {
        let plain = try configuration("<dict/>")
        let url = try TransportSecurityURL("http://203.0.113.1/")
        func changes(_ range: String) throws -> [String] {
            plain.answer(for: url, on: try SystemRange(range)).changes.filter { $0.field == "allowed" }
                .map { "\($0.system) \($0.value == .flag(true))" }
        }
        #expect(try changes("ios9+") == ["ios9 false", "ios10 true", "ios17 false"])
        #expect(try changes("ios10-16") == [])
        // The end of a range is the last version that is called so.
        #expect(try changes("ios10-17") == ["ios10 true", "ios17 false"])
        #expect(try changes("macos10.11+") == ["macos10.11 false", "macos10.12 true", "macos14 false"])
        #expect(plain.answer(for: url, on: try SystemRange("ios9+")).isAllowed == nil)
        #expect(plain.answer(for: url, on: try SystemRange("ios10-16")).isAllowed == true)
        let legacy = try configuration(
            exception("a.test", "<key>NSTemporaryExceptionAllowsInsecureHTTPLoads</key><true/>"))
        let answer = legacy.answer(for: try TransportSecurityURL("http://a.test/"), on: try SystemRange("ios18-18"))
        #expect(answer.isAllowed == nil && answer.why.contains("From ios18.4:"))
        #expect(
            legacy.answer(for: try TransportSecurityURL("http://a.test/"), on: try SystemRange("ios9-18.3")).isAllowed
                == true)
    }

    @Test(
        "scheme and host are what counts of a URL",
        arguments: [
            ("HTTP://A.Test:8080/x?y#z", "http", "a.test"), ("https://user:pass@a.test/", "https", "a.test"),
            ("http://[2001:DB8::1]:80", "http", "2001:db8::1"), ("http://192.0.2.1?x", "http", "192.0.2.1"),
            ("http://bücher.test/", "http", "xn--bcher-kva.test"),
            ("http://bücher.test./", "http", "xn--bcher-kva.test."),
            ("wss://a.test", "wss", "a.test"), ("data:,x", "data", ""), ("http://a.test:/", "http", "a.test"),
            ("http://a@b@c.test/", "http", "c.test"), ("http://[fe80::1%25eth0]/", "http", "fe80::1%25eth0"),
        ])
    func urls(text: String, scheme: String, host: String) throws {
        let url = try TransportSecurityURL(text)
        #expect(url.scheme == scheme && url.host == host)
    }

    @Test(
        "what is no URL is refused, without repeating what may be a password",
        arguments: [
            "", "a.test", "//a.test", "http:", "http://", "http:///x", "http://a b/", "http://a\u{0}/", "http://a\\b/",
            "http://[::1/",
            "http://[x]/", "http://a.test:x/", "http://a.test:65536/", "1http://a/", "http://a\"b/",
            "http://me:secret@/",
        ])
    func noURLs(text: String) {
        let error = #expect(throws: TransportSecurityURLError.self) { try TransportSecurityURL(text) }
        #expect(error?.description.contains("secret") == false)
    }

    @Test("a line of NDJSON that is no case is refused by what is wrong, with its name where it has one")
    func lines() {
        func refusal(_ line: String) -> TransportSecurityCaseError? {
            do throws(TransportSecurityCaseError) {
                _ = try TransportSecurityCase(json: Array(line.utf8))
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(#"{"id":"a","plist":{},"url":"http://a.test/"}"#) == nil)
        #expect(refusal(#"{"id":"a","plist":{},"url":"http://a.test/","os":null,"context":null,"niap":[null]}"#) == nil)
        #expect(refusal(#"{"id":"a","plist":null,"url":"http://a.test/"}"#) == nil)
        for (line, id, part) in [
            (#"{"id":"a","plist":{},"url":"http://a/","colour":null}"#, "a", "colour"),
            ("{", nil, "JSON"), ("[]", nil, "an object"), ("{} x", nil, "the end"), ("\u{FF}", nil, "JSON"),
            (#"{"plist":{},"url":"http://a/"}"#, nil, "id"), (#"{"id":"a","url":"http://a/"}"#, "a", "plist"),
            (#"{"id":"a","plist":{}}"#, "a", "url"), (#"{"id":"a","plist":{},"url":"a"}"#, "a", "url"),
            (#"{"id":"a","plist":{},"url":"http://a/","os":"x"}"#, "a", "os"),
            (#"{"id":"a","plist":{},"url":"http://a/","context":"x"}"#, "a", "context"),
            (#"{"id":"a","plist":{},"url":"http://a/","colour":1}"#, "a", "colour"),
            (#"{"id":"a","plist":{},"plist":{},"url":"http://a/"}"#, nil, "twice"),
            (#"{"id":"a","plist":{"a":1,"a":2},"url":"http://a/"}"#, nil, "twice"),
            (#"{"id":"a","plist":{"a":null},"url":"http://a/"}"#, nil, "null"),
            (#"{"id":1,"plist":{},"url":"http://a/"}"#, nil, "id"),
            (#"{"id":"a","plist":{"a":01},"url":"http://a/"}"#, nil, "JSON"),
        ] as [(String, String?, String)] {
            let error = refusal(line)
            #expect(error?.id == id && error?.message.contains(part) == true, "\(line): \(error?.message ?? "read")")
        }
    }

    @Test("an explanation tells the keys in the order in which they are looked at")
    func explanation() throws {
        let read = try configuration(
            """
            <dict><key>NSAllowsArbitraryLoads</key><true/><key>NSExceptionDomains</key><dict>
            <key>a.test</key><dict/></dict></dict>
            """)
        let told = read.explanation(for: try TransportSecurityURL("http://c.b.a.test/"))
        #expect(
            told.steps.map { $0.keyPath.joined(separator: "/") } == [
                "NSExceptionDomains/c.b.a.test", "NSExceptionDomains/b.a.test", "NSExceptionDomains/a.test",
                "NSExceptionDomains/test", "NSAllowsArbitraryLoads",
            ])
        let local = read.explanation(for: try TransportSecurityURL("http://localhost/"), on: try SystemRange("ios12"))
        #expect(
            local.steps.map { $0.keyPath.joined(separator: "/") } == [
                "NSExceptionDomains/localhost", "NSAllowsLocalNetworking",
            ])
    }
}
