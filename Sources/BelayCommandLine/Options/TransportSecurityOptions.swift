import BelayArguments
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
            "The system that the app is linked against and runs on: ios17.2, ios10-16, macos15.4+; ios18.4+ unless said otherwise.",
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

    private static func systems(_ text: String) throws -> SystemRange {
        do throws(SystemRangeError) { return try SystemRange(text) } catch { throw ValidationError("\(error)") }
    }
}
