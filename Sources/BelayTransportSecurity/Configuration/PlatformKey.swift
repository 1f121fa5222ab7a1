/// `NSAppTransportSecurity` with the suffix of a platform or device (`~ipad`, `-iphoneos`, `-iphoneos~ipad`): there the bundle puts its
/// value in the place of the plain key before anybody reads it.
///
/// Any suffix is taken for one: which ones a system knows differs between systems, and is not documented as a whole.
struct PlatformKey {
    private let suffix: String

    /// nil for every other key.
    init?(_ key: String) {
        let root = TransportSecurityKey.root.utf8
        let rest = key.utf8.dropFirst(root.count)
        guard key.utf8.starts(with: root), rest.count > 1, rest.first == 0x2D || rest.first == 0x7E else { return nil }
        suffix = String(decoding: rest, as: UTF8.self)
    }

    /// Where it counts.
    var systems: String {
        switch suffix {
        case "~iphone", "-iphoneos~iphone": "iPhones"
        case "~ipod", "-iphoneos~ipod": "the iPod touch"
        case "~ipad", "-iphoneos~ipad": "iPads"
        case "-iphoneos": "iOS and iPadOS"
        case "-macos": "macOS"
        default: "systems and devices that know its suffix"
        }
    }
}
