import BelayCertificates

extension LaboratoryFiles {
    /// What goes into a file.
    struct Content {
        let name: String
        let purpose: String
        var isSecret = false
        let bytes: [UInt8]
    }

    static func contents(of laboratory: Laboratory) throws(LaboratoryError) -> [Content] {
        let world = laboratory.world
        let authorities = world.authorities
        func certificates(_ name: String, _ certificates: [Certificate], _ purpose: String) -> Content {
            Content(name: name, purpose: purpose, bytes: Array(certificates.map(\.pem).joined().utf8))
        }
        var contents = [
            certificates(
                anchors, authorities.systemRoots,
                "the public roots, two good ones and one that has expired: what stands for the system's anchors"),
            certificates("public-root.pem", [authorities.publicRoot.certificate], "the first public root"),
            certificates(
                "second-public-root.pem", [authorities.secondPublicRoot.certificate],
                "the second public root, of another company"),
            certificates(
                "private-root.pem", [authorities.privateRoot.certificate], "the root of the private authority"),
            certificates("client-root.pem", [authorities.clientRoot.certificate], "the root that clients need"),
        ]
        contents += try clientFiles(world)
        contents += Situation.Letter.allCases.map { letter in
            certificates(
                pinned(letter), [world.situation(letter).pinned],
                "the certificate that is pinned in situation \(letter.rawValue)")
        }
        for server in laboratory.servers where server.kind == .oneWay {
            guard let leaf = server.leaf else { continue }
            let text = "# The key of \(server.host).\nsha256/\(leaf.pin)\n"
            contents.append(
                Content(
                    name: "one-way.pins", purpose: "the pin of the good server's key", bytes: Array(text.utf8)))
        }
        return contents
    }

    private static func clientFiles(_ world: LaboratoryWorld) throws(LaboratoryError) -> [Content] {
        let passphrase = try LaboratoryError.making("a passphrase") {
            // A new one each time, as long as a key needs it: 160 bits in hexadecimal.
            var generator = SystemRandomNumberGenerator()
            return (0..<40).map { _ in Array("0123456789abcdef".utf8)[Int.random(in: 0..<16, using: &generator)] }
        }
        return [
            Content(
                name: clientPEM, purpose: "a client's identity: key and certificates", isSecret: true,
                bytes: try pem(of: world.client)),
            Content(
                name: clientPKCS12, purpose: "the same identity as PKCS#12", isSecret: true,
                bytes: try LaboratoryError.making("the client's PKCS#12 file") {
                    try world.client.pkcs12(passphrase: Secret(passphrase), friendlyName: "Shop App")
                }),
            Content(
                name: clientPassphrase, purpose: "the passphrase of \(clientPKCS12)", isSecret: true,
                bytes: passphrase + [0x0A]),
            Content(
                name: "strange-client.pem", purpose: "an identity of an authority that no server knows", isSecret: true,
                bytes: try pem(of: world.strangeClient)),
        ]
    }

    private static func pem(of identity: Identity) throws(LaboratoryError) -> [UInt8] {
        try LaboratoryError.making("the client's PEM file") { try identity.pem().withUnsafeBytes { Array($0) } }
    }
}
