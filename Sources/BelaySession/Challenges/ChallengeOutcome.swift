import BelayCertificates
import BelayTrust

/// Who may overrule whom about a server: what comes of the policy's verdict and a handler's answer.
///
/// | | policy accepts | policy refuses |
/// | --- | --- | --- |
/// | perform default | accepted | refused |
/// | cancel, reject | refused | refused |
/// | use credential | accepted | accepted only where trust may be loosened; never against fixed pins, never for what nobody may overrule |
///
/// A changed trust that the handler gives must be about the chain that the server showed, and its verdict counts: it may refuse
/// what the policy accepts, and accept what the policy refuses where trust may be loosened.
public enum ChallengeOutcome: Sendable, Hashable {
    /// The connection may be used, under this verdict.
    case accepted(Verdict)
    /// It may not.
    case refused(Refusal, Verdict)

    /// Why not.
    public enum Refusal: String, Sendable, Hashable, CaseIterable {
        /// The policy refuses, and nobody said otherwise.
        case policy
        /// The handler gave the request up.
        case cancelled
        /// The handler rejects the server.
        case rejected
        /// The handler would trust the server, but trust may not be loosened for this host.
        case trustIsLocked
        /// The handler would trust the server, but it shows none of the keys that the app's configuration has fixed.
        case fixedPins
        /// The handler would trust the server, but a certificate is malformed.
        case malformed
        /// The handler would trust the server, but nobody may overrule what is wrong (a bad signature, revocation …).
        case beyondOverruling
        /// The handler's changed trust refuses as well.
        case changedTrust
        /// The handler's changed trust is about another chain than the server showed.
        case otherChain
        /// The handler answered with a password or an identity.
        case wrongCredential
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - verdict: what the session's policy says of the evidence.
    ///   - disposition: what the handler says.
    ///   - chain: the chain of the evidence.
    ///   - trustMayBeLoosened: whether no app configuration is enforced, or its decision for this host lets trust be loosened.
    ///   - isMalformed: whether a certificate of the chain cannot be read.
    ///   - violatesFixedPins: whether the path holds none of the keys that the app's configuration fixes for this host.
    ///   - judge: judges a changed trust; the session's `securityPolicy.evaluate`, so that its pins hold there too.
    public static func decide(
        verdict: Verdict, disposition: ChallengeDisposition, chain: [[UInt8]], trustMayBeLoosened: Bool,
        isMalformed: Bool, violatesFixedPins: Bool, judge: (ServerTrust) -> Verdict
    ) -> ChallengeOutcome {
        switch disposition {
        case .cancel:
            return .refused(.cancelled, verdict)
        case .rejectProtectionSpace:
            return .refused(.rejected, verdict)
        case .performDefaultHandling:
            guard verdict.isTrusted else { return .refused(.policy, verdict) }
        case .useCredential(let credential):
            guard case .serverTrust(let changed) = credential.kind else { return .refused(.wrongCredential, verdict) }
            if isMalformed { return .refused(.malformed, verdict) }
            if violatesFixedPins { return .refused(.fixedPins, verdict) }
            return overrule(verdict, by: changed, chain, trustMayBeLoosened, judge)
        }
        // What the app's configuration fixes holds without a handler as well.
        if isMalformed { return .refused(.malformed, verdict) }
        return violatesFixedPins ? .refused(.fixedPins, verdict) : .accepted(verdict)
    }

    private static func overrule(
        _ verdict: Verdict, by changed: ServerTrust?, _ chain: [[UInt8]], _ trustMayBeLoosened: Bool,
        _ judge: (ServerTrust) -> Verdict
    ) -> ChallengeOutcome {
        guard verdict.isTrusted || trustMayBeLoosened else { return .refused(.trustIsLocked, verdict) }
        if let changed {
            guard changed.chain == chain else { return .refused(.otherChain, verdict) }
            // Anchors may be added; a list that revokes is not taken back by leaving it out.
            guard !verdict.isRevoked else { return .refused(.beyondOverruling, verdict) }
            let second = judge(changed)
            return second.isTrusted ? .accepted(second) : .refused(.changedTrust, second)
        }
        guard verdict.isTrusted || verdict.mayBeOverruled else { return .refused(.beyondOverruling, verdict) }
        return .accepted(verdict.overruled)
    }
}

extension ChallengeOutcome.Refusal: CustomStringConvertible {
    /// The reason in words, and what to do.
    public var description: String {
        switch self {
        case .policy: "the server is not trusted by the policy"
        case .cancelled: "the challenge handler gave the request up"
        case .rejected: "the challenge handler rejects the server"
        case .trustIsLocked:
            "the challenge handler would trust the server, but the app's configuration does not let trust be loosened for this "
                + "host. Add an exception for it to the configuration, or have the server use a trusted certificate"
        case .fixedPins:
            "the server shows none of the keys that the app's configuration pins for this host, which no handler can overrule. "
                + "Correct the pins in the configuration, if the server is the right one"
        case .malformed:
            "a certificate of the server is malformed, which no handler can overrule. Have the server's certificate issued anew"
        case .beyondOverruling:
            "what is wrong with the server's certificates is nothing that a handler may overrule"
        case .changedTrust: "the server is not trusted under the trust that the challenge handler gave either"
        case .otherChain:
            "the challenge handler answered with a trust about another chain than the server showed. Change a copy of the one "
                + "that the challenge holds"
        case .wrongCredential:
            "the challenge handler answered with a password or identity when it was asked whether to trust the server. Use "
                + "Credential.serverTrust"
        }
    }
}
