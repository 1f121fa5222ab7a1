import BelayCertificates
import BelayLaboratory
import BelayTLS
import BelayTrust
import TestSupport

/// The authorities that the servers of these tests have their certificates from, made once.
package enum SharedWorld {
    private static let made = Result { try LaboratoryWorld() }

    package static func get() throws -> LaboratoryWorld { try made.get() }

    /// The anchor of every server.
    package static func anchors() throws -> AnchorStore {
        AnchorStore([try get().authorities.publicRoot.certificate])
    }

    /// The same, as a file for other programs; it stays as long as the tests run.
    package static func anchorsFile() throws -> String { try file.get().path }

    private static let file = Result {
        let folder = try TemporaryFolder()
        return (folder: folder, path: try folder.write("root.pem", try get().authorities.publicRoot.certificate.pem))
    }

    /// An identity for servers; among the names may be addresses.
    package static func server(_ names: [String]) throws -> Identity {
        let issuer = try get().authorities.publicIntermediate
        return try issuer.issueIdentity(.server(names: names), key: .generate(.p256))
    }

    /// An identity that servers accept which want one: leaf and intermediate.
    package static func client(_ name: String) throws -> Identity {
        try get().authorities.clientIntermediate.issueIdentity(.client(named: name), key: .generate(.p256))
    }

    /// What a server demands that knows only the root of the clients.
    ///
    /// - Parameter namesIssuers: whether it says of whom it wants certificates.
    package static func demand(namesIssuers: Bool = true) throws -> TLSServerConfiguration.Demand {
        let root = try get().authorities.clientRoot.certificate
        let anchors = AnchorStore([root])
        return TLSServerConfiguration.Demand(
            acceptableIssuers: namesIssuers ? [root.der] : [],
            accepts: { ServerTrust(chain: $0, policies: [.tlsClient], anchors: anchors).evaluate().isTrusted })
    }
}
