import BelayTransportSecurity
import BelayTrust
import Testing

/// Property lists by hand, in XML without its frame.
func configuration(
    _ text: String, contents: TransportSecurityConfiguration.Contents = .dictionary
) throws -> TransportSecurityConfiguration {
    let document = try PlistReader().read(Array("<plist version=\"1.0\">\(text)</plist>".utf8))
    return TransportSecurityConfiguration(document, file: "Info.plist", contents: contents)
}

/// An exception for a host.
func exception(_ key: String, _ settings: String = "") -> String {
    "<dict><key>NSExceptionDomains</key><dict><key>\(key)</key><dict>\(settings)</dict></dict></dict>"
}

extension TransportSecurityConfiguration {
    /// Decides about a URL on a system.
    func decide(
        _ url: String, _ system: String = "ios26.4", in context: TransportSecurityContext = .default,
        as face: TransportSecurityFace = .simulation
    ) throws -> TransportSecurityDecision {
        decision(
            for: try TransportSecurityURL(url), in: context, on: try SystemRange(system).oldest, as: face)
    }

    /// The rules of the findings, in their order.
    var rules: [String] { findings.map(\.rule.identifier) }
}

let yes = "<true/>"
let no = "<false/>"
let subdomains = "<key>NSIncludesSubdomains</key><true/>"
let insecure = "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"
