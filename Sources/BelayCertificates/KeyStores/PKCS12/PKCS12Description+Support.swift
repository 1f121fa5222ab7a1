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
    public var support: [Support] { System.allCases.map { support(by: $0) } }

    /// Whether one system opens the file.
    public func support(by system: System) -> Support {
        let (answer, reason, source) = judgement(of: system)
        return Support(system: system, answer: answer, reason: reason, source: source)
    }

    private func judgement(of system: System) -> (Answer, String?, String) {
        let source = system.source
        let isOpenedByJava = !hasPassphraseBeyondASCII || (system != .java && system != .oldJava)
        guard isOpenedByJava else {
            return (system == .java ? .refuses : .unclear, "a passphrase of more than ASCII", source)
        }
        let answers = protections.map { (protection: $0, answer: system.answer(to: $0)) }
        if let (answer, reason) = judgementOfCode(by: system) {
            let cipher = answers.first { $0.answer == .refuses }?.protection.nameForSupport
            guard let cipher else { return (answer, reason, source) }
            return (.refuses, "\(reason), \(cipher)", source)
        }
        // What surely stands against it comes before what may.
        for answer in [Answer.refuses, .unclear] {
            if let (protection, _) = answers.first(where: { $0.answer == answer }) {
                return (answer, protection.nameForSupport, source)
            }
        }
        if system == .macOS26, let newer = protections.first(where: \.scheme.isPBES2) {
            return (.opens, "\(newer.cipher): only when told the format, security import -f pkcs12", source)
        }
        return (.opens, nil, source)
    }

    /// What the integrity code alone decides; nil where it is no hindrance.
    private func judgementOfCode(by system: System) -> (Answer, String)? {
        guard let name = integrity?.name else {
            switch system {
            case .nss, .gnutls: return (.refuses, "no MAC")
            case .openssl3, .openssl1, .java: return nil
            case .macOS10, .apple, .macOS26, .oldJava, .oldWindows, .windows: return (.unclear, "no MAC")
            }
        }
        if name.hasPrefix("PBMAC1") {
            switch system {
            case .openssl3, .openssl1: return (.refuses, "PBMAC1, which OpenSSL knows since 3.4")
            case .java: return (.refuses, "PBMAC1, which Java knows since 26")
            case .nss, .gnutls, .macOS10, .oldJava, .oldWindows: return (.refuses, "PBMAC1")
            case .apple, .macOS26, .windows: return (.unclear, "PBMAC1")
            }
        }
        guard name != "HMAC-SHA-1" else { return nil }
        switch system {
        case .macOS10, .oldJava, .oldWindows: return (.refuses, "a MAC with \(name)")
        case .apple: return (.unclear, "a MAC with \(name): some versions say that the passphrase is wrong")
        case .openssl3, .openssl1, .macOS26, .java, .windows, .nss, .gnutls: return nil
        }
    }
}

extension PKCS12Description.System {
    /// How it is known what the system opens.
    fileprivate var source: String {
        switch self {
        case .openssl3: "openssl-pkcs12(1), OSSL_PROVIDER-legacy(7), NEWS of 3.4; tested with 3.0"
        case .openssl1: "openssl-pkcs12(1) of 1.1.1, NEWS of 3.4"
        case .macOS10, .oldWindows: "JDK-8228481, compatibility risk"
        case .apple: "kube-rs/kube#691, pyca/cryptography#11450, lwouis/alt-tab-macos#3170"
        case .macOS26: "tauri-apps/tauri#15844"
        case .oldJava: "JDK-8228481, compatibility risk; JDK-8202837, JDK-8076190"
        case .java: "JDK-8228481, JDK-8267701, JDK-8343232; tested with Java 17"
        case .windows: "JDK-8228481, summary"
        case .nss: "tested with pk12util of 3.87"
        case .gnutls: "tested with certtool of 3.7"
        }
    }

    /// Whether the system opens what is encrypted so.
    fileprivate func answer(to protection: PKCS12Description.Protection) -> PKCS12Description.Answer {
        let cipher = protection.cipher
        let isAES = cipher.hasPrefix("AES-")
        let isCommon = cipher == "3DES-CBC" || cipher == "RC2-40-CBC"
        switch (self, protection.scheme) {
        case (_, .unknown): return .unclear
        case (.openssl3, _): return protection.needsLegacyProvider ? .refuses : .opens
        case (.openssl1, _): return .opens
        case (.macOS10, .pbes2), (.oldJava, .pbes2), (.oldWindows, .pbes2), (.macOS10, .pbes2Scrypt),
            (.oldJava, .pbes2Scrypt), (.oldWindows, .pbes2Scrypt):
            return .refuses
        case (.macOS26, .pbes2), (.windows, .pbes2): return isAES ? .opens : .unclear
        case (.macOS10, _), (.oldJava, _), (.oldWindows, _), (.apple, .pkcs12), (.macOS26, _), (.windows, _):
            return isCommon && protection.scheme == .pkcs12 ? .opens : .unclear
        case (.apple, _): return .unclear
        case (.java, .pbes2): return isAES ? .opens : .refuses
        case (.java, .pkcs12): return cipher == "3DES-CBC with two keys" ? .refuses : .opens
        case (.java, .pbes1): return protection.isMD5WithDES ? .opens : .refuses
        case (.nss, .pbes2): return .opens
        case (.nss, .pkcs12): return cipher == "3DES-CBC with two keys" ? .refuses : .opens
        case (.gnutls, .pbes2): return isAES || cipher == "3DES-CBC" || cipher == "DES-CBC" ? .opens : .refuses
        case (.gnutls, .pkcs12): return isCommon || cipher == "RC4-128" ? .opens : .refuses
        case (.gnutls, .pbes1): return protection.isMD5WithDES ? .opens : .refuses
        case (.java, .pbes2Scrypt), (.nss, _), (.gnutls, .pbes2Scrypt): return .refuses
        }
    }
}

extension PKCS12Description.Scheme {
    fileprivate var isPBES2: Bool { self == .pbes2 || self == .pbes2Scrypt }
}

extension PKCS12Description.Protection {
    fileprivate var isMD5WithDES: Bool { cipher == "DES-CBC" && derivation?.contains("MD5") == true }

    /// The cipher, and the scheme where that is what systems differ in.
    fileprivate var nameForSupport: String {
        switch scheme {
        case .pbes1, .pbes2Scrypt: "\(cipher), \(scheme.rawValue)"
        case .pbes2 where !cipher.hasPrefix("AES-"): "\(cipher), \(scheme.rawValue)"
        case .pbes2, .pkcs12, .unknown: cipher
        }
    }
}
