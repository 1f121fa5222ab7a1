import BelayArguments

/// Options that people know from curl and that are other ones here, or none: refused with a word on what to use.
struct ForeignOptions: ParsableArguments, Sendable {
    @Flag(name: [.customShort("k"), .customLong("insecure")], help: .hidden) var insecure = false
    @Option(name: [.customLong("cacert"), .customLong("capath")], help: .hidden) var cacert: String?
    @Option(name: [.customShort("E"), .customLong("cert"), .customLong("key")], help: .hidden) var cert: String?
    @Option(name: [.customLong("pinnedpubkey")], help: .hidden) var pinnedpubkey: String?
    @Option(name: [.customLong("crlfile")], help: .hidden) var crlfile: String?
    @Option(name: [.customShort("F")], help: .hidden) var multipart: [String] = []
    @Option(name: [.customShort("T"), .customLong("upload-file")], help: .hidden) var uploadFile: String?
    @Option(name: [.customShort("c"), .customLong("cookie-jar")], help: .hidden) var cookieJar: String?
    @Option(name: [.customLong("noproxy")], help: .hidden) var noproxy: String?
    @Option(name: [.customLong("resolve")], help: .hidden) var resolve: [String] = []
    @Flag(name: [.customShort("O"), .customLong("remote-name")], help: .hidden) var remoteName = false
    @Flag(name: [.customShort("s"), .customLong("silent")], help: .hidden) var silent = false
    @Flag(name: [.customShort("S"), .customLong("show-error")], help: .hidden) var showError = false
    @Option(name: [.customShort("w"), .customLong("write-out")], help: .hidden) var writeOut: String?

    func validate() throws {
        let refusals: [(isGiven: Bool, text: String)] = [
            (
                insecure,
                "'--insecure' is '--allow-invalid-certificates --no-domain-validation' here, and with it anybody can answer; "
                    + "better trust the server's authority with '--anchor FILE', or pin its key with '--pins FILE'"
            ),
            (
                cacert != nil,
                "'--cacert' is '--anchor FILE' here; with '--no-system-anchors' no other authority is trusted"
            ),
            (cert != nil, "'--cert' and '--key' are '--identity FILE' here: PKCS#12, or PEM with key and certificates"),
            (pinnedpubkey != nil, "'--pinnedpubkey' is '--pins FILE' here; the file's lines are pins"),
            (crlfile != nil, "'--crlfile' is '--crl FILE' here"),
            (
                !multipart.isEmpty,
                "'-F' sends multipart/form-data, which is not supported; '--form name=value' sends a form that is "
                    + "percent-encoded, '--data-binary @file' a file as the body"
            ),
            (uploadFile != nil, "'--upload-file' is '--request PUT --data-binary @file' here"),
            (cookieJar != nil, "'--cookie-jar' is not supported: cookies are kept in memory, for one run"),
            (
                noproxy != nil,
                "'--noproxy' is '--no-proxy' here; for single hosts set the environment variable no_proxy"
            ),
            (!resolve.isEmpty, "'--resolve' is '--connect-to HOST:PORT' here; it holds for every host"),
            (remoteName, "'--remote-name' would let the server choose a file; name it with '--output FILE'"),
            (
                silent || showError,
                "'--silent' is not needed: standard error has nothing but errors and what '--verbose' asks for"
            ),
            (writeOut != nil, "'--write-out' is not supported; '--format json' has status, headers and timings"),
        ]
        if let refusal = refusals.first(where: \.isGiven) { throw ValidationError(refusal.text) }
    }
}
