import BelayTransportSecurity
import BelayTrust
import Testing

@Suite("reading a configuration")
struct ConfigurationTests {
    /// Rule, key path and line of each finding.
    private func places(_ configuration: TransportSecurityConfiguration) -> [String] {
        configuration.findings.map { finding in
            guard case .file(let file, let path, let line) = finding.place else { return "-" }
            return "\(finding.rule) \(file):\(line ?? 0) \(path.joined(separator: "/"))"
        }
    }

    @Test("a whole Info.plist and the bare dictionary mean the same; key paths say which it was")
    func contents() throws {
        let bare = "<dict>\n<key>NSAllowsArbitraryLoads</key><string>YES</string></dict>"
        let whole = "<dict><key>CFBundleName</key><string>x</string><key>NSAppTransportSecurity</key>\(bare)</dict>"
        for text in [bare, whole] {
            let read = try configuration(text, contents: .automatic)
            #expect(read.isPresent && read.allowsArbitraryLoads == nil && read.isMalformed)
        }
        #expect(
            places(try configuration(bare, contents: .automatic)) == [
                "ats.wrong-type Info.plist:2 NSAllowsArbitraryLoads"
            ])
        #expect(
            places(try configuration(whole, contents: .automatic)) == [
                "ats.wrong-type Info.plist:2 NSAppTransportSecurity/NSAllowsArbitraryLoads"
            ])
        #expect(try !configuration("<dict><key>UIKey</key><true/></dict>", contents: .automatic).isPresent)
        // A mistyped key alone makes it the bare dictionary, too.
        #expect(
            try configuration("<dict><key>NSAllowArbitraryLoads</key><true/></dict>", contents: .automatic).isPresent)
    }

    @Test(
        "a variant of the dictionary for a platform or device is an error, and what it says does not count",
        arguments: [
            "~iphone", "~ipad", "~ipod", "-iphoneos", "-iphoneos~ipad", "-iphoneos~iphone", "-macos", "-tvos",
            "~unknown",
        ])
    func platformKeys(suffix: String) throws {
        let open = "<dict><key>NSAllowsArbitraryLoads</key><true/></dict>"
        let key = "NSAppTransportSecurity\(suffix)"
        for plain in ["", "<key>NSAppTransportSecurity</key><dict/>", "<key>NSExceptionDomains</key><dict/>"] {
            let read = try configuration("<dict>\n<key>\(key)</key>\(open)\n\(plain)</dict>", contents: .automatic)
            #expect(places(read).first == "ats.platform-key Info.plist:2 \(key)")
            #expect(read.isMalformed && read.allowsArbitraryLoads == nil)
            #expect(try !read.decide("http://a.test/").isAllowed)
            #expect(try read.decide("https://a.test/").isAllowed)
            let url = try TransportSecurityURL("https://a.test/")
            let refused = try read.decide("https://a.test/", as: .enforcement)
            #expect(!refused.isAllowed)
            #expect(refused.refusals(for: url, file: "x").first?.rule.identifier == "ats.platform-key")
        }
    }

    @Test("keys that only begin like the dictionary are no variants of it")
    func noPlatformKeys() throws {
        for key in [
            "NSAppTransportSecurity", "NSAppTransportSecurity~", "NSAppTransportSecurity-", "UIMainStoryboardFile~ipad",
        ] {
            let read = try configuration("<dict><key>\(key)</key><dict/></dict>", contents: .infoPlist)
            #expect(!read.rules.contains("ats.platform-key"), "\(key)")
        }
    }

    @Test("the dictionary counts at the top level only; elsewhere, and its keys outside it, are errors")
    func topLevel() throws {
        let inner = "<dict><key>NSAllowsArbitraryLoads</key><true/></dict>"
        let text = """
            <dict>
            <key>NSExtension</key><dict>
            <key>NSAppTransportSecurity</key>\(inner)</dict>
            <key>NSExceptionDomains</key><dict/>
            <key>NSAppTransportSecurty</key>\(inner)
            <key>NSApptransportSecurity</key>\(inner)
            <key>List</key><array><dict><key>NSAppTransportSecurity</key><dict/></dict></array>
            </dict>
            """
        let read = try configuration(text, contents: .infoPlist)
        #expect(!read.isPresent && read.allowsArbitraryLoads == nil)
        #expect(
            places(read) == [
                "ats.not-at-top-level Info.plist:3 NSExtension/NSAppTransportSecurity",
                "ats.not-at-top-level Info.plist:4 NSExceptionDomains",
                "ats.unknown-key Info.plist:5 NSAppTransportSecurty",
                "ats.unknown-key Info.plist:6 NSApptransportSecurity",
                "ats.not-at-top-level Info.plist:7 List/NSAppTransportSecurity",
            ])
    }

    @Test("what is no dictionary counts as an empty one, and is an error")
    func notDictionary() throws {
        let read = try configuration(
            "<dict>\n<key>NSAppTransportSecurity</key><array/></dict>", contents: .infoPlist)
        #expect(places(read) == ["ats.not-a-dictionary Info.plist:2 NSAppTransportSecurity"])
        #expect(try read.decide("http://example.com/").errorCode == -1_022)
        #expect(try configuration("<array/>", contents: .automatic).rules == ["ats.wrong-type"])
    }

    @Test(
        "a global Boolean has three states: a number equal to 1 is true, another one false, and anything else is not there",
        arguments: [
            ("<true/>", true, false), ("<false/>", false, false), ("<integer>1</integer>", true, true),
            ("<integer>0</integer>", false, true), ("<integer>2</integer>", false, true),
            ("<real>1.0</real>", true, true),
            ("<real>1.5</real>", false, true), ("<string>YES</string>", nil, true),
            ("<string>true</string>", nil, true),
            ("<array/>", nil, true), ("<dict/>", nil, true), ("<date>2026-01-01T00:00:00Z</date>", nil, true),
            ("<data>AQ==</data>", nil, true),
        ] as [(String, Bool?, Bool)])
    func globalBooleans(value: String, meaning: Bool?, isError: Bool) throws {
        let keys: [(String, KeyPath<TransportSecurityConfiguration, Bool?>)] = [
            ("NSAllowsArbitraryLoads", \.allowsArbitraryLoads),
            ("NSAllowsArbitraryLoadsForMedia", \.allowsArbitraryLoadsForMedia),
            ("NSAllowsArbitraryLoadsInWebContent", \.allowsArbitraryLoadsInWebContent),
            ("NSAllowsLocalNetworking", \.allowsLocalNetworking),
        ]
        for (key, path) in keys {
            let read = try configuration("<dict><key>\(key)</key>\(value)</dict>")
            #expect(read[keyPath: path] == meaning)
            #expect(read.rules == (isError ? ["ats.wrong-type"] : []))
        }
    }

    @Test("of two keys of one name the last one counts in XML, the first one in binary; both are errors")
    func duplicates() throws {
        let members = [true, false].map {
            PlistMember(
                key: "NSAllowsArbitraryLoads", keyPosition: PlistPosition(offset: 7), node: PlistNode(.boolean($0)))
        }
        for (format, value) in [(PlistFormat.xml, false), (.oldStyle, false), (.binary, true)] {
            let read = TransportSecurityConfiguration(
                PlistDocument(format: format, root: PlistNode(.dictionary(members))), file: "f", contents: .dictionary)
            #expect(read.allowsArbitraryLoads == value)
            #expect(read.rules == ["ats.duplicate-key"])
            // Binary files have no lines; the message has the byte.
            #expect(read.findings[0].message.contains("byte 7"))
        }
        let whole = "<key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key>"
        let read = try configuration(
            "<dict>\(whole)<true/></dict>\n\(whole)<false/></dict></dict>", contents: .infoPlist)
        #expect(read.allowsArbitraryLoads == false)
        #expect(places(read) == ["ats.duplicate-key Info.plist:1 NSAppTransportSecurity"])
        let inside = try configuration(
            exception("a.test", insecure + "<key>NSIncludesSubdomains</key><true/>" + insecure))
        #expect(inside.rules == ["ats.duplicate-key"])
    }

    @Test(
        "an unknown key is an error, with the one that is meant",
        arguments: [
            ("NSAllowArbitraryLoads", "NSAllowsArbitraryLoads"), ("Allow Arbitrary Loads", "NSAllowsArbitraryLoads"),
            ("nsallowsarbitraryloads", "NSAllowsArbitraryLoads"),
            ("NSAllowsArbitraryLoadsInMedia", "NSAllowsArbitraryLoadsForMedia"),
            ("NSExceptionDomain", "NSExceptionDomains"), ("NSPinnedDomain", "NSPinnedDomains"), ("Colour", nil),
            ("NSAllowsArbitraryLoads ", "NSAllowsArbitraryLoads"), ("NSRequiresNIAPTLSPackageVersio\u{212A}", nil),
        ] as [(String, String?)])
    func unknownKeys(key: String, meant: String?) throws {
        let read = try configuration("<dict><key>\(key)</key><true/></dict>")
        #expect(read.rules == ["ats.unknown-key"])
        if let meant { #expect(read.findings[0].expected == meant) }
        #expect(read.isMalformed)
    }

    @Test(
        "the same in an entry",
        arguments: [
            ("NSIncludesSubdomain", "NSIncludesSubdomains"), ("NSIncludeSubdomains", "NSIncludesSubdomains"),
            ("NSExceptionAllowInsecureHTTPLoads", "NSExceptionAllowsInsecureHTTPLoads"),
            ("NSTemporaryExceptionAllowsInsecureHTTPSLoads", "NSTemporaryExceptionAllowsInsecureHTTPLoads"),
            ("NSExceptionMinimumTlsVersion", "NSExceptionMinimumTLSVersion"),
        ])
    func unknownKeysInEntries(key: String, meant: String) throws {
        let read = try configuration(exception("a.test", "<key>\(key)</key><true/>"))
        #expect(read.rules == ["ats.unknown-key"] && read.findings[0].expected == meant)
    }

    @Test("a key of another dictionary is said to belong there")
    func misplaced() throws {
        let inEntry = try configuration(exception("a.test", "<key>NSAllowsLocalNetworking</key><true/>"))
        #expect(inEntry.rules == ["ats.misplaced-key"] && inEntry.allowsLocalNetworking == nil)
        let amongDomains = try configuration(
            "<dict><key>NSExceptionDomains</key><dict><key>NSAllowsArbitraryLoads</key><true/></dict></dict>")
        #expect(
            amongDomains.rules == ["ats.misplaced-key", "ats.wrong-type"] && amongDomains.allowsArbitraryLoads == nil)
        let above = try configuration("<dict>\(insecure)</dict>")
        #expect(above.rules == ["ats.misplaced-key"])
        let pins = try configuration(exception("a.test", "<key>NSPinnedLeafIdentities</key><array/>"))
        #expect(pins.rules == ["ats.misplaced-key"])
    }

    @Test("canonically equivalent characters make another key")
    func literalKeys() throws {
        // The sign of the kelvin is equivalent to a K.
        let element = "<dict><key>SP\u{212A}I-SHA256-BASE64</key><string>\(pinA)</string></dict>"
        let read = try configuration(
            "<dict><key>NSPinnedDomains</key><dict><key>a.test</key><dict><key>NSPinnedLeafIdentities</key><array>\(element)</array></dict></dict></dict>"
        )
        #expect(read.rules.contains("ats.unknown-key") && read.rules.contains("ats.pins-nothing"))
    }

    @Test("findings are bounded, and what is not kept still counts")
    func manyFindings() throws {
        let entries = (0..<2_000).map { "<key>*.\($0).test</key><dict/>" }.joined()
        let read = try configuration("<dict><key>NSExceptionDomains</key><dict>\(entries)</dict></dict>")
        #expect(read.findings.count == 1_000 && read.isMalformed)
        #expect(read.exceptionDomains.entries.count == 2_000)
    }

    @Test("files are read by path, and an error names the file")
    func files() throws {
        let error = #expect(throws: TransportSecurityFileError.self) {
            try TransportSecurityConfiguration.read(contentsOf: "/nowhere/Info.plist")
        }
        #expect(error?.description.hasPrefix("/nowhere/Info.plist: ") == true)
    }

    @Test("the rules of the findings are all in the catalogue, each with its words")
    func catalogue() {
        let identifiers = TransportSecurityRules.all.map(\.identifier)
        #expect(identifiers == identifiers.sorted() && Set(identifiers).count == identifiers.count)
        #expect(Set(identifiers).isDisjoint(with: RuleCatalogue.all.map(\.identifier)))
        for rule in TransportSecurityRules.all {
            #expect(
                rule.identifier.hasPrefix("ats.") && !rule.summary.isEmpty && !rule.remedy.isEmpty
                    && !rule.source.isEmpty)
        }
    }
}

/// Digests of 32 bytes, of nothing in particular.
let pinA = "i9HalScvf6T/skE3/A7QOq5n5cTYs8UHNOEFCnkguSI="
let pinB = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="
