extension PKCS12Description {
    /// A system that opens PKCS#12 files.
    public enum System: String, Sendable, Hashable, CaseIterable {
        /// OpenSSL 3.0 and newer, as it is set up by default: without its legacy provider.
        case openssl3 = "OpenSSL 3 without the legacy provider"
        /// OpenSSL 1.0.2 and 1.1.1.
        case openssl1 = "OpenSSL 1.0.2 and 1.1.1"
        /// The Keychain of macOS 10.15 and before.
        case macOS10 = "macOS 10.15 and older"
        /// The Keychain of macOS 11 to 15, and of iOS.
        case apple = "macOS 11 to 15, iOS"
        /// The Keychain of macOS 26.
        case macOS26 = "macOS 26"
        /// Java before the updates 8u301 and 11.0.12.
        case oldJava = "Java before 8u301 and 11.0.12"
        /// Java since these updates, and 17.
        case java = "Java 8u301, 11.0.12, 17 and newer"
        /// Windows Server 2016 and before.
        case oldWindows = "Windows Server 2016 and older"
        /// Windows Server 2019 and newer, and Windows 10 of that time.
        case windows = "Windows Server 2019 and newer"
        /// NSS, which Firefox brings, at 3.87.
        case nss = "NSS (Firefox) 3.87"
        /// GnuTLS at 3.7.
        case gnutls = "GnuTLS 3.7"
    }

    /// Whether a system opens the file.
    public enum Answer: String, Sendable, Hashable {
        /// It does.
        case opens
        /// It does not; most say then that the passphrase is wrong.
        case refuses
        /// There is no certain knowledge, or reports contradict each other.
        case unclear
    }

    /// Whether a system opens the file, why, and how that is known.
    public struct Support: Sendable, Hashable, CustomStringConvertible {
        /// The system.
        public let system: System
        /// Whether it opens the file.
        public let answer: Answer
        /// What in the file decides it; nil where nothing stands against it.
        public let reason: String?
        /// How that is known: a document, a report, or the test of this project with that program.
        public let source: String

        /// For example `Windows Server 2016 and older: refuses (AES-256-CBC). JDK-8228481`.
        public var description: String {
            "\(system.rawValue): \(answer.rawValue)\(reason.map { " (\($0))" } ?? ""). \(source)"
        }
    }

    /// Which systems open the file, as far as its encryption can be seen: each with the source of the knowledge.
    ///
    /// Without a passphrase, keys that lie in an encrypted safe are not seen.
    public var support: [Support] { System.allCases.map(support) }

    /// Whether one system opens the file.
    public func support(by system: System) -> Support {
        let (answer, reason, source) = judgement(of: system)
        return Support(system: system, answer: answer, reason: reason, source: source)
    }

    private func judgement(of system: System) -> (Answer, String?, String) {
        let modern = modernScheme
        switch system {
        case .openssl3:
            let source = "openssl-pkcs12(1), OSSL_PROVIDER-legacy(7), NEWS of 3.4"
            if let legacy = protections.first(where: \.needsLegacyProvider) { return (.refuses, legacy.cipher, source) }
            if isPBMAC1 { return (.refuses, "PBMAC1, which OpenSSL knows since 3.4", source) }
            return refusal(of: .unknown, source) ?? (.opens, nil, source)
        case .openssl1:
            let source = "openssl-pkcs12(1) of 1.1.1, NEWS of 3.4"
            if isPBMAC1 { return (.refuses, "PBMAC1, which OpenSSL knows since 3.4", source) }
            return refusal(of: .unknown, source) ?? (.opens, nil, source)
        case .macOS10:
            let source = "JDK-8228481, compatibility risk"
            if let modern { return (.refuses, modern, source) }
            return refusal(of: .unknown, source) ?? (.opens, nil, source)
        case .apple:
            let source = "kube-rs/kube#691, pyca/cryptography#11450, lwouis/alt-tab-macos#3170"
            if isPBMAC1 { return (.unclear, "PBMAC1", source) }
            if let modern { return (.unclear, "\(modern): some versions say that the passphrase is wrong", source) }
            return refusal(of: .unknown, source) ?? (.opens, nil, source)
        case .macOS26:
            let source = "tauri-apps/tauri#15844"
            if isPBMAC1 { return (.unclear, "PBMAC1", source) }
            if let modern { return (.opens, "\(modern): only when told the format, security import -f pkcs12", source) }
            return refusal(of: .unknown, source) ?? (.opens, nil, source)
        case .oldJava:
            let source = "JDK-8228481, compatibility risk; JDK-8202837, JDK-8076190"
            if let modern { return (.refuses, modern, source) }
            return refusal(of: .unknown, source) ?? (.opens, nil, source)
        case .java:
            let source = "JDK-8228481, JDK-8267701, JDK-8343232; tested with Java 17"
            if isPBMAC1 { return (.refuses, "PBMAC1, which Java knows since 26", source) }
            return refusal(of: .pbes2Scrypt, source) ?? refusal(of: .unknown, source) ?? (.opens, nil, source)
        case .oldWindows:
            let source = "JDK-8228481, compatibility risk"
            if let modern { return (.refuses, modern, source) }
            return refusal(of: .unknown, source) ?? (.opens, nil, source)
        case .windows:
            let source = "JDK-8228481, summary"
            if isPBMAC1 { return (.unclear, "PBMAC1", source) }
            return refusal(of: .pbes2Scrypt, source, .unclear) ?? refusal(of: .unknown, source) ?? (.opens, nil, source)
        case .nss: return judgementOfNSS
        case .gnutls: return judgementOfGnuTLS
        }
    }

    private var judgementOfNSS: (Answer, String?, String) {
        let source = "tested with pk12util"
        if integrity == nil { return (.refuses, "it has no MAC", source) }
        if isPBMAC1 { return (.refuses, "PBMAC1", source) }
        return refusal(of: .pbes2Scrypt, source) ?? refusal(of: .unknown, source) ?? (.opens, nil, source)
    }

    private var judgementOfGnuTLS: (Answer, String?, String) {
        let source = "tested with certtool"
        if isPBMAC1 { return (.refuses, "PBMAC1", source) }
        return refusal(of: .pbes2Scrypt, source) ?? refusal(of: .unknown, source) ?? (.opens, nil, source)
    }

    private var isPBMAC1: Bool { integrity?.name.hasPrefix("PBMAC1") == true }

    /// What in the file is newer than PKCS#12's own schemes and SHA-1, in words.
    private var modernScheme: String? {
        if let protection = protections.first(where: { $0.scheme == .pbes2 || $0.scheme == .pbes2Scrypt }) {
            return protection.cipher
        }
        guard let name = integrity?.name, name != "HMAC-SHA-1", name != "HMAC-MD5" else { return nil }
        return "a MAC with \(name)"
    }

    private func refusal(
        of scheme: Scheme, _ source: String, _ answer: Answer = .refuses
    ) -> (Answer, String?, String)? {
        guard let protection = protections.first(where: { $0.scheme == scheme }) else { return nil }
        return (scheme == .unknown ? .unclear : answer, "\(protection.cipher), \(scheme.rawValue)", source)
    }
}
