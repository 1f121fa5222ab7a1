import BelayArguments
import BelayCertificates
import BelayTrust

/// `--pins` and what goes with it: the options that make a ``SecurityPolicy``.
struct PolicyOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Certificates, keys, or lines of SHA-256 pins in any usual spelling; a folder counts for its certificates.",
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

    /// Reads the pins and puts the policy together. A mode that has no pins makes a policy that refuses everything, and says
    /// so: that is an answer, not wrong use.
    func policy(_ console: Console) throws(ExitCode) -> SecurityPolicy {
        let paths = pins
        let pins = try console.reading { () throws(PinSetError) in try PinSet.read(paths: paths) }
        return SecurityPolicy(
            pinningMode: mode, pinnedCertificates: pins.certificates, pinnedKeys: pins.keys,
            allowInvalidCertificates: allowInvalidCertificates, validatesDomainName: !noDomainValidation,
            chainMatching: chainMatching.matching)
    }
}
