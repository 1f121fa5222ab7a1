import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust

extension ConnectionPolicy {
    /// Trusts what the tests' servers show, and nothing else.
    package static func tests(_ change: (inout ConnectionPolicy) throws -> Void = { _ in }) throws -> ConnectionPolicy {
        var policy = ConnectionPolicy()
        policy.trust.systemAnchors = .none
        policy.trust.anchors = try SharedWorld.anchors()
        try change(&policy)
        return policy
    }
}

extension SessionConfiguration {
    /// Every host is the server; limits that no test reaches unless it means to.
    package static func tests(
        _ server: RawTLSServer, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> SessionConfiguration {
        tests(at: "127.0.0.1:\(server.port)", change)
    }

    /// Every host is at this place.
    package static func tests(
        at place: String?, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.connectTo = place
        configuration.proxy = .none
        configuration.timeouts.connect = .seconds(60)
        configuration.timeouts.total = .seconds(60)
        change(&configuration)
        return configuration
    }
}

extension Session {
    /// A session for which every host is the server, whose certificate it trusts.
    package static func tests(
        _ server: RawTLSServer, policy: ConnectionPolicy? = nil,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        try Session(
            baseURL: "https://\(RawTLSServer.host)/", configuration: .tests(server, change),
            policy: try policy ?? .tests())
    }

    /// The text that a path answers with.
    package func text(_ path: String = "") async throws -> String {
        String(decoding: try await send(.get(path)).body, as: UTF8.self)
    }

    /// Why a request fails; nil where it does not.
    package func refusal(_ request: Request = .get("")) async -> SessionError? {
        do throws(SessionError) {
            _ = try await send(request)
            return nil
        } catch { return error }
    }
}

extension SessionError {
    /// The rules that a verdict names, where it is the reason.
    package var rules: Set<String> {
        guard case .untrusted(let verdict) = reason else { return [] }
        return Set(verdict.findings(.error).map(\.rule.identifier))
    }
}
