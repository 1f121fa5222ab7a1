import Belay
import Testing

@Suite("The umbrella")
struct UmbrellaTests {
    @Test("one import brings certificates, trust and TLS")
    func reexports() throws {
        // One type of each layer: that this compiles is half of the test.
        let key: PublicKey = try PrivateKey.generate(.p256).publicKey
        let policy = SecurityPolicy.pinned(to: PinnedKeys(key.pin))
        let endpoint = try TLSEndpoint("www.example.test", port: 443)
        #expect(policy.contradictions().isEmpty)
        #expect(endpoint.host == "www.example.test")
        #expect(!policy.evaluate(ServerTrust(chain: [], policies: [.tlsServer(name: nil)])).isTrusted)
    }
}
