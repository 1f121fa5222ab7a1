import BelayTransportSecurity
import BelayTrust

/// The oldest system that an app says it runs on.
struct DeploymentTarget: Hashable {
    let isMac: Bool
    let major: Int
    let minor: Int

    /// nil where the file does not say, or says it with a build setting.
    init?(_ document: PlistDocument) {
        for (key, isMac) in [("MinimumOSVersion", false), ("LSMinimumSystemVersion", true)] {
            guard let text = document.root.members?.last(where: { $0.key == key })?.node.string else { continue }
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
            guard let major = parts.first ?? nil, (1...999).contains(major) else { continue }
            self.isMac = isMac
            self.major = major
            minor = parts.count > 1 ? parts[1] ?? 0 : 0
            return
        }
        return nil
    }

    /// Whether addresses can be keys on every system that the app runs on.
    var readsAddresses: Bool { major >= (isMac ? 14 : 17) }
    /// Whether iOS 9 or macOS 10.11 is among them.
    var includesFirstSystems: Bool { isMac ? (major, minor) < (10, 12) : major < 10 }
    /// For people.
    var text: String { "\(isMac ? "macOS" : "iOS") \(major).\(minor)" }
}

/// The SDK that an app is linked against, as Xcode writes it into the Info.plist of what it builds. Systems judge an app by the rules that
/// were new with it, however new they are themselves.
struct LinkedSDK: Hashable {
    let isMac: Bool
    let major: Int
    let minor: Int

    /// nil where the file does not say; sources do not.
    init?(_ document: PlistDocument) {
        guard let name = document.root.members?.last(where: { $0.key == "DTSDKName" })?.node.string else { return nil }
        let platforms = [("iphoneos", false), ("iphonesimulator", false), ("macosx", true)]
        guard let platform = platforms.first(where: { name.hasPrefix($0.0) }) else { return nil }
        // "macosx10.15.internal" is one too.
        let parts = name.dropFirst(platform.0.count).split(separator: ".").map { Int($0) }
        guard let major = parts.first ?? nil, (1...999).contains(major) else { return nil }
        isMac = platform.1
        self.major = major
        minor = parts.count > 1 ? parts[1] ?? 0 : 0
    }

    /// Whether it knows App Transport Security: from iOS 9 and OS X 10.11 on.
    var hasTransportSecurity: Bool { isMac ? (major, minor) >= (10, 11) : major >= 9 }
    /// Whether addresses can be keys.
    var readsAddresses: Bool { major >= (isMac ? 14 : 17) }
    /// For people.
    var text: String { "\(isMac ? "macOS" : "iOS") \(major).\(minor)" }
}

extension LintRun {
    /// What the app is linked against.
    mutating func checkSDK() {
        guard let sdk, !sdk.hasTransportSecurity else { return }
        let key = document.root.members?.last { $0.key == "DTSDKName" }
        noteBeside(
            .oldSDK, "DTSDKName", key?.keyPosition,
            "the app is linked against the SDK of \(sdk.text), from before App Transport Security: none of its keys is looked at, on any system",
            meaning: "Cleartext HTTP and every version of TLS that the system has are allowed to all hosts.")
    }
}
