import BelayCertificates
import BelayTLS
import BelayTransportSecurity
import BelayTrust
import Synchronization

/// An HTTP client whose every connection is judged.
///
/// ```swift
/// let session = try Session(
///     baseURL: "https://api.example.com/v1", securityPolicy: .pinned(to: PinnedKeys(current, backup)))
/// let user = try await session.get("users/1", as: User.self)
/// ```
///
/// Policy, pins, identity and requirements can be changed at any time. A change holds from the very next request on: no
/// connection and no TLS session that was made under other rules is used for it. A request whose server is refused has not
/// sent one byte of HTTP.
///
/// A session may be used from any number of tasks. Two sessions share nothing.
public final class Session: Sendable {
    /// What relative URLs are relative to; its path counts as a folder.
    public let baseURL: SessionURL?
    /// What the session was made with.
    public let configuration: SessionConfiguration
    let rules: Protected<SessionRules>
    let engine: Engine
    let credentials = Protected(CredentialStore())

    /// Has a password sent to the origin of a URL by HTTP Basic, before anybody asks for it.
    package func send(_ password: UserPassword, unaskedTo url: SessionURL) {
        let space = ProtectionSpace(url.origin, .password(realm: "", isDigest: false))
        let credential = Credential.password(
            user: password.user, password: password.password, persistence: .forSession)
        credentials.withLock { $0.keep(credential, for: space) }
    }
    let recentURLs: RecentURLs
    let transferSettings: TransferSettings
    private let counter = Atomic<UInt64>(0)

    /// How often one request is tried at most, where interceptors want it tried again.
    public static let maximumAttempts = 10

    /// A session with one policy for all hosts, in AFNetworking's shape.
    ///
    /// - Parameters:
    ///   - baseURL: what relative URLs are relative to. A policy that pins needs one, and it must be `https`.
    ///   - configuration: how connections are made.
    ///   - securityPolicy: whom to trust.
    ///   - identity: who the client is.
    /// - Throws: ``ConfigurationError`` where the parts do not go together, or the machine has no thread or descriptor left.
    public convenience init(
        baseURL: String? = nil, configuration: SessionConfiguration = SessionConfiguration(),
        securityPolicy: SecurityPolicy = .default, identity: TLSIdentity? = nil
    ) throws(ConfigurationError) {
        let base = try Session.base(baseURL)
        try ConfigurationError.validate(securityPolicy: securityPolicy, baseURL: base)
        try self.init(
            base: base, configuration: configuration,
            policies: HostPolicies(
                default: .use(ConnectionPolicy(securityPolicy: securityPolicy, identity: identity))))
    }

    /// A session with one policy for all hosts. Where the policy pins, cleartext is refused request by request.
    ///
    /// - Throws: ``ConfigurationError`` where the policy can accept no server, or the machine has no thread or descriptor left.
    public convenience init(
        baseURL: String? = nil, configuration: SessionConfiguration = SessionConfiguration(), policy: ConnectionPolicy
    ) throws(ConfigurationError) {
        try self.init(
            baseURL: baseURL, configuration: configuration, hostPolicies: HostPolicies(default: .use(policy)))
    }

    /// A session with policies by host.
    ///
    /// - Throws: ``ConfigurationError`` where a policy can accept no server or endangers others, or the machine has no thread
    ///   or descriptor left.
    public convenience init(
        baseURL: String? = nil, configuration: SessionConfiguration = SessionConfiguration(), hostPolicies: HostPolicies
    ) throws(ConfigurationError) {
        try hostPolicies.validate()
        try self.init(base: try Session.base(baseURL), configuration: configuration, policies: hostPolicies)
    }

    /// A session that holds to an app's Info.plist as the app's connections on Apple's systems would.
    ///
    /// `http` is refused where App Transport Security refuses it, before a socket is opened; versions, suites and key sizes are those
    /// that it demands; `NSPinnedDomains` holds whatever anybody overrules; and unless the decision for a host relaxes it, the chain
    /// must be good for the system before the policy has a word. A configuration with an error in it allows nothing.
    ///
    /// ```swift
    /// let session = try Session(infoPlist: .read(contentsOf: "App/Info.plist"))
    /// ```
    ///
    /// Certificate Transparency, which Apple's systems demand of authorities that they came with, is looked at where the policy has a
    /// list of logs (``TrustSettings/logList``).
    ///
    /// - Parameters:
    ///   - transportSecurity: the configuration that is enforced; `.default` for an app whose Info.plist says nothing.
    ///   - context: what loads the URLs.
    ///   - system: the version of Apple's systems whose rules hold.
    ///   - baseURL: what relative URLs are relative to.
    ///   - configuration: how connections are made.
    ///   - hostPolicies: whom to trust, within what the Info.plist allows; by default the machine's anchors under Apple's rules.
    /// - Throws: ``ConfigurationError`` as the other initializers do.
    public convenience init(
        infoPlist transportSecurity: TransportSecurityConfiguration, context: TransportSecurityContext = .default,
        system: SystemVersion = .newest, baseURL: String? = nil,
        configuration: SessionConfiguration = SessionConfiguration(),
        hostPolicies: HostPolicies = HostPolicies(default: .use(.apple))
    ) throws(ConfigurationError) {
        try self.init(
            enforcing: TransportSecurityEnforcement(
                configuration: transportSecurity, context: context, systems: SystemRange(system)), baseURL: baseURL,
            configuration: configuration, hostPolicies: hostPolicies)
    }

    /// A session that holds to an Info.plist.
    package convenience init(
        enforcing transportSecurity: TransportSecurityEnforcement, baseURL: String? = nil,
        configuration: SessionConfiguration, hostPolicies: HostPolicies
    ) throws(ConfigurationError) {
        try hostPolicies.validate()
        try self.init(
            base: try Session.base(baseURL), configuration: configuration, policies: hostPolicies,
            transportSecurity: transportSecurity)
    }

    private init(
        base: SessionURL?, configuration: SessionConfiguration, policies: HostPolicies,
        transportSecurity: TransportSecurityEnforcement? = nil
    ) throws(ConfigurationError) {
        try configuration.proxy.check()
        var keyLog: KeyLogFile?
        if let path = configuration.keyLogFile { keyLog = try Session.keyLog(path) }
        baseURL = base
        recentURLs = RecentURLs(base: base)
        self.configuration = configuration
        transferSettings = TransferSettings(configuration)
        var append: (@Sendable (String) -> Void)?
        if let keyLog { append = { [keyLog] line in keyLog.append(line) } }
        rules = Protected(
            SessionRules(
                policies: policies, transportSecurity: transportSecurity,
                asks: configuration.onChallenge != nil && !configuration.asksForPasswordsOnly,
                keyLog: append))
        do throws(EngineError) {
            engine = try Engine(settings: EngineSettings(configuration))
        } catch {
            throw .resources(call: error.call, code: error.code)
        }
        if let file = configuration.keyLogFile { configuration.onEvent?(.keysAreLogged(file: file)) }
    }

    private static func base(_ text: String?) throws(ConfigurationError) -> SessionURL? {
        guard let text else { return nil }
        do throws(SessionURLError) { return try SessionURL(text).asBase } catch { throw .baseURL(error) }
    }

    private static func keyLog(_ path: String) throws(ConfigurationError) -> KeyLogFile {
        do throws(KeyLogFileError) { return try KeyLogFile(path: path) } catch { throw .keyLog(error) }
    }

    /// Runs tasks on the session's own thread, where a request changes threads neither on its way out nor on its way back.
    ///
    /// For programs that keep many requests under way and do little with each response: it saves the processor time of waking
    /// threads, and gives up the use of several processors. Whatever runs there must be quick: while it computes, the session looks
    /// at no socket. A task that blocks, or waits for a lock, stalls every transfer of the session.
    ///
    /// ```swift
    /// let statuses = await withTaskExecutorPreference(session.executor) {
    ///     await withTaskGroup(of: Int?.self) { group in
    ///         for url in urls { group.addTask { try? await session.get(url).statusCode } }
    ///         return await group.reduce(into: []) { $0.append($1) }
    ///     }
    /// }
    /// ```
    ///
    /// It may outlive the session. See SE-0417 for what follows an executor's preference: `nonisolated` functions do, actors do not.
    public var executor: any TaskExecutor { engine }

    // MARK: - Rules

    /// The policies by host. A change holds from the next request on, and gives up every connection made before it.
    public var hostPolicies: HostPolicies {
        get { rules.withLock { $0.policies } }
        set { rules.withLock { rules in rules.change { $0 = newValue } } }
    }

    /// The policy for hosts without a rule of their own; nil where these are denied.
    public var policy: ConnectionPolicy? {
        get {
            guard case .use(let policy) = hostPolicies.fallback else { return nil }
            return policy
        }
        set {
            rules.withLock { rules in
                rules.change { $0.fallback = newValue.map { .use($0) } ?? .deny }
            }
        }
    }

    /// Whom to trust, for hosts without a rule of their own. Where these are denied, setting it changes nothing.
    public var securityPolicy: SecurityPolicy {
        get { policy?.securityPolicy ?? .default }
        set { changePolicy { $0.securityPolicy = newValue } }
    }

    /// Who the client is, for hosts without a rule of their own. Where these are denied, setting it changes nothing.
    public var identity: TLSIdentity? {
        get { policy?.identity }
        set { changePolicy { $0.identity = newValue } }
    }

    private func changePolicy(_ body: (inout ConnectionPolicy) -> Void) {
        rules.withLock { rules in
            rules.change { policies in
                guard case .use(var policy) = policies.fallback else { return }
                body(&policy)
                policies.fallback = .use(policy)
            }
        }
    }

    // MARK: - Requests

    /// Sends a request and waits for its response, through redirects and challenges.
    ///
    /// - Returns: a response that is acceptable.
    /// - Throws: ``SessionError``. A response that is not acceptable is in it, as ``SessionError/Reason/rejected(_:)``.
    ///   Cancelling the task ends the exchange at once.
    public func send(_ request: Request) async throws(SessionError) -> Response {
        let identifier = counter.wrappingAdd(1, ordering: .relaxed).newValue
        var attempt = 1
        while true {
            do throws(SessionError) {
                let exchange = Exchange(session: self, identifier: identifier, request: request)
                let response = try await exchange.run()
                configuration.onEvent?(.succeeded(id: identifier, status: response.statusCode))
                return response
            } catch {
                guard await isRetried(request, after: error, attempt: attempt) else {
                    configuration.onEvent?(.failed(id: identifier, error: error))
                    throw error
                }
                attempt += 1
                configuration.onEvent?(.retried(id: identifier, attempt: attempt))
            }
        }
    }

    private func isRetried(_ request: Request, after error: SessionError, attempt: Int) async -> Bool {
        guard attempt < Session.maximumAttempts, !Task.isCancelled else { return false }
        for interceptor in configuration.interceptors
        where await interceptor.retries(request, after: error, attempt: attempt) {
            return true
        }
        return false
    }
}

extension EngineSettings {
    init(_ configuration: SessionConfiguration) {
        self.init()
        maximumIdleConnections = configuration.maximumIdleConnections
        maximumConnectionsPerHost = configuration.maximumConnectionsPerHost
        usesCookies = configuration.storesCookies
        resumesSessions = configuration.resumesSessions
    }
}
