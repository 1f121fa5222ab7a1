import BelayCertificates
import BelayTrust

/// A setting of AFNetworking's security policy, without the pins: a row of the policy table.
public struct PolicySetting: Sendable, Hashable {
    /// What is compared with the pins.
    public let pinning: SecurityPolicy.PinningMode
    /// Whether invalid certificates are let through.
    public let allowInvalidCertificates: Bool
    /// Whether the name is compared.
    public let validatesDomainName: Bool

    /// Puts a setting together.
    public init(
        pinning: SecurityPolicy.PinningMode, allowInvalidCertificates: Bool, validatesDomainName: Bool
    ) {
        self.pinning = pinning
        self.allowInvalidCertificates = allowInvalidCertificates
        self.validatesDomainName = validatesDomainName
    }

    /// All twelve, in the order of the table.
    public static let all: [PolicySetting] = [SecurityPolicy.PinningMode.none, .publicKey, .certificate].flatMap {
        mode in
        [(false, true), (false, false), (true, true), (true, false)].map {
            PolicySetting(pinning: mode, allowInvalidCertificates: $0.0, validatesDomainName: $0.1)
        }
    }

    /// The policy of the setting with pinned certificates.
    public func policy(pinning certificates: [Certificate]) -> SecurityPolicy {
        // With mode none there is nothing to pin: AFNetworking does not look at pins then.
        SecurityPolicy(
            pinningMode: pinning, pinnedCertificates: pinning == .none ? [] : certificates,
            allowInvalidCertificates: allowInvalidCertificates, validatesDomainName: validatesDomainName)
    }
}

extension PolicySetting: CustomStringConvertible {
    /// The setting in a line: `publicKey, invalid certificates allowed, name not checked`.
    public var description: String {
        "\(pinning.rawValue), invalid certificates \(allowInvalidCertificates ? "allowed" : "refused"), "
            + "name \(validatesDomainName ? "checked" : "not checked")"
    }
}
