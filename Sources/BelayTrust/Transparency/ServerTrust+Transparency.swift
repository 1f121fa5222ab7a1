import BelayCertificates
import FoundationEssentials

extension ServerTrust {
    /// What there is to say about Certificate Transparency.
    ///
    /// Where timestamps are demanded and no ``logList`` is given, that they were not checked is a note.
    ///
    /// - Parameters:
    ///   - verdict: the verdict on the chain; where it has no path, nothing is said.
    ///   - evidence: what the connection showed beside the chain; nil for a chain from files.
    ///   - isDemandedByApp: whether an app demands timestamps of the host, whatever anchor its chain leads to.
    ///   - isDemandedBySystem: whether the system demands them under anchors that it came with.
    package func transparencyFindings(
        for verdict: Verdict, _ evidence: PeerEvidence?, isDemandedByApp: Bool = false, isDemandedBySystem: Bool = true
    ) -> [Finding] {
        guard verdict.isPathComplete, verdict.path.count > 1, let leaf = verdict.path.first,
            let anchor = verdict.path.last
        else { return [] }
        let isPublic =
            isDemandedBySystem && leaf.validity.notBeforeSeconds >= TransparencyCheck.start
            && isShipped(anchor)
        guard isDemandedByApp || isPublic else { return [] }
        let place = Finding.Place.certificate(depth: 0, subject: leaf.subject.description)
        var timestamps: [SignedTimestamp] = []
        var findings: [Finding] = []
        let lists: [(SignedTimestamp.Delivery, [UInt8]?)] = [
            (.embedded, leaf.embeddedTimestampList), (.tls, evidence?.timestampList),
            (.ocsp, evidence?.stapledResponse.flatMap(StapledTimestamps.list)),
        ]
        for (delivery, bytes) in lists {
            guard let bytes else { continue }
            if let list = SignedTimestamp.list(bytes, delivery) {
                timestamps += list
            } else {
                findings.append(
                    Finding(
                        .timestampsMalformed, at: place,
                        "the list of timestamps (\(delivery.rawValue)) is malformed, and none of it counts"))
            }
        }
        guard let logList else {
            let counts = SignedTimestamp.Delivery.allCases.compactMap { delivery in
                let count = timestamps.count { $0.delivery == delivery }
                return count == 0 ? nil : "\(count) \(delivery.rawValue)"
            }
            let found = counts.isEmpty ? "none" : counts.joined(separator: ", ")
            return findings + [
                Finding(
                    .transparencyNotChecked, at: place,
                    "Certificate Transparency is demanded and was not checked, for want of a list of logs; timestamps: \(found)",
                    found: found)
            ]
        }
        let check = TransparencyCheck(
            leaf: leaf, issuer: verdict.path[1], list: logList,
            moment: Int64((evaluationTime ?? Date()).timeIntervalSince1970))
        return findings + check.findings(timestamps)
    }

    private func isShipped(_ anchor: Certificate) -> Bool {
        systemAnchors?.isShipped(anchor) ?? false || anchors.isShipped(anchor)
    }
}
