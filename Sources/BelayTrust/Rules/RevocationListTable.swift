import BelayCertificates

/// What an evaluation has found out about revocation lists, which may be long: on however many paths it comes to a
/// certificate, a list's signature is checked once with a key, and the list is read once for a certificate.
final class RevocationListTable {
    private struct Signer: Hashable {
        let list: Int
        let key: SPKIPin
    }

    private struct Entry: Hashable {
        let list: Int
        let child: Int
    }

    private var signatures: [Signer: Bool] = [:]
    private var entries: [Entry: RevokedCertificate?] = [:]
    private var lookups: [Int: Int] = [:]
    private var indexes: [Int: RevocationList.Index] = [:]

    /// After so many times through a list an index of it pays.
    private static let lookupsBeforeIndex = 8

    /// Whether the issuer's key signed the list; nil when the budget is spent.
    ///
    /// The bytes of the list do not count: its length is the choice of whoever gave it, not of the peer.
    func isSigned(
        _ number: Int, _ list: RevocationList, by issuer: PathCertificate, in context: EvaluationContext
    ) -> Bool? {
        let signer = Signer(list: number, key: issuer.pin)
        if let known = signatures[signer] { return known }
        guard context.budget.spendSignatureCheck(with: issuer, over: 0) else { return nil }
        let result = issuer.verificationKey(context.cache).map { list.isSigned(by: $0) } ?? false
        signatures[signer] = result
        return result
    }

    /// The entry of a certificate below its issuer; nil where the list has none.
    func entry(_ number: Int, _ list: RevocationList, for child: PathCertificate) -> RevokedCertificate? {
        let key = Entry(list: number, child: child.number)
        if let known = entries[key] { return known }
        let entry = find(number, list, child.certificate.serialNumber)
        entries[key] = .some(entry)
        return entry
    }

    private func find(_ number: Int, _ list: RevocationList, _ serialNumber: [UInt8]) -> RevokedCertificate? {
        if let index = indexes[number] { return list.entry(forSerialNumber: serialNumber, in: index) }
        let count = lookups[number, default: 0]
        lookups[number] = count + 1
        guard count >= Self.lookupsBeforeIndex else { return list.entry(forSerialNumber: serialNumber) }
        let index = list.makeIndex()
        indexes[number] = index
        return list.entry(forSerialNumber: serialNumber, in: index)
    }
}
