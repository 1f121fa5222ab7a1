import BelayCertificates
import FoundationEssentials

/// Verdicts that still hold: a program that meets the same chain under the same policy again gets the verdict without a
/// new evaluation.
///
/// ```swift
/// let cache = VerdictCache()
/// let verdict = cache.evaluate(trust, under: policy)
/// ```
///
/// A verdict is found only when everything that could change it is the same: the chain, the names and purposes, the anchors
/// (the same stores), the rules, the limits, the revocation lists and the policy with its pins. It is kept no longer than
/// until the next moment at which any certificate or revocation list in question begins or ceases to be valid.
///
/// Only acceptances by validity (``TrustResult/unspecified``) are kept. Refusals, and acceptances of invalid chains, are
/// told anew each time, with texts about the moment.
public final class VerdictCache: Sendable {
    /// The most verdicts that are kept. When the cache is full it is emptied.
    public let capacity: Int

    private struct Entry {
        let verdict: Verdict
        let holds: ClosedRange<Int64>
    }

    private let entries = Protected([Key: Entry]())

    /// Makes an empty cache with room for `capacity` verdicts; one takes some 2 kB beside its certificates.
    public init(capacity: Int = 1_024) {
        self.capacity = max(capacity, 1)
    }

    /// The verdict on a chain under a policy: a kept one, or a new one that is kept if it may be.
    public func evaluate(_ trust: ServerTrust, under policy: SecurityPolicy = .default) -> Verdict {
        let now = CivilTime.seconds(trust.evaluationTime ?? Date())
        let key = Key(trust: trust, policy: policy)
        if let entry = entries.withLock({ $0[key] }), entry.holds.contains(now) { return entry.verdict }
        let verdict = policy.evaluate(trust)
        guard verdict.result == .unspecified, let holds = Self.period(around: now, verdict, trust, policy) else {
            return verdict
        }
        let capacity = capacity
        entries.withLock { entries in
            if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
            entries[key] = Entry(verdict: verdict, holds: holds)
        }
        return verdict
    }

    /// How many verdicts are kept.
    public var count: Int { entries.withLock { $0.count } }

    /// The seconds around a moment in which no date of a certificate or list changes sides; nil where they cannot be read.
    private static func period(
        around now: Int64, _ verdict: Verdict, _ trust: ServerTrust, _ policy: SecurityPolicy
    ) -> ClosedRange<Int64>? {
        var first = Int64.min
        var last = Int64.max
        /// The last second before something changes.
        func note(lastSecond: Int64) {
            if lastSecond >= now { last = min(last, lastSecond) } else { first = max(first, lastSecond + 1) }
        }
        var certificates = verdict.path
        for der in trust.chain {
            guard let certificate = try? Certificate(der: der) else { return nil }
            certificates.append(certificate)
        }
        if policy.pinningMode == .certificate {
            // Two paths were judged, and the verdict shows the one to the pinned certificate: the other goes to some anchor.
            certificates += policy.pinnedCertificates + trust.anchorStores.flatMap(\.certificates)
        }
        for certificate in certificates {
            note(lastSecond: certificate.validity.notBeforeSeconds - 1)
            note(lastSecond: certificate.validity.notAfterSeconds)
        }
        for list in trust.revocationLists {
            note(lastSecond: list.thisUpdateSeconds - 1)
            if let next = list.nextUpdateSeconds { note(lastSecond: next) }
        }
        return first...last
    }

    /// Everything that can change a verdict, but for the moment.
    private struct Key: Hashable {
        let trust: ServerTrust
        let policy: SecurityPolicy

        static func == (left: Key, right: Key) -> Bool {
            // Stores never change, so that the same object is the same anchors; the key keeps them alive.
            left.trust.anchors === right.trust.anchors && left.trust.systemAnchors === right.trust.systemAnchors
                && left.trust.rules.name == right.trust.rules.name && left.trust.policies == right.trust.policies
                && left.trust.maximumChainDepth == right.trust.maximumChainDepth
                && left.trust.limits == right.trust.limits && left.trust.explains == right.trust.explains
                && left.policy == right.policy && left.trust.chain == right.trust.chain
                && left.trust.revocationLists == right.trust.revocationLists
        }

        func hash(into hasher: inout Hasher) {
            // Enough to tell chains and names apart; equality looks at everything.
            hasher.combine(trust.policies)
            hasher.combine(policy.pinningMode)
            hasher.combine(trust.chain.count)
            for der in trust.chain.prefix(1) {
                der.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0.suffix(32))) }
            }
        }
    }
}
