import BelayTrust

extension PolicyTable {
    /// The right table.
    public static let expected = PolicyTable(
        about: expectedAbout,
        situations: Dictionary(uniqueKeysWithValues: Situation.Letter.allCases.map { ($0, $0.summary) }),
        table: expectedRows.map { accepted, setting in
            Row(
                setting,
                accept: Dictionary(
                    uniqueKeysWithValues: Situation.Letter.allCases.map { ($0, accepted.contains($0.rawValue)) }))
        },
        emptyPins: PolicySetting.all.filter { $0.pinning != .none }.map { EmptyRow($0, acceptA: false) })

    /// The situations that each setting accepts.
    private static let expectedRows: [(String, PolicySetting)] = [
        ("AIK", PolicySetting(pinning: .none, allowInvalidCertificates: false, validatesDomainName: true)),
        ("ABHIKN", PolicySetting(pinning: .none, allowInvalidCertificates: false, validatesDomainName: false)),
        ("", PolicySetting(pinning: .none, allowInvalidCertificates: true, validatesDomainName: true)),
        ("ABCDEFGHIJKLMN", PolicySetting(pinning: .none, allowInvalidCertificates: true, validatesDomainName: false)),
        ("AK", PolicySetting(pinning: .publicKey, allowInvalidCertificates: false, validatesDomainName: true)),
        ("ABKN", PolicySetting(pinning: .publicKey, allowInvalidCertificates: false, validatesDomainName: false)),
        ("ABCDEFJKLN", PolicySetting(pinning: .publicKey, allowInvalidCertificates: true, validatesDomainName: true)),
        ("ABCDEFJKLN", PolicySetting(pinning: .publicKey, allowInvalidCertificates: true, validatesDomainName: false)),
        ("A", PolicySetting(pinning: .certificate, allowInvalidCertificates: false, validatesDomainName: true)),
        ("ABN", PolicySetting(pinning: .certificate, allowInvalidCertificates: false, validatesDomainName: false)),
        ("ADJ", PolicySetting(pinning: .certificate, allowInvalidCertificates: true, validatesDomainName: true)),
        ("ABDEJLN", PolicySetting(pinning: .certificate, allowInvalidCertificates: true, validatesDomainName: false)),
    ]

    private static let expectedAbout =
        "Accept or refuse, for every pinning mode x allowInvalidCertificates (AC) x validatesDomainName (VD), for "
        + "a connection to a named host. Order of evaluation: (1) AC and VD without pins (mode none, or no pinned "
        + "certificates) is refused as a misconfiguration (with a null host this step is skipped); (2) mode none "
        + "accepts if AC, else if the chain is valid against the system's anchors; (3) other modes refuse a chain "
        + "that is not valid against the system's anchors unless AC; (4) mode certificate then makes the pinned "
        + "certificates the only anchors, demands that the chain is valid against them (dates and, with VD, name "
        + "included) and that the path holds a pinned certificate; (5) mode publicKey demands that a key in the "
        + "path is the key of a pinned certificate. With VD the TLS server policy with the name is part of every "
        + "validity check; without VD it is basic X.509 (no name, no extended key usage). An empty pin set in mode "
        + "certificate or publicKey refuses everything. The path: pinned certificates take part in the search as "
        + "candidate issuers (J, L); every edge demands a valid signature, a CA issuer (basic constraints, "
        + "keyCertSign, path length, name constraints) even under AC, where only dates, names, extended key usage "
        + "and the missing anchor are forgiven (M)."
}
