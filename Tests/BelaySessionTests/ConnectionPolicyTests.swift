import BelaySession
import BelayTrust
import Testing

@Suite("Connection policy")
struct ConnectionPolicyTests {
    @Test("a policy that nobody changed is strict")
    func defaults() {
        let policy = ConnectionPolicy()
        #expect(!policy.allowsCleartext)
        #expect(policy.identity == nil)
        #expect(policy.securityPolicy == .default)
        #expect(policy.requirements.minimumVersion == .tls12)
        #expect(policy.requirements.requiresForwardSecrecy)
    }
}
