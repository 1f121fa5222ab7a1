// Debug builds only: in a release build the type does not exist, and a program that names it does not compile. Nothing at
// run time, no variable and no file, can bring it back.
#if DEBUG

import BelayCertificates

/// Anchors for debugging: the authority of an interception proxy, or of a test server, for some hosts.
///
/// It exists in debug builds alone. A release build of a program that uses it outside of `#if DEBUG` does not compile,
/// which is the point: an anchor for debugging cannot be shipped by accident.
///
/// ```swift
/// #if DEBUG
/// let proxy = DebugTrust(anchors: try Certificate.read(contentsOf: "proxy.pem"), hosts: [try HostPattern("**.example.test")])
/// proxy.apply(to: &trust)
/// #endif
/// ```
public struct DebugTrust: Sendable {
    /// The anchors.
    public let anchors: [Certificate]
    /// The hosts for which they count.
    public let hosts: [HostPattern]

    /// Trusts anchors for some hosts.
    public init(anchors: [Certificate], hosts: [HostPattern]) {
        self.anchors = anchors
        self.hosts = hosts
    }

    /// Adds the anchors to a trust whose names all lie in the hosts; others, and trusts without a name, stay as they are.
    ///
    /// The names, dates and rules hold as ever: what is added is an anchor, not a hole.
    public func apply(to trust: inout ServerTrust) {
        let names = trust.checkedNames
        guard !names.isEmpty, names.allSatisfy({ name in hosts.contains { $0.matches(name) } }) else { return }
        trust.anchors = AnchorStore(trust.anchors.certificates + anchors, origin: "anchors for debugging")
    }
}

#endif
