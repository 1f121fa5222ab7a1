import BelayCertificates
import FoundationEssentials

/// A certificate with everything that is shown of it, in the order in which JSON has it.
struct CertificateReport: Encodable {
    let subject: String
    let issuer: String
    let serialNumber: String
    let version: Int
    let notBefore: String
    let notAfter: String
    let daysLeft: Int
    let key: String
    let signatureAlgorithm: String
    let subjectAlternativeNames: [String]
    let isAuthority: Bool
    let pathLength: Int?
    let keyUsage: [String]
    let extendedKeyUsage: [String]
    let nameConstraints: NameConstraintsReport?
    let subjectKeyIdentifier: String?
    let authorityKeyIdentifier: String?
    let issuerLocations: [String]
    let statusLocations: [String]
    let revocationListLocations: [String]
    let extensions: [ExtensionReport]
    let sha256: String
    let pin: String
    /// Extensions that are not what RFC 5280 says; a verifier refuses the certificate.
    let problems: [String]

    /// Which names an authority may certify.
    struct NameConstraintsReport: Encodable {
        let permitted: [String]
        let excluded: [String]
    }

    /// An extension by its object identifier.
    struct ExtensionReport: Encodable {
        let identifier: String
        let critical: Bool
    }

    /// Looks at a certificate as of a moment.
    init(_ certificate: Certificate, at moment: Date) {
        var problems: [String] = []
        subject = certificate.subject.description
        issuer = certificate.issuer.description
        serialNumber = hexadecimal(certificate.serialNumber, separator: ":")
        version = certificate.version
        notBefore = CivilTime.text(certificate.validity.notBeforeSeconds)
        notAfter = CivilTime.text(certificate.validity.notAfterSeconds)
        daysLeft = Days.left(of: certificate, at: moment)
        key = certificate.publicKey.description
        signatureAlgorithm = certificate.signatureAlgorithm.description
        func field<Value>(_ name: String, _ read: () throws(DERError) -> Value?) -> Value? {
            do throws(DERError) { return try read() } catch {
                problems.append("\(name): \(error)")
                return nil
            }
        }
        let names = field("subject alternative names") { () throws(DERError) in try certificate.subjectAlternativeNames
        }
        subjectAlternativeNames = (names ?? []).map(\.description)
        let basic = field("basic constraints") { () throws(DERError) in try certificate.basicConstraints }
        isAuthority = basic?.isAuthority ?? false
        pathLength = basic?.pathLength
        let usage = field("key usage") { () throws(DERError) in try certificate.keyUsage }
        keyUsage = usage.map { $0.description.split(separator: ",").map { String($0.drop { $0 == " " }) } } ?? []
        let purposes = field("extended key usage") { () throws(DERError) in try certificate.extendedKeyUsage }
        extendedKeyUsage = (purposes?.purposes ?? []).map(Self.name)
        let constraints = field("name constraints") { () throws(DERError) in try certificate.nameConstraints }
        nameConstraints = constraints.map {
            NameConstraintsReport(
                permitted: $0.permitted.map(\.description), excluded: $0.excluded.map(\.description))
        }
        let own = field("subject key identifier") { () throws(DERError) in try certificate.subjectKeyIdentifier }
        subjectKeyIdentifier = own.map { hexadecimal($0, separator: ":") }
        let above = field("authority key identifier") { () throws(DERError) in try certificate.authorityKeyIdentifier }
        authorityKeyIdentifier = above?.keyIdentifier.map { hexadecimal($0, separator: ":") }
        let access = field("authority information access") { () throws(DERError) in
            try certificate.authorityInformationAccess
        }
        func locations(_ method: OID) -> [String] {
            (access ?? []).filter { $0.method == method }.map { Self.place($0.location) }
        }
        issuerLocations = locations(.certificateAuthorityIssuers)
        statusLocations = locations(.onlineStatus)
        let points = field("revocation list distribution points") { () throws(DERError) in
            try certificate.revocationListDistributionPoints
        }
        revocationListLocations = (points ?? []).flatMap { $0.names.map(Self.place) }
        extensions = certificate.extensions.map {
            ExtensionReport(identifier: $0.identifier.description, critical: $0.isCritical)
        }
        sha256 = certificate.fingerprint.hexadecimalText
        pin = certificate.pin.description
        self.problems = problems
    }

    /// A URI as it is; anything else with its kind.
    private static func place(_ name: GeneralName) -> String {
        if case .uri(let uri) = name { return printable(uri) }
        return name.description
    }

    private static func name(_ purpose: OID) -> String {
        switch purpose {
        case .serverAuthentication: "serverAuth"
        case .clientAuthentication: "clientAuth"
        case .emailProtection: "emailProtection"
        case .anyExtendedKeyUsage: "anyExtendedKeyUsage"
        default: purpose.description
        }
    }
}

/// Whole days between moments and the end of certificates.
enum Days {
    /// How many whole days are left; below zero for a certificate that expired more than a day ago.
    static func left(of certificate: Certificate, at moment: Date) -> Int {
        Int((certificate.validity.notAfterSeconds - CivilTime.seconds(moment)) / 86_400)
    }

    /// The validity in words: the days, and what is left.
    static func text(of certificate: Certificate, at moment: Date) -> String {
        let first = date(certificate.validity.notBeforeSeconds)
        let last = date(certificate.validity.notAfterSeconds)
        let now = CivilTime.seconds(moment)
        if now > certificate.validity.notAfterSeconds {
            let days = -left(of: certificate, at: moment)
            return "expired \(last), " + (days == 0 ? "less than a day ago" : "\(plural(days, "day")) ago")
        }
        if now < certificate.validity.notBeforeSeconds { return "valid only from \(first) to \(last)" }
        return "valid \(first) to \(last), \(plural(left(of: certificate, at: moment), "day")) left"
    }

    /// `1 day`, `2 days`.
    static func plural(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }

    private static func date(_ seconds: Int64) -> String { String(CivilTime.text(seconds).prefix(10)) }
}
