import BelayArguments

/// Options that belong to the interface and cannot be honoured yet: refused by name, never ignored.
struct UnsupportedOptions: ParsableArguments, Sendable {
    @Option(help: .hidden) var infoPlist: String?
    @Option(help: .hidden) var context: String?
    @Option(help: .hidden) var os: String?

    func validate() throws {
        for (name, value) in [("--info-plist", infoPlist), ("--context", context), ("--os", os)] where value != nil {
            throw ValidationError(
                "'\(name)' is not supported yet; without it, App Transport Security's TLS requirements hold")
        }
    }
}
