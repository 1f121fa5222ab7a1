/// What the files are that somebody sent, how they belong together, and which of them an app needs for which kind of
/// connection.
///
/// ```swift
/// let triage = FileTriage([.init(name: "ca.crt", store: ca), .init(name: "client.p12", store: client)])
/// triage.anchors      // files to trust: ["ca.crt"]
/// triage.identities   // files to show who the client is: ["client.p12"]
/// ```
public struct FileTriage: Sendable {
    /// The files, in the order in which they were given.
    public let files: [File]

    /// A file that was read, or was not.
    public struct Input: Sendable {
        /// Its name.
        public let name: String
        fileprivate let content: Content

        fileprivate enum Content: Sendable {
            case store(KeyStore)
            case request(CertificateRequest)
            case unread(String, isClosed: Bool)
            case foreign(String)
        }

        /// A file with certificates or keys.
        public init(name: String, store: KeyStore) {
            self.name = name
            content = .store(store)
        }

        /// A file with a certificate signing request.
        public init(name: String, request: CertificateRequest) {
            self.name = name
            content = .request(request)
        }

        /// A file that cannot be read.
        ///
        /// - Parameters:
        ///   - name: its name.
        ///   - problem: why not, in words.
        ///   - isClosed: whether it is a key store whose passphrase is missing or wrong.
        public init(name: String, problem: String, isClosed: Bool = false) {
            self.name = name
            content = .unread(problem, isClosed: isClosed)
        }

        /// A file that holds neither certificates nor keys.
        ///
        /// - Parameters:
        ///   - name: its name.
        ///   - found: what it is, for example `text without a block of PEM`.
        public init(name: String, found: String) {
            self.name = name
            content = .foreign(found)
        }
    }

    /// What a file is.
    public struct File: Sendable {
        /// Its name.
        public let name: String
        /// Its format, for example `PKCS#12`; nil where it could not be read.
        public let format: KeyStore.Format?
        /// What is in it.
        public let pieces: [Piece]
        /// Why it could not be read, or opened; nil where it was.
        public let problem: String?
        /// Whether a passphrase is missing.
        public let isClosed: Bool
        /// What an app does with it.
        public let use: Use
    }

    /// One thing in a file.
    public struct Piece: Sendable {
        /// What it is.
        public let role: Role
        /// Whom it names, or what it is where it is something else; nil for a bare key.
        public let subject: String?
        /// The certificate, where there is one.
        public let certificate: Certificate?
        /// A certificate among the files that signed this one, by the name of its file; nil where there is none, and for roots.
        public let issuedBy: String?
        /// Another file that holds the same, and of a key perhaps more of its chain.
        public let sameAs: String?
        /// For a bare key: the file with its certificate.
        public let keyOf: String?
    }

    /// What a piece is.
    public enum Role: String, Sendable, Hashable, CaseIterable {
        /// A self-signed certificate of an authority.
        case root
        /// Another certificate of an authority.
        case intermediate
        /// A certificate for a server.
        case server
        /// A certificate for a client.
        case client
        /// A certificate for neither, or for both.
        case leaf
        /// A server's certificate with its private key.
        case serverIdentity
        /// A client's certificate with its private key.
        case clientIdentity
        /// A certificate for neither or for both, with its private key.
        case identity
        /// An authority's certificate with its private key.
        case authorityIdentity
        /// A private key alone, of a client's certificate, or of none that is among the files.
        case privateKey
        /// A private key alone, of a server's certificate.
        case serverKey
        /// A private key alone, of an authority's certificate.
        case authorityKey
        /// A private key that did not open.
        case closedKey
        /// A private key beside certificates that are not its own.
        case mismatch
        /// A certificate signing request.
        case request
        /// A revocation list.
        case revocationList
        /// Something else.
        case other
    }

    /// What an app does with a file.
    public enum Use: String, Sendable, Hashable {
        /// Trust the servers of this authority.
        case anchor
        /// Show who the client is.
        case identity
        /// Pin this server, by key or certificate. Where its authority is an anchor it is not needed.
        case pin
        /// Complete chains: servers and identities should bring it themselves.
        case chain
        /// Together with the file of its certificate: who the client is.
        case identityKey
        /// Nothing: it is a secret of a server or an authority, and whoever sent it should replace it.
        case secretOfOthers
        /// Nothing by itself: its certificate is not among the files.
        case loneKey
        /// Open it first.
        case closed
        /// Ask for it again: it is damaged, or cannot be read.
        case damaged
        /// Nothing: another file holds the same.
        case duplicate
        /// Nothing.
        case nothing
    }

    /// Finds out what files are.
    public init(_ inputs: [Input]) {
        let index = TriageIndex(inputs.map { ($0.name, $0.store) })
        files = inputs.map { input in
            switch input.content {
            case .store(let store): File(input.name, store, index)
            case .request(let request): File(input.name, request)
            case .unread(let problem, let isClosed): File(input.name, problem: problem, isClosed: isClosed)
            case .foreign(let found): File(input.name, found: found)
            }
        }
    }

    /// The files to trust.
    public var anchors: [String] { names(.anchor) }
    /// The files that show who the client is.
    public var identities: [String] { names(.identity) }
    /// The files that may be pinned.
    public var pins: [String] { names(.pin) }

    private func names(_ use: Use) -> [String] { files.filter { $0.use == use }.map(\.name) }
}

extension FileTriage.Input {
    fileprivate var store: KeyStore? { if case .store(let store) = content { store } else { nil } }
}

extension FileTriage.File {
    fileprivate init(_ name: String, _ store: KeyStore, _ index: TriageIndex) {
        let pieces = store.entries.flatMap { index.pieces(of: $0, in: name) }
        self.name = name
        format = store.format
        self.pieces = pieces
        isClosed = pieces.contains { $0.role == .closedKey }
        problem =
            store.entries.lazy.compactMap { entry -> String? in
                switch entry.content {
                case .closedKey(let error, _): "\(error)"
                case .malformedCertificate(let error): "a certificate is malformed: \(error)"
                case .mismatch: "Key does not match certificate"
                default: nil
                }
            }.first
        use = FileTriage.Use(pieces)
    }

    fileprivate init(_ name: String, _ request: CertificateRequest) {
        self.name = name
        format = nil
        pieces = [
            FileTriage.Piece(
                role: .request, subject: request.subject.description, certificate: nil, issuedBy: nil, sameAs: nil,
                keyOf: nil)
        ]
        problem = nil
        isClosed = false
        use = .nothing
    }

    fileprivate init(_ name: String, found: String) {
        self.name = name
        format = nil
        pieces = [
            FileTriage.Piece(
                role: .other, subject: found, certificate: nil, issuedBy: nil, sameAs: nil, keyOf: nil)
        ]
        problem = nil
        isClosed = false
        use = .nothing
    }

    fileprivate init(_ name: String, problem: String, isClosed: Bool) {
        self.name = name
        format = nil
        pieces = []
        self.problem = problem
        self.isClosed = isClosed
        use = isClosed ? .closed : .damaged
    }
}

extension FileTriage.Use {
    /// What is done with a file that holds these: the strongest of its pieces decides.
    fileprivate init(_ pieces: [FileTriage.Piece]) {
        let roles = Set(pieces.map(\.role))
        let own = pieces.filter { $0.sameAs == nil }
        if !roles.isDisjoint(with: [.serverIdentity, .authorityIdentity, .serverKey, .authorityKey]) {
            self = .secretOfOthers
        } else if roles.contains(.closedKey) {
            self = .closed
        } else if !pieces.isEmpty, own.isEmpty {
            self = .duplicate
        } else if !roles.isDisjoint(with: [.clientIdentity, .identity]) {
            self = .identity
        } else if roles.contains(.privateKey) {
            self = pieces.contains { $0.role == .privateKey && $0.keyOf != nil } ? .identityKey : .loneKey
        } else if own.contains(where: { $0.role == .root }) {
            self = .anchor
        } else if own.contains(where: { $0.role == .server || $0.role == .leaf }) {
            self = .pin
        } else if own.contains(where: { $0.role == .intermediate }) {
            self = .chain
        } else {
            self = .nothing
        }
    }
}
