import BelayArguments
import BelaySession
import BelayTransportSecurity

/// `--info-plist` and what goes with it: the options that make a decision of App Transport Security.
struct TransportSecurityOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The app's Info.plist, or the dictionary of NSAppTransportSecurity alone; 'default' for an app that says nothing; - for standard input.",
            valueName: "file|default"))
    var infoPlist: String?
    @Option(help: "What loads the URL; local is an address on the device's own network.") var context: Context?
    @Option(
        help: ArgumentHelp(
            "The systems that the app is linked against and runs on: ios17.2, ios10-16, macos15.4+; ios18.4+ unless said otherwise. Connections are held to the strictest of them.",
            valueName: "system"),
        transform: systems)
    var os: SystemRange?

    /// `TransportSecurityContext` as the command line spells it.
    enum Context: String, CaseIterable, ExpressibleByArgument, Sendable {
        case `default`, web, media, local

        var context: TransportSecurityContext {
            switch self {
            case .default: .default
            case .web: .web
            case .media: .media
            case .local: .localNetworking
            }
        }
    }

    /// Reads the configuration.
    ///
    /// - Returns: nil where none is given.
    func configuration() throws(InputError) -> TransportSecurityConfiguration? {
        guard let infoPlist else { return nil }
        if infoPlist == "default" { return .default }
        do throws(TransportSecurityFileError) {
            return try .read(contentsOf: StandardInput.path(infoPlist))
        } catch {
            throw InputError(
                message: "\(error)",
                remedy: "Give '--info-plist' a property list in XML, binary or the old style, or 'default'.")
        }
    }

    /// What is held to, where an Info.plist is given: what the strictest of the systems that `--os` names demands.
    func enforcement() throws(InputError) -> TransportSecurityEnforcement? {
        guard let configuration = try configuration() else { return nil }
        return TransportSecurityEnforcement(
            configuration: configuration, context: context?.context ?? .default, systems: os ?? .newest)
    }

    /// Refuses what means nothing without an Info.plist.
    func checkEnforcement() throws {
        guard infoPlist == nil else {
            if os.map(Self.hasNone) == true {
                throw ValidationError(
                    "an app from before App Transport Security has none to hold to; leave out '--info-plist'")
            }
            return
        }
        for (name, isGiven) in [("--context", context != nil), ("--os", os != nil)] where isGiven {
            throw ValidationError("'\(name)' means nothing without '--info-plist'")
        }
    }

    /// Whether not one of some systems holds an app that says nothing to anything.
    private static func hasNone(_ systems: SystemRange) -> Bool {
        guard let url = try? TransportSecurityURL("http://every.other.host.invalid/") else { return false }
        return TransportSecurityConfiguration.default.answer(for: url, on: systems).isAllowed == true
    }

    /// The options as a command line has them.
    var words: [String] {
        var words = infoPlist.map { ["--info-plist", $0] } ?? []
        if let context { words += ["--context", context.rawValue] }
        if let os { words += ["--os", os.description] }
        return words
    }

    private static func systems(_ text: String) throws -> SystemRange {
        do throws(SystemRangeError) { return try SystemRange(text) } catch { throw ValidationError("\(error)") }
    }
}
