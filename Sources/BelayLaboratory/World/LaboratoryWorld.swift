import BelayCertificates
import BelayTrust
import FoundationEssentials

/// A private world of authorities, servers' certificates and clients' identities, made anew each time. It needs no network.
///
/// ```swift
/// let world = try LaboratoryWorld()
/// let situation = world.situation(.j)
/// ```
public struct LaboratoryWorld: Sendable {
    /// The authorities.
    public let authorities: Authorities
    /// The situations of the policy table, A to N.
    public let situations: [Situation]
    /// The identity of a client that the mutual TLS servers accept, with its intermediate.
    public let client: Identity
    /// The identity of a client of an authority that they do not know.
    public let strangeClient: Identity
    /// The moment at which it was made; nothing but what is meant to be expired has expired then.
    public let moment: Date

    /// The host that the table's situations ask for.
    public static let host = "www.shop.test"
    /// A host of the same owner.
    public static let otherHost = "stock.shop.test"
    /// A host that belongs to an attacker.
    public static let attackerHost = "www.attacker.test"

    /// Makes the world.
    ///
    /// - Throws: ``LaboratoryError`` where OpenSSL cannot make a key or certificate.
    public init() throws(LaboratoryError) {
        moment = Date()
        let authorities = try Authorities(at: moment)
        self.authorities = authorities
        situations = try SituationMaker(authorities: authorities, moment: moment).situations()
        client = try LaboratoryError.making("a client identity") {
            try authorities.clientIntermediate.issueIdentity(
                .client(named: "Shop App", email: "app@shop.test", organization: "Shop"), key: .generate(.p256))
        }
        strangeClient = try LaboratoryError.making("a client identity") {
            try authorities.stranger.issueIdentity(
                .client(named: "Strange App", organization: "Somebody Else"), key: .generate(.p256))
        }
    }

    /// The situation of a letter.
    public func situation(_ letter: Situation.Letter) -> Situation {
        // One was made for each letter, in their order.
        situations[letter.position]
    }

    /// What stands for the machine's anchors.
    public var systemAnchors: AnchorStore {
        AnchorStore(authorities.systemRoots, origin: "the laboratory, which stand for the system's")
    }
}

extension Validity {
    /// Ninety days that ended three days before a moment.
    static func expired(before moment: Date) -> Validity {
        .days(90, from: moment.addingTimeInterval(-93 * 86_400))
    }

    /// Ninety days that begin three days after a moment.
    static func future(after moment: Date) -> Validity {
        .days(90, from: moment.addingTimeInterval(3 * 86_400))
    }
}
