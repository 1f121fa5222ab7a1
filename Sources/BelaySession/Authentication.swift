import BelayCertificates
import BelayTLS
import BelayTransportSecurity
import BelayTrust

/// One exchange with one server, with everything that has to be asked on the way: whether it is to be trusted, who the
/// client is, and the password.
struct Authentication {
    let exchange: Exchange
    private var answers = ConnectionAnswers()
    private var password: TransferPassword?
    private var digest: Digest?
    private var isAlone = false
    /// The terms that the latest answers were given under.
    private var latest: ConnectionTerms?

    /// How often a server may show something new before the exchange is given up: a balancer may alternate chains.
    private static let maximumAttempts = 3
    /// How often the policies may change while one exchange waits for its connection.
    private static let maximumChanges = 100
    /// How many passwords are tried.
    private static let maximumPasswords = 5
    /// How often one password is tried because the server wants an answer to another nonce.
    private static let maximumNonces = 2

    /// A password that stays here, and what the server gets instead.
    private struct Digest {
        let password: UserPassword
        let space: ProtectionSpace
        /// For answers that nothing is kept of.
        var challenge: DigestChallenge
    }

    init(exchange: Exchange) {
        self.exchange = exchange
    }

    private var session: Session { exchange.session }

    /// Who is told of connections and heads; nil for nobody.
    private var trace: (@Sendable (TransferTrace) -> Void)? {
        guard session.configuration.announcesHeads, let onEvent = session.configuration.onEvent else { return nil }
        let identifier = exchange.identifier
        return { onEvent(SessionEvent($0, id: identifier)) }
    }

    /// What the server answers in the end.
    @inline(__always)
    mutating func response(
        to order: ExchangeOrder, _ context: RedirectContext
    ) async throws(SessionError) -> Response {
        let url = context.url
        var round = PasswordRound()
        if context.keepsCredentials, !order.authenticates { round.tried = useStoredPassword(for: url) }
        while true {
            let content = try authorized(order.content, url)
            let response = try await judged(content, context)
            guard response.statusCode == 401,
                try await isAnswered(response, url, &round)
            else { return response }
        }
    }

    /// The policies have changed: what was answered was about the old ones.
    private mutating func forget() {
        answers = ConnectionAnswers()
        isAlone = false
    }

    /// What holds for connections to the host at this moment.
    private func terms(_ context: RedirectContext) throws(SessionError) -> SessionRules.Terms {
        do throws(SessionError.Reason) {
            let terms = try session.rules.withLock { rules throws(SessionError.Reason) in
                let terms = try rules.terms(for: context.url, keepsIdentity: context.keepsIdentity)
                return isAlone ? rules.terms(like: terms) : terms
            }
            return terms
        } catch { throw exchange.failure(error) }
    }

    // MARK: - Trust and identity

    /// Makes the exchange, asking the handler as often as it takes.
    @inline(__always)
    private mutating func judged(
        _ whole: TransferContent, _ context: RedirectContext
    ) async throws(SessionError) -> Response {
        if let latest, !latest.isCurrent() { forget() }
        var terms = try terms(context)
        latest = terms.connection
        var attempts = 0
        var changes = 0
        var content = whole
        var began = ContinuousClock.now
        while attempts <= 2 * Authentication.maximumAttempts {
            let transfer = TransferOrder(
                url: context.url.text, isEncrypted: context.url.isSecure, content: content,
                terms: terms.connection, settings: session.transferSettings, answers: answers, password: password,
                isAlone: isAlone, trace: trace)
            let outcome = await session.engine.perform(transfer)
            session.configuration.onEvent?(
                .exchanged(id: exchange.identifier, metrics: ExchangeMetrics(outcome)))
            switch outcome.failure {
            case nil: return Response(outcome, url: context.url.text)
            case .undecided(let evidence, let verdict)?:
                attempts += 1
                try await decide(evidence, verdict, context, &terms)
                (content, began) = (whole, .now)
            case .identityUndecided(let request, _)?:
                attempts += 1
                try await identify(request, context, &terms)
                (content, began) = (whole, .now)
            case .superseded?:
                // No fault of the server's: it has shown nothing new.
                changes += 1
                guard changes <= Authentication.maximumChanges else { throw exchange.failure(.superseded) }
                forget()
                terms = try self.terms(context)
                latest = terms.connection
                // And none to wait longer than was asked for.
                guard let rest = whole.rest(after: .now - began) else {
                    throw exchange.failure(.timedOut(.queue, whole.timeouts.total ?? .zero))
                }
                content = rest
            case .timedOut(let phase, let limit)? where limit == content.timeouts.total:
                throw exchange.failure(.timedOut(phase, whole.timeouts.total ?? limit))
            case let failed?: throw exchange.failure(failed)
            }
        }
        throw exchange.failure(
            .challengeUnanswered(
                "the server shows other certificates at every attempt, so that no answer fits the next one"), .handshake
        )
    }

    /// Asks whether the server is to be trusted.
    private mutating func decide(
        _ evidence: PeerEvidence, _ verdict: Verdict, _ context: RedirectContext, _ terms: inout SessionRules.Terms
    ) async throws(SessionError) {
        guard answers.chains.count + answers.undisputed.count < Authentication.maximumAttempts else { return }
        let judge = terms.judge
        let trust = judge.trust(for: evidence, at: evidence.moment)
        let disposition = try await ask(.serverTrust(trust, evidence, verdict), context.url, proposed: nil)
        let outcome = ChallengeOutcome.decide(
            verdict: verdict, disposition: disposition, chain: evidence.chain,
            trustMayBeLoosened: judge.demands?.mayTrustBeRelaxed ?? true,
            isMalformed: verdict.isMalformed, violatesFixedPins: false
        ) { changed in judge.policy.securityPolicy.evaluate(changed) }
        switch outcome {
        case .refused(.cancelled, _): throw exchange.failure(.challengeCancelled, .handshake)
        case .refused(.trustIsLocked, let verdict):
            throw exchange.failure(.untrusted(verdict.adding([.trustLocked])), .handshake)
        case .refused(.policy, let verdict), .refused(.changedTrust, let verdict),
            .refused(.beyondOverruling, let verdict), .refused(.malformed, let verdict):
            throw exchange.failure(.untrusted(verdict), .handshake)
        case .refused(let refusal, _): throw exchange.failure(.challengeUnanswered(refusal.description), .handshake)
        case .accepted(let accepted):
            guard case .useCredential(let credential) = disposition else {
                answers.undisputed.insert(evidence.chain)
                return
            }
            answers.chains[evidence.chain] = .accepted(accepted)
            if credential.persistence == .forSession {
                judge.remember(.accepted(accepted), for: evidence.chain)
            } else {
                standAlone(&terms)
            }
        }
    }

    /// Asks who the client is.
    private mutating func identify(
        _ request: ClientCertificateRequest, _ context: RedirectContext, _ terms: inout SessionRules.Terms
    ) async throws(SessionError) {
        let configured = terms.configuredIdentity(request)
        let kind = Challenge.Kind.clientCertificate(
            acceptableIssuers: request.acceptableIssuers, keyTypes: request.keyTypes)
        switch try await ask(kind, context.url, proposed: configured.map { .identity($0) }) {
        case .cancel: throw exchange.failure(.challengeCancelled, .handshake)
        case .performDefaultHandling: answers.identity = configured.map { .present($0) } ?? .nothing
        case .rejectProtectionSpace:
            answers.identity = .nothing
            standAlone(&terms)
        case .useCredential(let credential):
            guard case .identity(let identity) = credential.kind else {
                throw exchange.failure(
                    .challengeUnanswered(
                        "the challenge handler answered with something else when it was asked for an identity. "
                            + "Use Credential.identity"), .handshake)
            }
            answers.identity = .present(identity)
            guard credential.persistence == .forSession else { return standAlone(&terms) }
            let (url, given) = (context.url, terms)
            terms = session.rules.withLock {
                $0.keep(identity, for: url, keepsIdentity: context.keepsIdentity, given)
            }
        }
    }

    /// An answer for this request alone: its connection is not used for another.
    private mutating func standAlone(_ terms: inout SessionRules.Terms) {
        guard !isAlone else { return }
        isAlone = true
        let given = terms
        terms = session.rules.withLock { $0.terms(like: given) }
    }

    // MARK: - Passwords

    /// What has been tried for one server.
    private struct PasswordRound {
        var count = 0
        var rejectedSchemes: Set<PasswordOffer.Scheme> = []
        var tried: ProtectionSpace?
        /// How often the last password was tried with another nonce.
        var nonces = 0
    }

    /// The content with the answer to the challenge of Digest that there is.
    private mutating func authorized(
        _ content: TransferContent, _ url: SessionURL
    ) throws(SessionError) -> TransferContent {
        guard var digest else { return content }
        let (method, target) = (content.method, url.pathAndQuery)
        // Answers are counted, also those of other requests.
        let answer = session.credentials.withLock { credentials in
            guard var kept = credentials[challenge: digest.space], kept.nonce == digest.challenge.nonce else {
                return digest.challenge.answer(method, target, digest.password)
            }
            let answer = kept.answer(method, target, digest.password)
            credentials[challenge: digest.space] = kept
            return answer
        }
        self.digest = digest
        let isSendable = answer.map { (try? HTTPHeaders([("Authorization", $0)])) != nil } ?? false
        guard let answer, isSendable else {
            throw exchange.failure(
                .challengeUnanswered(
                    answer == nil
                        ? "this machine's OpenSSL does not have the digest that the server asks for. Have the server offer SHA-256"
                        : "the user's name holds control characters, which no header field can hold. Give another name")
            )
        }
        return content.authorized(by: answer)
    }

    /// Whether the server wants the same password with another nonce: it says so, or the one that was answered had been given earlier.
    private mutating func isRenewed(
        _ offer: PasswordOffer, _ space: ProtectionSpace, _ round: inout PasswordRound
    ) -> Bool {
        guard let digest, round.tried == space, round.nonces < Authentication.maximumNonces,
            offer.isStale || (round.count == 0 && round.nonces == 0),
            let challenge = DigestChallenge(offer.challenge), challenge.nonce != digest.challenge.nonce
        else { return false }
        round.nonces += 1
        use(digest.password, challenge, space)
        return true
    }

    /// Answers a challenge of Digest from now on.
    private mutating func use(_ password: UserPassword, _ challenge: DigestChallenge, _ space: ProtectionSpace) {
        self.password = nil
        digest = Digest(password: password, space: space, challenge: challenge)
        session.credentials.withLock { $0[challenge: space] = challenge }
    }

    /// Whether a response that asks for a password was answered with one.
    private mutating func isAnswered(
        _ response: Response, _ url: SessionURL, _ round: inout PasswordRound
    ) async throws(SessionError) -> Bool {
        guard session.configuration.onChallenge != nil, round.count < Authentication.maximumPasswords,
            let challenges = try? AuthenticateChallenge.read(response.headers.values(of: "WWW-Authenticate"))
        else { return false }
        let refused = round.rejectedSchemes
        for offer in PasswordOffer.offers(in: challenges) where !refused.contains(offer.scheme) {
            let space = ProtectionSpace(url.origin, .password(realm: offer.realm, isDigest: offer.scheme.isDigest))
            if isRenewed(offer, space, &round) { return true }
            let stored = session.credentials.withLock { credentials in
                // One that was just turned down is none.
                if round.tried == space { credentials.remove(for: space) }
                return credentials.credential(for: space)
            }
            let kind: Challenge.Kind =
                offer.scheme.isDigest ? .httpDigest(realm: offer.realm) : .httpBasic(realm: offer.realm)
            let disposition = try await ask(
                kind, url, proposed: stored, failures: round.count)
            let chosen: Credential?
            switch disposition {
            case .cancel: throw exchange.failure(.challengeCancelled, .receive)
            case .rejectProtectionSpace:
                round.rejectedSchemes.insert(offer.scheme)
                continue
            case .performDefaultHandling: chosen = stored
            case .useCredential(let credential): chosen = credential
            }
            guard let chosen else { return false }
            guard case .password(let password) = chosen.kind else {
                throw exchange.failure(
                    .challengeUnanswered(
                        "the challenge handler answered with something else when it was asked for a password. "
                            + "Use Credential.password"), .receive)
            }
            round.count += 1
            round.nonces = 0
            round.tried = space
            session.credentials.withLock { $0.keep(chosen, for: space) }
            if let challenge = DigestChallenge(offer.challenge) {
                use(password, challenge, space)
            } else {
                digest = nil
                self.password = TransferPassword(password)
            }
            return true
        }
        return false
    }

    /// Uses the password that a server is known to want, before it asks.
    private mutating func useStoredPassword(for url: SessionURL) -> ProtectionSpace? {
        let stored = session.credentials.withLock { $0.count == 0 ? nil : $0.password(for: url.origin) }
        guard let stored else { return nil }
        guard stored.isDigest else {
            password = TransferPassword(stored.password)
            return stored.space
        }
        // Without a challenge there is nothing to answer; the server will ask.
        guard let challenge = session.credentials.withLock({ $0[challenge: stored.space] }) else { return nil }
        digest = Digest(password: stored.password, space: stored.space, challenge: challenge)
        return stored.space
    }

    // MARK: - Asking

    private func ask(
        _ kind: Challenge.Kind, _ url: SessionURL, proposed: Credential?, failures: Int = 0
    ) async throws(SessionError) -> ChallengeDisposition {
        guard let handler = session.configuration.onChallenge else { return .performDefaultHandling }
        session.configuration.onEvent?(
            .challenged(id: exchange.identifier, kind: kind.name, host: url.host.description))
        let disposition = await handler(
            Challenge(
                host: url.host, port: url.port, isEncrypted: url.isSecure, kind: kind, previousFailureCount: failures,
                proposed: proposed))
        guard !Task.isCancelled else { throw exchange.failure(.cancelled) }
        return disposition
    }
}

extension Verdict {
    /// Whether something in the chain could not be read, which nobody may overrule.
    fileprivate var isMalformed: Bool {
        findings(.error).contains { $0.rule.identifier.hasPrefix("der.") || $0.rule.identifier.hasSuffix(".malformed") }
    }
}

extension Challenge.Kind {
    /// The kind in a word.
    fileprivate var name: String {
        switch self {
        case .serverTrust: "server trust"
        case .clientCertificate: "client certificate"
        case .httpBasic: "HTTP Basic"
        case .httpDigest: "HTTP Digest"
        }
    }
}

extension TransferPassword {
    fileprivate init(_ password: UserPassword) {
        self.init(user: password.user, password: password.password)
    }
}
