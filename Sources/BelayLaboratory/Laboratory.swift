import BelayCertificates
import BelayTLS
import BelayTrust

/// A private world that runs: servers in good and bad states, on loopback, in this process.
///
/// ```swift
/// let laboratory = try await Laboratory.start(on: loop, servers: [.expired, .mutual])
/// let server = try laboratory.server(.expired)
/// let connection = try await client.handshake(with: server.endpoint, connectTo: server.target)
/// …
/// await laboratory.stop()
/// ```
///
/// Ports are chosen by the kernel. Everything is released by ``stop()``, and at the latest when the laboratory is let go of.
public final class Laboratory: Sendable {
    /// The certificates and identities of the world.
    public let world: LaboratoryWorld
    /// The servers, in the order in which they were asked for.
    public let servers: [LaboratoryServer]

    private init(world: LaboratoryWorld, servers: [LaboratoryServer]) {
        self.world = world
        self.servers = servers
    }

    /// Makes a world and starts servers in it.
    ///
    /// - Parameters:
    ///   - loop: the loop that the servers run on.
    ///   - kinds: the servers; all of them unless told otherwise. Those with RSA keys take longest to make.
    ///   - world: a world made before; a new one when nil.
    /// - Throws: ``LaboratoryError``; nothing runs then.
    public static func start(
        on loop: EventLoop, servers kinds: [LaboratoryServer.Kind] = LaboratoryServer.Kind.allCases,
        in world: LaboratoryWorld? = nil
    ) async throws(LaboratoryError) -> Laboratory {
        let world = if let world { world } else { try LaboratoryWorld() }
        let maker = BlueprintMaker(world: world)
        var servers: [LaboratoryServer] = []
        do throws(LaboratoryError) {
            for kind in kinds where !servers.contains(where: { $0.kind == kind }) {
                servers.append(try LaboratoryServer(kind, maker.blueprint(kind), on: loop))
            }
        } catch {
            for server in servers { await server.stop() }
            throw error
        }
        return Laboratory(world: world, servers: servers)
    }

    /// The server of a kind.
    ///
    /// - Throws: ``LaboratoryError/notStarted(_:)`` where it was not asked for.
    public func server(_ kind: LaboratoryServer.Kind) throws(LaboratoryError) -> LaboratoryServer {
        guard let server = servers.first(where: { $0.kind == kind }) else { throw .notStarted(kind) }
        return server
    }

    /// Where a server listens; nil where it was not asked for.
    public func address(of kind: LaboratoryServer.Kind) -> SocketAddress? {
        servers.first { $0.kind == kind }?.address
    }

    /// Stops all servers, ends their connections, and returns when everything is closed.
    public func stop() async {
        await withDiscardingTaskGroup { group in
            for server in servers { group.addTask { await server.stop() } }
        }
    }
}
