import BelayCertificates

/// Which anchors of the machine came with its distribution, as opposed to those that an administrator added.
///
/// Debian and its kin keep what they ship in a folder of its own, one file a certificate. It is read when the first
/// question is asked, which only Apple's rules do. Where there is no such folder all anchors of the machine count as
/// shipped: that is the stricter reading.
final class ShippedAnchors: Sendable {
    private static let folder = "/usr/share/ca-certificates/mozilla"

    private enum Known {
        case nothingYet
        case everything
        case these(Set<Certificate>)
    }

    private let known = Protected(Known.nothingYet)

    /// Whether an anchor came with the distribution.
    func contains(_ certificate: Certificate) -> Bool {
        known.withLock { known in
            if case .nothingYet = known { known = Self.load() }
            if case .these(let shipped) = known { return shipped.contains(certificate) }
            return true
        }
    }

    private static func load() -> Known {
        guard let names = try? FileReading.names(inFolder: folder) else { return .everything }
        return .these(Set(names.flatMap { (try? Certificate.read(contentsOf: "\(folder)/\($0)")) ?? [] }))
    }
}
