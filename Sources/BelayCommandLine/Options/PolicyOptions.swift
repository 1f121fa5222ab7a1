import BelayArguments
import BelayCertificates
import BelayTrust

/// `--pins` and what goes with it: the options that make a ``SecurityPolicy``.
struct PolicyOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Certificates, keys, or lines of SHA-256 pins in any usual spelling; a folder counts for its certificates; - for standard input.",
            valueName: "file|folder"))
    var pins: [String] = []
    @Option(help: "What is compared with the pins; with --pins it is public-key unless said otherwise.")
    var pinning: Pinning?
    @Option(help: "How much of the path must be pinned.") var chainMatching = Matching.any
    @Flag(help: "Let invalid chains through; with pins, only pinned ones.") var allowInvalidCertificates = false
    @Flag(help: "Do not compare the host's name with the certificate.") var noDomainValidation = false

    /// `SecurityPolicy.PinningMode` as the command line spells it.
    enum Pinning: String, CaseIterable, ExpressibleByArgument, Sendable {
        case publicKey = "public-key"
        case certificate, none

        var mode: SecurityPolicy.PinningMode {
            switch self {
            case .publicKey: .publicKey
            case .certificate: .certificate
            case .none: .none
            }
        }
    }

    /// `SecurityPolicy.ChainMatching`.
    enum Matching: String, CaseIterable, ExpressibleByArgument, Sendable {
        case any, all

        var matching: SecurityPolicy.ChainMatching { self == .any ? .any : .all }
    }

    func validate() throws {
        if pinning == Pinning.none, !pins.isEmpty {
            throw ValidationError("'--pins' with '--pinning none' would not be looked at; leave one of them out")
        }
        if let literal = pins.first(where: { (try? SPKIPin(text: $0)) != nil }) {
            throw ValidationError(
                "'--pins' takes a file; write the pin '\(printable(literal))' on a line of one (in bash: "
                    + "--pins <(echo '\(printable(literal))'))")
        }
        if chainMatching == .all, pins.isEmpty, pinning == nil || pinning == Pinning.none {
            throw ValidationError("'--chain-matching all' means nothing without '--pins'")
        }
    }

    /// The mode, with its default.
    var mode: SecurityPolicy.PinningMode { pinning?.mode ?? (pins.isEmpty ? .none : .publicKey) }

    /// The options as a command line has them, but for the pins.
    var wordsWithoutPins: [String] {
        var words: [String] = []
        if let pinning { words += ["--pinning", pinning.rawValue] }
        if chainMatching != .any { words += ["--chain-matching", chainMatching.rawValue] }
        if allowInvalidCertificates { words.append("--allow-invalid-certificates") }
        if noDomainValidation { words.append("--no-domain-validation") }
        return words
    }

    /// Reads the pins and puts the policy together. A mode that has no pins makes a policy that refuses everything, and says
    /// so: that is an answer, not wrong use.
    func policy() throws(InputError) -> SecurityPolicy {
        let pins: PinSet
        do throws(PinSetError) { pins = try PinSet.read(paths: self.pins.map(StandardInput.path)) } catch {
            throw .pins(error)
        }
        return SecurityPolicy(
            pinningMode: mode, pinnedCertificates: pins.certificates, pinnedKeys: pins.keys,
            allowInvalidCertificates: allowInvalidCertificates, validatesDomainName: !noDomainValidation,
            chainMatching: chainMatching.matching)
    }
}
