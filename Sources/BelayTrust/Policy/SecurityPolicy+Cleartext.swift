import BelayCertificates

// Pins and http: where nothing is encrypted, no certificate is shown that pins could be compared with.

extension SecurityPolicy {
    /// Whether the policy demands pins.
    public var isPinned: Bool { pinningMode != .none }

    /// What is to be said of a setting that allows `http` beside this policy.
    public func findings(allowingCleartext allowsCleartext: Bool) -> [Finding] {
        guard isPinned && allowsCleartext else { return [] }
        return [
            Finding(
                .pinnedCleartext,
                "the policy pins, so that http stays refused, although it is allowed: there is no certificate over http",
                expected: "cleartext not allowed, or a policy without pins", found: "pins, and cleartext allowed")
        ]
    }

    /// What speaks against the policy for a session whose relative URLs start from a base: a policy that pins wants one that
    /// is `https`, as AFNetworking's sessions do.
    ///
    /// - Parameter base: the base URL as it may be shown; nil without one.
    public func findings(forBaseURL base: String?) -> [Finding] {
        guard isPinned, base?.hasPrefix("https://") != true else { return [] }
        let found = base.map { printable($0) } ?? "no base URL"
        return [
            Finding(
                .pinnedBaseURL, "a session whose policy pins needs a base URL that begins with https://",
                expected: "https://…", found: found)
        ]
    }
}

extension Rule {
    static let pinnedCleartext = Rule(
        "policy.pinned-cleartext", "Cleartext is not allowed beside pins.", severity: .warning, .none,
        remedy:
            "Do not allow cleartext for these hosts; give hosts that have no TLS a rule of their own, without pins.",
        source: "Belay: fail closed")
    static let pinnedBaseURL = Rule(
        "policy.base-url", "A session whose policy pins has a base URL that is https.", .deny,
        remedy: "Begin the base URL with https://, use a policy without pins, "
            + "or give the pins to the hosts they are for (HostPolicies), which needs no base URL.",
        source: "AFNetworking: AFHTTPSessionManager, setSecurityPolicy:")

    static let cleartextCatalogue: [Rule] = [.pinnedCleartext, .pinnedBaseURL]
}
