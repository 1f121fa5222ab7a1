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

    /// A verdict, and the question that it answers.
    private final class Entry: Sendable {
        let trust: ServerTrust
        let policy: SecurityPolicy
        let verdict: Verdict
        let holds: ClosedRange<Int64>

        init(_ trust: ServerTrust, _ policy: SecurityPolicy, _ verdict: Verdict, _ holds: ClosedRange<Int64>) {
            self.trust = trust
            self.policy = policy
            self.verdict = verdict
            self.holds = holds
        }

        /// Whether everything that can change a verdict, but for the moment, is the same.
        func answers(_ other: ServerTrust, _ otherPolicy: SecurityPolicy) -> Bool {
            // Stores never change, so that the same object is the same anchors; the entry keeps them alive.
            trust.anchors === other.anchors && trust.systemAnchors === other.systemAnchors
                && trust.rules.name == other.rules.name && trust.policies == other.policies
                && trust.maximumChainDepth == other.maximumChainDepth && trust.limits == other.limits
                && trust.explains == other.explains
                && trust.requiresRevocationLists == other.requiresRevocationLists && policy == otherPolicy
                && trust.chain.elementsEqual(other.chain, by: areEqual)
                && trust.revocationLists == other.revocationLists
        }
    }

    /// What tells nearly all questions apart: the end of the leaf, which is a signature, and the name. Looking up the question
    /// itself would copy all of it, which takes as long as the rest.
    private struct Key: Hashable {
        private var leaf: (UInt64, UInt64) = (0, 0)
        private var name = ""

        init(_ trust: ServerTrust) {
            if case .dns(let name)? = trust.policies.first?.name { self.name = name }
            guard let leaf = trust.chain.first, leaf.count >= 16 else { return }
            leaf.withUnsafeBytes { octets in
                self.leaf = (
                    octets.loadUnaligned(fromByteOffset: octets.count - 16, as: UInt64.self),
                    octets.loadUnaligned(fromByteOffset: octets.count - 8, as: UInt64.self)
                )
            }
        }

        static func == (left: Key, right: Key) -> Bool { left.leaf == right.leaf && left.name == right.name }

        func hash(into hasher: inout Hasher) {
            hasher.combine(leaf.0)
            hasher.combine(leaf.1)
            hasher.combine(name)
        }
    }

    private struct Table {
        var entries: [Key: [Entry]] = [:]
        var count = 0
    }

    /// The most entries of one key. A server may send its certificate with ever other ones beside it; nobody's question is to be
    /// compared with all of these.
    private static let mostOfOneKey = 8

    private let table = Protected(Table())

    /// Makes an empty cache with room for `capacity` verdicts; one takes some 2 kB beside its certificates.
    public init(capacity: Int = 1_024) {
        self.capacity = max(capacity, 1)
    }

    /// The verdict on a chain under a policy: a kept one, or a new one that is kept if it may be.
    public func evaluate(_ trust: ServerTrust, under policy: SecurityPolicy = .default) -> Verdict {
        let now = CivilTime.seconds(trust.evaluationTime ?? Date())
        let key = Key(trust)
        if let candidates = table.withLock({ $0.entries[key] }) {
            for entry in candidates where entry.holds.contains(now) && entry.answers(trust, policy) {
                return entry.verdict
            }
        }
        let verdict = policy.evaluate(trust)
        if verdict.result == .unspecified, let holds = Self.period(around: now, verdict, trust, policy) {
            keep(Entry(trust, policy, verdict, holds), key)
        }
        return verdict
    }

    /// How many verdicts are kept.
    public var count: Int { table.withLock { $0.count } }

    private func keep(_ entry: Entry, _ key: Key) {
        let capacity = capacity
        table.withLock { table in
            var entries = table.entries[key] ?? []
            // In the place of one on the same question that no longer holds, or that another thread was quicker to keep.
            if let index = entries.firstIndex(where: { $0.answers(entry.trust, entry.policy) }) {
                table.entries[key]?[index] = entry
                return
            }
            if table.count >= capacity {
                table = Table()
                entries = []
            } else if entries.count >= Self.mostOfOneKey {
                entries.removeFirst()
                table.count -= 1
            }
            table.entries[key] = entries + [entry]
            table.count += 1
        }
    }

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
}
