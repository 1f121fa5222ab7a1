import BelayLaboratory
import BelayTLS
import Foundation
import TestSupport
import Testing

@Suite("check and get under an Info.plist")
struct InfoPlistTests {
    private static func file(_ folder: TemporaryFolder, _ host: String, _ keys: String) throws -> String {
        try folder.write(
            "Info.plist",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict>
            <key>NSExceptionDomains</key><dict><key>\(host)</key><dict>\(keys)</dict></dict>
            </dict></dict></plist>
            """)
    }

    private static func arguments(_ command: String, _ stage: Stage, _ kind: LaboratoryServer.Kind) throws -> [String] {
        [command] + (try stage.arguments(kind)).dropFirst()
    }

    @Test(
        "an exception lets in a server that is refused without it, and only that one",
        arguments: [
            (LaboratoryServer.Kind.tls10, "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string>"),
            (.tls11, "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.1</string>"),
            (.staticRSA, "<key>NSExceptionRequiresForwardSecrecy</key><false/>"),
        ])
    func exceptions(_ kind: LaboratoryServer.Kind, _ keys: String) async throws {
        let stage = try await Stage.shared.value
        let folder = try TemporaryFolder()
        let arguments = try Self.arguments("check", stage, kind)
        let host = try stage.laboratory.server(kind).host
        let eased = try Self.file(folder, host, keys)
        for (plist, status) in [("default", Int32(1)), (eased, 0)] {
            let run = try await Program.run(arguments + ["--info-plist", plist])
            #expect(run.status == status, "\(run)")
        }
        // What get sends where it is let in would be counted by other tests of the same server.
        let get = try await Program.run(try Self.arguments("get", stage, kind) + ["--info-plist", "default"])
        #expect(get.status == 1, "\(get)")
        let other = try Self.file(folder, "other.test", keys)
        #expect(try await Program.run(arguments + ["--info-plist", other]).status == 1)
    }

    @Test(
        "the catalogue has the rules of enforcement",
        arguments: [
            "ats.cipher-suite", "ats.key-size", "ats.signature-hash", "ats.extended-master-secret",
            "ats.pinned-domains",
            "ats.trust-lock", "ats.cleartext-allowed",
        ])
    func catalogue(rule: String) async throws {
        let run = try await Program.run("rules", rule)
        #expect(run.status == 0 && run.output.hasPrefix(rule), "\(run)")
    }

    @Test("http is refused with the key that decides; where it is allowed that is said, with a warning")
    func cleartext() async throws {
        let folder = try TemporaryFolder()
        let refused = try await Program.run("check", "http://www.test/", "--info-plist", "default")
        #expect(refused.status == 1 && refused.output.contains("ats.cleartext"))
        let file = try Self.file(folder, "www.test", "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>")
        let allowed = try await Program.run("check", "http://www.test/", "--info-plist", file)
        #expect(allowed.status == 0 && allowed.output.hasPrefix("allowed"), "\(allowed)")
        #expect(allowed.output.contains("nothing to check") && allowed.output.contains("ats.cleartext-allowed"))
        let json = try await Program.run("check", "http://www.test/", "--info-plist", file, "--format", "json").json()
        #expect(json["result"] as? String == "proceed" && json["connection"] is NSNull)
        // Pins are to be proved.
        let pins = try folder.write("pins", "sha256/dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0=\n")
        let pinned = try await Program.run("check", "http://www.test/", "--info-plist", file, "--pins", pins)
        #expect(pinned.status == 1 && pinned.output.contains("ats.cleartext"))
        let get = try await Program.run("get", "http://www.test/", "--info-plist", "default", "--allow-http")
        #expect(get.status == 1 && get.errors.contains("ats.cleartext"), "\(get)")
    }

    @Test("H8: a good server that an app's own rules keep out is refused with the rule, and the key that says so")
    func ownRules() async throws {
        let stage = try await Stage.shared.value
        let folder = try TemporaryFolder()
        let host = try stage.laboratory.server(.oneWay).host
        let nobody =
            "<array><dict><key>SPKI-SHA256-BASE64</key><string>dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0=</string></dict></array>"
        let pinned = try folder.write(
            "Info.plist",
            "<plist><dict><key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict><key>\(host)</key><dict>"
                + "<key>NSPinnedCAIdentities</key>\(nobody)</dict></dict></dict></dict></plist>")
        let arguments = try Self.arguments("check", stage, .oneWay)
        #expect(try await Program.run(arguments).status == 0)
        #expect(try await Program.run(arguments + ["--info-plist", "default"]).status == 0)
        let run = try await Program.run(arguments + ["--info-plist", pinned])
        #expect(run.status == 1 && run.output.contains("ats.pinned-domains"), "\(run)")
        #expect(run.output.contains("NSAppTransportSecurity › NSPinnedDomains › \(host)"), "\(run.output)")
        let json = try await Program.run(arguments + ["--info-plist", pinned, "--format", "json"]).json()
        let decision = try #require(json["transportSecurity"] as? [String: Any])
        #expect(decision["decidedBy"] as? [[String]] == [["NSAppTransportSecurity", "NSPinnedDomains", host]])
        #expect(decision["infoPlist"] as? String == pinned && decision["os"] as? String == "ios18.4+")
        // The same of an exception that is stricter than the default, and of get.
        let other = try TemporaryFolder()
        let newer = try Self.file(other, host, "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string>")
        let strict = try await Program.run(arguments + ["--info-plist", newer, "--format", "json"]).json()
        #expect(
            ((strict["transportSecurity"] as? [String: Any])?["decidedBy"] as? [[String]])?.last
                == ["NSAppTransportSecurity", "NSExceptionDomains", host, "NSExceptionMinimumTLSVersion"])
        let get = try await Program.run(try Self.arguments("get", stage, .oneWay) + ["--info-plist", pinned])
        #expect(get.status == 1 && (get.output + get.errors).contains("NSPinnedDomains › \(host)"), "\(get)")
        // Without an Info.plist nothing is said of one.
        #expect(try await Program.run(arguments + ["--format", "json"]).json()["transportSecurity"] is NSNull)
    }

    @Test("an Info.plist that is malformed allows nothing, and one that cannot be read is said to be so")
    func malformed() async throws {
        let stage = try await Stage.shared.value
        let folder = try TemporaryFolder()
        let host = try stage.laboratory.server(.oneWay).host
        let file = try Self.file(folder, host, "<key>NSExceptionRequiresForwardSecrecy</key><string>NO</string>")
        for command in ["check", "get"] {
            let arguments = try Self.arguments(command, stage, .oneWay)
            #expect(try await Program.run(arguments + ["--info-plist", "default"]).status == 0)
            let run = try await Program.run(arguments + ["--info-plist", file])
            #expect(run.status == 1 && (run.output + run.errors).contains("ats.wrong-type"), "\(run)")
            let missing = try await Program.run(arguments + ["--info-plist", folder("none")])
            #expect(missing.status == 3 && missing.errors.contains("none"), "\(missing)")
        }
    }
}
