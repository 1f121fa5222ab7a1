import BelayCertificates
import BelayLaboratory
import Foundation
import TestSupport
import Testing

/// Chains in files beside an Info.plist: what can be judged without a connection is, and the rest is said not to be.
@Suite("trust evaluate under an Info.plist")
struct ChainInfoPlistTests {
    /// A chain in a file, and the options that make it good for a host.
    private struct Chain {
        let folder: TemporaryFolder
        let host = "www.test"
        let arguments: [String]
        let leaf: Certificate
        let between: Certificate

        /// Below an intermediate of its own.
        init(
            leafKey: PrivateKey.Specification = .p256, authorityKey: PrivateKey.Specification = .p256,
            leafHash: SignatureAlgorithm.Hash? = nil, authorityHash: SignatureAlgorithm.Hash? = nil,
            days: Int? = nil
        ) async throws {
            let stage = try await Stage.shared.value
            folder = try TemporaryFolder()
            var authority = CertificateTemplate.authority(named: "Between")
            if let authorityHash { authority.signatureAlgorithm = .ecdsa(authorityHash) }
            let issuer = try stage.laboratory.world.authorities.publicRoot.issueAuthority(
                authority, key: .generate(authorityKey))
            var template = CertificateTemplate.server(names: [host])
            if let leafHash { template.signatureAlgorithm = .ecdsa(leafHash) }
            let identity = try issuer.issueIdentity(template, key: .generate(leafKey))
            leaf = try identity.certificates.first.unwrapped
            between = try identity.certificates.dropFirst().first.unwrapped
            arguments = [
                "trust", "evaluate", "--chain",
                try folder.write("chain.pem", identity.certificates.map(\.pem).joined()),
                "--host", host, "--anchor", stage.anchors, "--no-system-anchors",
            ]
        }

        func plist(_ keys: String) throws -> String {
            try folder.write(
                "Info.plist", "<plist><dict><key>NSAppTransportSecurity</key><dict>\(keys)</dict></dict></plist>")
        }

        func entry(_ keys: String, _ host: String? = nil) throws -> String {
            try plist("<key>NSExceptionDomains</key><dict><key>\(host ?? self.host)</key><dict>\(keys)</dict></dict>")
        }

        func pinned(_ lists: (String, [String])...) throws -> String {
            let text = lists.map { name, pins in
                "<key>\(name)</key><array>"
                    + pins.map { "<dict><key>SPKI-SHA256-BASE64</key><string>\($0)</string></dict>" }.joined()
                    + "</array>"
            }
            return try plist(
                "<key>NSPinnedDomains</key><dict><key>\(host)</key><dict>\(text.joined())</dict></dict>")
        }

        func run(_ plist: String, _ more: String...) async throws -> Program.Run {
            try await Program.run(arguments + ["--info-plist", plist] + more)
        }
    }

    private static let nobody = "dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0="

    @Test("what only a connection shows is said not to be checked, in words and in JSON, and never to hold")
    func notChecked() async throws {
        let chain = try await Chain()
        let run = try await chain.run("default")
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("the connection itself was not checked") && run.output.contains("ats.not-checked"))
        #expect(run.output.contains("TLS 1.2 or newer") && run.output.contains("forward secrecy"))
        let json = try await chain.run("default", "--format", "json").json()
        let demands = try #require(json["transportSecurity"] as? [String: Any])
        #expect(demands["allowed"] as? Bool == true && demands["os"] as? String == "ios18.4+")
        #expect(
            demands["notChecked"] as? [String]
                == ["minimum-version", "forward-secrecy", "cipher-suite", "delivered-timestamps"])
        let requirements = try #require(demands["requirements"] as? [String: Any])
        #expect(
            requirements["minimumVersion"] as? String == "TLS 1.2" && requirements["minimumRSABits"] as? Int == 2_048)
        #expect((json["summary"] as? String)?.contains("not checked") == true)
        // What is not demanded need not be said.
        let eased = try chain.entry(
            "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string>"
                + "<key>NSExceptionRequiresForwardSecrecy</key><false/><key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"
        )
        let other = try await chain.run(eased, "--format", "json", "--os", "ios11").json()
        #expect(
            (other["transportSecurity"] as? [String: Any])?["notChecked"] as? [String] == ["minimum-version"],
            "\(other)")
        let package = try chain.plist("<key>NSRequiresNIAPTLSPackageVersion</key><string>FCP_v2.1</string>")
        let held = try await chain.run(package, "--format", "json").json()
        let names = (held["transportSecurity"] as? [String: Any])?["notChecked"] as? [String] ?? []
        #expect(names.contains("extended-master-secret") && names.contains("handshake-signature"))
        // Without an Info.plist nothing of it is said.
        let plain = try await Program.run(chain.arguments + ["--format", "json"]).json()
        #expect(plain["transportSecurity"] is NSNull && plain["trusted"] as? Bool == true)
    }

    @Test("pins of leaf and authority hold, each by itself and both together")
    func pins() async throws {
        let chain = try await Chain()
        let (leaf, between) = (chain.leaf.pin.description, chain.between.pin.description)
        let (leaves, authorities) = ("NSPinnedLeafIdentities", "NSPinnedCAIdentities")
        let cases: [([(String, [String])], isTrusted: Bool)] = [
            ([(leaves, [leaf])], true), ([(leaves, [Self.nobody])], false), ([(leaves, [between])], false),
            ([(authorities, [between])], true), ([(authorities, [leaf])], false),
            ([(leaves, [leaf]), (authorities, [between])], true),
            ([(leaves, [leaf]), (authorities, [Self.nobody])], false),
            ([(leaves, [Self.nobody]), (authorities, [between])], false), ([(leaves, [])], false),
        ]
        for (lists, isTrusted) in cases {
            let keys = lists.map { name, pins in
                "<key>\(name)</key><array>"
                    + pins.map { "<dict><key>SPKI-SHA256-BASE64</key><string>\($0)</string></dict>" }.joined()
                    + "</array>"
            }
            let plist = try chain.plist(
                "<key>NSPinnedDomains</key><dict><key>\(chain.host)</key><dict>\(keys.joined())</dict></dict>")
            let run = try await chain.run(plist)
            #expect(run.status == (isTrusted ? 0 : 1), "\(lists): \(run)")
            if !isTrusted, lists.first?.1.isEmpty == false { #expect(run.output.contains("ats.pinned-domains")) }
        }
    }

    @Test("keys of the whole path and the leaf's signature are held to, at the limit and below it")
    func strength() async throws {
        let standard = ["--rules", "standard"]
        let weak = PrivateKey.Specification.ellipticCurve("secp224r1")
        for (chain, rule) in [
            (try await Chain(), nil), (try await Chain(leafKey: weak), "ats.key-size"),
            (try await Chain(authorityKey: weak), "ats.key-size"),
            (try await Chain(leafHash: .sha224), "ats.signature-hash"), (try await Chain(authorityHash: .sha224), nil),
        ] as [(Chain, String?)] {
            let run = try await Program.run(chain.arguments + ["--info-plist", "default"] + standard)
            #expect(run.status == (rule == nil ? 0 : 1), "\(run)")
            if let rule { #expect(run.output.contains(rule), "\(run)") }
            // An exception drops the sizes, and one that allows http the hash.
            let eased = try chain.entry(
                "<key>NSExceptionRequiresForwardSecrecy</key><false/><key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"
            )
            #expect(try await Program.run(chain.arguments + ["--info-plist", eased] + standard).status == 0)
        }
        // The package binds the whole path.
        let between = try await Chain(authorityHash: .sha224)
        let package = try between.plist("<key>NSRequiresNIAPTLSPackageVersion</key><string>recommended</string>")
        let refused = try await Program.run(between.arguments + ["--info-plist", package] + standard)
        #expect(refused.status == 1 && refused.output.contains("ats.signature-hash"))
    }

    @Test("sizes are looked at without a good path too, by the leaf that was sent")
    func withoutPath() async throws {
        let chain = try await Chain(leafKey: .ellipticCurve("secp224r1"))
        let anchor = chain.arguments.firstIndex(of: "--anchor") ?? 0
        var arguments = chain.arguments
        arguments.removeSubrange(anchor...(anchor + 1))
        let run = try await Program.run(arguments + ["--info-plist", "default", "--rules", "standard"])
        #expect(run.status == 1 && run.output.contains("ats.key-size") && run.output.contains("anchor"), "\(run)")
    }

    @Test("trust is locked: pins alone do not do, unless an exception relaxes trust")
    func lock() async throws {
        let chain = try await Chain()
        let anchor = chain.arguments.firstIndex(of: "--anchor") ?? 0
        var arguments = chain.arguments
        arguments.removeSubrange(anchor...(anchor + 1))
        let pins = try chain.folder.write("pins", "\(chain.leaf.pin)\n")
        arguments += ["--pins", pins, "--allow-invalid-certificates"]
        let locked = try await Program.run(arguments + ["--info-plist", "default"])
        #expect(locked.status == 1 && locked.output.contains("ats.trust-lock"), "\(locked)")
        let eased = try chain.entry("<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>")
        #expect(try await Program.run(arguments + ["--info-plist", eased]).status == 0)
        let other = try chain.entry("<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>", "other.test")
        #expect(try await Program.run(arguments + ["--info-plist", other]).status == 1)
    }

    @Test("a key with a dot at its end is for the host that is written with it")
    func dot() async throws {
        let chain = try await Chain(leafHash: .sha224)
        let eased = try chain.entry("<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>", chain.host + ".")
        let options = ["--info-plist", eased, "--rules", "standard"]
        #expect(try await Program.run(chain.arguments + options).status == 1)
        let dotted = chain.arguments.map { $0 == chain.host ? chain.host + "." : $0 }
        let run = try await Program.run(dotted + options)
        #expect(run.status == 0, "\(run)")
    }

    @Test("Apple's rules judge the chain, a malformed file allows nothing, and what cannot be used is refused by name")
    func files() async throws {
        let chain = try await Chain()
        let malformed = try chain.entry("<key>NSIncludesSubdomains</key><string>YES</string>")
        let refused = try await chain.run(malformed)
        #expect(
            refused.status == 1 && refused.output.contains("ats.malformed") && refused.output.contains("ats.wrong-type")
        )
        let json = try await chain.run(malformed, "--format", "json").json()
        let demands = try #require(json["transportSecurity"] as? [String: Any])
        #expect(
            demands["allowed"] as? Bool == false && demands["requirements"] is NSNull
                && json["trusted"] as? Bool == false)
        let missing = try await chain.run(chain.folder("none"))
        #expect(missing.status == 3 && missing.errors.contains("none"), "\(missing)")
        let noHost = try await Program.run("trust", "evaluate", "--chain", "x", "--info-plist", "default")
        #expect(noHost.status == 2 && noHost.errors.contains("'--info-plist' needs '--host'"), "\(noHost)")
        let many = try await Program.run("trust", "evaluate", "--ndjson", "--info-plist", "default")
        #expect(many.status == 2 && many.errors.contains("--info-plist"))
        let alone = try await Program.run(chain.arguments + ["--os", "ios17"])
        #expect(alone.status == 2 && alone.errors.contains("--os"))
    }
}

extension Optional {
    /// The value; a test ends where there is none.
    fileprivate var unwrapped: Wrapped { get throws { try #require(self) } }
}
