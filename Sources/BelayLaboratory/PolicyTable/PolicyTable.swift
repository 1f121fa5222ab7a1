import BelayTrust

/// The policy table: for each setting and situation, whether the server is accepted.
///
/// It has the shape of the published table (`security-policy.json`), which follows AFNetworking's order of evaluation.
/// ``expected`` is the right one; a ``PolicyTableRun`` measures one.
public struct PolicyTable: Codable, Sendable, Hashable {
    /// What the table says and how it is meant.
    public var about: String
    /// The situations, each in a line.
    public var situations: [Situation.Letter: String]
    /// The rows: one for each setting.
    public var table: [Row]
    /// The rows for pin sets that are empty.
    public var emptyPins: [EmptyRow]

    /// The answers of one setting.
    public struct Row: Codable, Sendable, Hashable {
        /// What is compared with the pins.
        public var pinning: SecurityPolicy.PinningMode
        /// Whether invalid certificates are let through.
        public var allowInvalidCertificates: Bool
        /// Whether the name is compared.
        public var validatesDomainName: Bool
        /// For each situation, whether the server is accepted.
        public var accept: [Situation.Letter: Bool]

        /// The setting.
        public var setting: PolicySetting {
            PolicySetting(
                pinning: pinning, allowInvalidCertificates: allowInvalidCertificates,
                validatesDomainName: validatesDomainName)
        }

        /// Puts a row together.
        public init(_ setting: PolicySetting, accept: [Situation.Letter: Bool]) {
            pinning = setting.pinning
            allowInvalidCertificates = setting.allowInvalidCertificates
            validatesDomainName = setting.validatesDomainName
            self.accept = accept
        }
    }

    /// The answer of one setting when nothing is pinned.
    public struct EmptyRow: Codable, Sendable, Hashable {
        /// What is compared with the pins.
        public var pinning: SecurityPolicy.PinningMode
        /// Whether invalid certificates are let through.
        public var allowInvalidCertificates: Bool
        /// Whether the name is compared.
        public var validatesDomainName: Bool
        /// Whether the server of situation A is accepted.
        public var acceptA: Bool

        /// The setting.
        public var setting: PolicySetting {
            PolicySetting(
                pinning: pinning, allowInvalidCertificates: allowInvalidCertificates,
                validatesDomainName: validatesDomainName)
        }

        /// Puts a row together.
        public init(_ setting: PolicySetting, acceptA: Bool) {
            pinning = setting.pinning
            allowInvalidCertificates = setting.allowInvalidCertificates
            validatesDomainName = setting.validatesDomainName
            self.acceptA = acceptA
        }
    }

    /// Puts a table together.
    public init(
        about: String, situations: [Situation.Letter: String], table: [Row], emptyPins: [EmptyRow]
    ) {
        self.about = about
        self.situations = situations
        self.table = table
        self.emptyPins = emptyPins
    }
}

extension SecurityPolicy.PinningMode: Codable {}
