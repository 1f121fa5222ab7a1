import BelayCertificates
import BelaySession
import BelayTransportSecurity

/// What an app's Info.plist says about a server, and which of its keys say so.
struct AppDecision {
    /// The Info.plist.
    let file: String
    let context: TransportSecurityOptions.Context
    let systems: SystemRange
    /// Why, in a sentence or two.
    let why: String
    /// The keys that decided, each by its way from the root of the file; none where the defaults did.
    let decidedBy: [[String]]

    /// nil where no Info.plist is given, or where it has no say about the URL.
    init?(_ options: TransportSecurityOptions, _ enforcement: TransportSecurityEnforcement, _ url: SessionURL) {
        guard let file = options.infoPlist, let answer = enforcement.answer(for: url) else { return nil }
        self.file = file
        context = options.context ?? .default
        systems = options.os ?? .newest
        why = answer.why
        decidedBy = answer.decidedBy
    }

    /// The sentence, and the keys a line each.
    var text: String {
        ([why] + decidedBy.map { $0.map(printable).joined(separator: " › ") }).joined(separator: "\n")
    }
}

extension AppDecision: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        try encode(into: &container)
    }

    /// As part of something that says more.
    func encode(into container: inout KeyedEncodingContainer<JSONKey>) throws {
        try container.encode(file, forKey: JSONKey("infoPlist"))
        try container.encode(context.rawValue, forKey: JSONKey("context"))
        try container.encode(systems.description, forKey: JSONKey("os"))
        try container.encode(why, forKey: JSONKey("why"))
        try container.encode(decidedBy, forKey: JSONKey("decidedBy"))
    }
}
