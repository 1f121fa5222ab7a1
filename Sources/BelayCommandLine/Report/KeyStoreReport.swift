import BelayCertificates
import FoundationEssentials

/// A key store with everything that is shown of it, in the order in which JSON has it.
struct KeyStoreReport: Encodable {
    let file: String
    let format: String
    let byteCount: Int
    /// `DER` or `BER`; nil for formats that are neither.
    let encoding: String?
    /// Whether it was opened, so that the entries are known.
    let isOpen: Bool
    let integrity: Integrity
    let protections: [Protection]
    let entries: [Entry]
    let gaps: [Gap]
    let support: [Support]

    /// What showed that nobody changed the file.
    struct Integrity: Encodable {
        /// `verified`, `unchecked`, `none`.
        let state: String
        let code: String?
        let rounds: Int?
        let saltBytes: Int?
    }

    /// How a part of the file is encrypted.
    struct Protection: Encodable {
        let part: String
        let cipher: String?
        let derivation: String?
        let rounds: Int?
        let saltBytes: Int?
        let needsLegacyProvider: Bool
    }

    /// Something in the store.
    struct Entry: Encodable {
        let name: String?
        let created: String?
        /// `identity`, `private-key`, `mismatch`, `certificate`, `trusted-certificate`, `closed-key`, `malformed`,
        /// `revocation-list`, `other`.
        let kind: String
        let key: String?
        let problem: String?
        let certificates: [CertificateSummary]
    }

    /// A certificate in few words.
    struct CertificateSummary: Encodable {
        let subject: String
        let issuer: String
        let notAfter: String
        let daysLeft: Int
        let sha256: String
        let pin: String
        let isAuthority: Bool

        init(_ certificate: Certificate, at moment: Date) {
            let report = CertificateReport(certificate, at: moment)
            subject = report.subject
            issuer = report.issuer
            notAfter = report.notAfter
            daysLeft = report.daysLeft
            sha256 = report.sha256
            pin = report.pin
            isAuthority = report.isAuthority
        }
    }

    /// A certificate that is missing.
    struct Gap: Encodable {
        let certificate: String
        let missingIssuer: String
        /// Whether the identity's own issuer is missing: then servers that know only the root refuse it.
        let isLeaf: Bool
    }

    /// Whether a system opens it.
    struct Support: Encodable {
        let system: String
        let answer: String
        let reason: String?
        let source: String
    }

    /// Describes what was opened.
    init(file: String, _ opened: KeyStoreOpener.Opened, at moment: Date) {
        let description = opened.description
        self.file = file
        format = (opened.store?.format ?? .pkcs12).description
        byteCount = opened.byteCount
        encoding = description.map { $0.isBER ? "BER" : "DER" }
        isOpen = opened.store != nil
        integrity = Integrity(opened.store, description)
        protections = description.map { $0.safes.enumerated().flatMap { Protection.list($1, index: $0) } } ?? []
        entries = opened.store?.entries.map { Entry($0, at: moment) } ?? []
        gaps =
            opened.store.map(PKCS12Description.ChainGap.find)?.map {
                Gap(certificate: $0.certificate, missingIssuer: $0.issuer, isLeaf: $0.isLeaf)
            } ?? []
        support =
            description?.support.map {
                Support(system: $0.system.rawValue, answer: $0.answer.rawValue, reason: $0.reason, source: $0.source)
            } ?? []
    }
}

extension KeyStoreReport.Integrity {
    fileprivate init(_ store: KeyStore?, _ description: PKCS12Description?) {
        let code = description?.integrity
        switch store?.integrity {
        case .verified(let name): (state, self.code) = ("verified", name)
        case .unchecked(let name): (state, self.code) = ("unchecked", name)
        case KeyStore.Integrity.none?: (state, self.code) = ("none", nil)
        case nil: (state, self.code) = (code == nil ? "none" : "unchecked", code?.name)
        }
        rounds = code?.rounds
        saltBytes = code?.saltLength
    }
}

extension KeyStoreReport.Protection {
    /// How one safe and the keys in it are encrypted.
    fileprivate static func list(_ safe: PKCS12Description.Safe, index: Int) -> [Self] {
        var list: [Self] = []
        let kinds = Set(safe.bags?.map(\.kind) ?? [])
        let part = kinds.isEmpty ? "safe \(index + 1)" : "safe \(index + 1) (\(kinds.sorted().joined(separator: ", ")))"
        if safe.protection != nil || safe.bags?.allSatisfy({ $0.protection == nil }) ?? true {
            list.append(Self(part, safe.protection))
        }
        var seen: Set<PKCS12Description.Protection> = []
        for bag in safe.bags ?? [] {
            guard let protection = bag.protection, seen.insert(protection).inserted else { continue }
            list.append(Self("private key", protection))
        }
        return list
    }

    private init(_ part: String, _ protection: PKCS12Description.Protection?) {
        self.part = part
        cipher = protection?.cipher
        derivation = protection?.derivation
        rounds = protection?.rounds
        saltBytes = protection?.saltLength
        needsLegacyProvider = protection?.needsLegacyProvider ?? false
    }
}

extension KeyStoreReport.Entry {
    fileprivate init(_ entry: KeyStore.Entry, at moment: Date) {
        name = entry.name
        created = entry.created.map { CivilTime.text(Int64($0.timeIntervalSince1970.rounded(.down))) }
        certificates = entry.certificates.map { KeyStoreReport.CertificateSummary($0, at: moment) }
        switch entry.content {
        case .identity(let identity): (kind, key, problem) = ("identity", "\(identity.privateKey.publicKey)", nil)
        case .privateKey(let held):
            (kind, key, problem) = ("private-key", "\(held.publicKey)", "no certificate of this key is in the file")
        case .mismatch(let held, _):
            (kind, key, problem) = ("mismatch", "\(held.publicKey)", "Key does not match certificate")
        case .certificate(_, let isTrusted):
            (kind, key, problem) = (isTrusted ? "trusted-certificate" : "certificate", nil, nil)
        case .closedKey(let error, _): (kind, key, problem) = ("closed-key", nil, "\(error)")
        case .malformedCertificate(let error): (kind, key, problem) = ("malformed", nil, "\(error)")
        case .revocationList: (kind, key, problem) = ("revocation-list", nil, nil)
        case .other(let text): (kind, key, problem) = ("other", nil, text)
        }
    }
}
