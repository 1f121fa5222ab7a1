import BelayCertificates

/// A log of Certificate Transparency as RFC 6962 has it, with a key of its own. It publishes nothing.
package struct TestLog: Sendable {
    package let name: String
    package let key: PrivateKey

    package init(_ name: String) throws {
        self.name = name
        key = try .generate(.p256)
    }

    private static func number(_ value: Int, _ octets: Int) -> [UInt8] {
        (0..<octets).map { UInt8(truncatingIfNeeded: value >> ((octets - 1 - $0) * 8)) }
    }

    /// A serialized timestamp (RFC 6962, 3.2 and 3.3).
    ///
    /// - Parameters:
    ///   - signed: a certificate, or the signed part of one without timestamps, where they are to be embedded.
    ///   - issuer: who issues it; nil for a whole certificate.
    package func timestamp(_ signed: [UInt8], issuer: Certificate?, seconds: Int) throws -> [UInt8] {
        let time = Self.number(seconds * 1_000, 8)
        let entry: [UInt8] = issuer.map { [0, 1] + $0.pin.digest.bytes } ?? [0, 0]
        let data = [0, 0] + time + entry + Self.number(signed.count, 3) + signed + [0, 0]
        let signature = try key.sign(data, with: .ecdsa(.sha256))
        let head: [UInt8] = [0] + key.publicKey.pin.digest.bytes + time + [0, 0, 4, 3]
        return head + Self.number(signature.count, 2) + signature
    }

    /// A list of timestamps, as TLS and extensions have it.
    package static func list(_ timestamps: [[UInt8]]) -> [UInt8] {
        let entries = timestamps.flatMap { number($0.count, 2) + $0 }
        return number(entries.count, 2) + entries
    }

    /// The extension of a certificate.
    package static func `extension`(_ timestamps: [[UInt8]]) throws -> CertificateExtension {
        guard let identifier = OID(dotted: "1.3.6.1.4.1.11129.2.4.2") else {
            throw Tool.Failed(description: "no object identifier")
        }
        return CertificateExtension(
            identifier: identifier, isCritical: false, value: DERWriter.element(.octetString, list(timestamps)))
    }
}
