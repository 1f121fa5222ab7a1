import BelayCertificates

/// Changes chains at random: their bytes, the elements of their certificates, or what they say. Everything follows from a seed
/// (signatures by ECDSA apart, which have randomness of their own).
public struct Mutator: Sendable {
    private let seeds: [Blueprint]
    private let donors: [DERTree]

    /// A chain that was changed, and how.
    public struct Mutant: Sendable {
        /// What the server sends, leaf first.
        public var chain: [[UInt8]]
        /// What is trusted.
        public var anchors: [[UInt8]]
        /// The name that is asked for.
        public var host: String
        /// The moment that is judged at, in seconds since 1970.
        public var time: Int64
        /// What was done.
        public var steps: [String]
    }

    /// Starts from good chains.
    public init(seeds: [Blueprint]) {
        self.seeds = seeds
        donors = seeds.flatMap { seed in seed.drafts.flatMap { Self.parts(of: $0.signedPart) } }
    }

    /// Every element of a tree.
    private static func parts(of tree: DERTree) -> [DERTree] { [tree] + tree.elements.flatMap(parts) }

    /// The mutant of a number.
    public func mutant(_ number: UInt64) throws(PrivateKeyError) -> Mutant {
        var random = SeededGenerator(seed: number &* 0x2545_F491_4F6C_DD1D &+ 1)
        var blueprint = seeds[random.index(seeds.count)]
        var steps: [String] = []
        for _ in 0..<(1 + random.index(3)) {
            switch random.index(12) {
            case 0...3: steps.append(mutateTree(of: &blueprint, &random))
            case 4...7: steps.append(replaceExtension(of: &blueprint, &random))
            case 8...9: steps.append(replaceField(of: &blueprint, &random))
            case 10: steps.append(rearrange(&blueprint, &random))
            default: steps.append(ask(&blueprint, &random))
            }
        }
        let issued = try blueprint.issue()
        var mutant = Mutant(
            chain: issued.chain, anchors: issued.anchors, host: blueprint.host, time: blueprint.time, steps: steps)
        if random.oneIn(10) { mutant.steps.append(Self.flip(&mutant, &random)) }
        return mutant
    }

    /// A good chain, as it is.
    public static func unchanged(_ seed: Blueprint) throws(PrivateKeyError) -> Mutant {
        let issued = try seed.issue()
        return Mutant(
            chain: issued.chain, anchors: issued.anchors, host: seed.host, time: seed.time, steps: ["unchanged"])
    }

    /// Changes a byte of what was signed already.
    private static func flip(_ mutant: inout Mutant, _ random: inout SeededGenerator) -> String {
        guard !mutant.chain.isEmpty else { return "nothing to flip" }
        let number = random.index(mutant.chain.count)
        let position = random.index(mutant.chain[number].count)
        mutant.chain[number][position] ^= 1 << UInt8(random.index(8))
        return "flip \(number)@\(position)"
    }

    private func mutateTree(of blueprint: inout Blueprint, _ random: inout SeededGenerator) -> String {
        let number = random.index(blueprint.drafts.count)
        let subject = blueprint.drafts[number].subject
        // Half of the changes go to the extensions, where the rules are.
        var list = blueprint.drafts[number].extensions
        let what: String
        if random.oneIn(2), !list.isEmpty {
            let index = random.index(list.count)
            var tree = list[index]
            what = "extension \(index) " + mutate(&tree, &random)
            list[index] = tree
            blueprint.drafts[number].extensions = list
        } else {
            what = mutate(&blueprint.drafts[number].signedPart, &random)
        }
        Self.follow(subject, number, &blueprint, &random)
        return "\(number): \(what)"
    }

    /// Most of the time, who was issued by a certificate whose subject has changed is issued again under the new name.
    private static func follow(
        _ before: DERTree, _ number: Int, _ blueprint: inout Blueprint, _ random: inout SeededGenerator
    ) {
        let after = blueprint.drafts[number].subject
        guard after != before, !random.oneIn(4) else { return }
        for child in blueprint.drafts.indices where blueprint.drafts[child].issuer == number {
            blueprint.drafts[child].issuerName = after
        }
    }

    private func mutate(_ tree: inout DERTree, _ random: inout SeededGenerator) -> String {
        let place = random.index(tree.count)
        var random2 = random
        var what = ""
        tree.change(at: place) { list, index in
            what = change(&list, index, &random2)
        }
        random = random2
        return "\(what)@\(place)"
    }

    private func change(_ list: inout [DERTree], _ index: Int, _ random: inout SeededGenerator) -> String {
        switch random.index(12) {
        case 0:
            list.remove(at: index)
            return "delete"
        case 1:
            list.insert(list[index], at: index)
            return "duplicate"
        case 2:
            list.swapAt(index, random.index(list.count))
            return "swap"
        case 3:
            let donor = random.pick(donors.filter { $0.tag == list[index].tag }, else: list[index])
            list[index] = donor
            return "replace by like"
        case 4:
            list[index] = random.pick(donors, else: list[index])
            return "replace"
        case 5:
            list[index].hasLongLength = true
            return "long length"
        case 6:
            list[index].tag = random.pick(Self.tags, else: 5)
            return "tag"
        case 7:
            list[index] = DERTree(.sequence, [list[index]])
            return "wrap"
        default:
            var octets = list[index].octets
            let what = Self.changeOctets(&octets, &random)
            list[index].contents = .octets(octets)
            return what
        }
    }

    private static let tags: [UInt8] = [
        1, 2, 3, 4, 5, 6, 0x0C, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1E, 0x30, 0x31, 0x80, 0x81, 0x82, 0x86, 0xA0,
    ]

    private static func changeOctets(_ octets: inout [UInt8], _ random: inout SeededGenerator) -> String {
        guard !octets.isEmpty else {
            octets = [UInt8(random.index(256))]
            return "fill"
        }
        let position = random.index(octets.count)
        switch random.index(6) {
        case 0:
            octets.removeLast()
            return "shorten"
        case 1:
            octets.append(random.pick([0, 1, 0x2E, 0xFF], else: 0))
            return "lengthen"
        case 2:
            octets.insert(random.pick([0, 0x20, 0x2A, 0x80], else: 0), at: position)
            return "insert"
        case 3:
            octets[position] = random.pick([0, 1, 0x20, 0x2A, 0x2E, 0x30, 0x39, 0x5A, 0x7F, 0x80, 0xFF], else: 0)
            return "octet"
        default:
            octets[position] ^= 1 << UInt8(random.index(8))
            return "bit"
        }
    }

    private func replaceExtension(of blueprint: inout Blueprint, _ random: inout SeededGenerator) -> String {
        let number = random.index(blueprint.drafts.count)
        var list = blueprint.drafts[number].extensions
        if random.oneIn(6), !list.isEmpty {
            let index = random.index(list.count)
            list.remove(at: index)
            blueprint.drafts[number].extensions = list
            return "\(number): without extension \(index)"
        }
        let new = ExtensionPool.random(&random)
        let identifier = DERTree(.objectIdentifier, octets: new.identifier.octets)
        let value = DERTree(DERWriter.element(.octetString, new.value)) ?? DERTree(.octetString, octets: new.value)
        let critical = new.isCritical ? [DERTree(.boolean, octets: [0xFF])] : []
        let tree = DERTree(.sequence, [identifier] + critical + [value])
        if let index = list.firstIndex(where: { $0.elements.first == identifier }) {
            list[index] = tree
        } else {
            list.append(tree)
        }
        blueprint.drafts[number].extensions = list
        return "\(number): extension \(new.identifier)"
    }

    private func replaceField(of blueprint: inout Blueprint, _ random: inout SeededGenerator) -> String {
        let number = random.index(blueprint.drafts.count)
        switch random.index(8) {
        case 0, 1:
            let before = blueprint.drafts[number].subject
            let name = random.pick(NamePool.subjects, else: .empty)
            blueprint.drafts[number].subject = DERTree(name.der) ?? before
            if blueprint.drafts[number].issuer == number {
                blueprint.drafts[number].issuerName = blueprint.drafts[number].subject
            }
            Self.follow(before, number, &blueprint, &random)
            return "\(number): subject \(name)"
        case 2:
            let name = random.pick(NamePool.subjects, else: .empty)
            blueprint.drafts[number].issuerName = DERTree(name.der) ?? blueprint.drafts[number].issuerName
            return "\(number): issuer \(name)"
        case 3, 4:
            blueprint.drafts[number].validity = Self.validity(&random)
            return "\(number): validity"
        case 5:
            let key = Blueprint.foreignKeys + random.index(blueprint.keys.count - Blueprint.foreignKeys)
            blueprint.drafts[number].key = key
            blueprint.drafts[number].publicKey =
                DERTree(blueprint.keys[key].publicKey.der) ?? blueprint.drafts[number].publicKey
            return "\(number): \(blueprint.keys[key].publicKey)"
        case 6:
            blueprint.drafts[number].hash = random.pick([.sha1, .sha224, .sha384, .sha512], else: .sha384)
            return "\(number): \(blueprint.drafts[number].hash.rawValue)"
        default:
            let octets = random.pick(Self.serialNumbers, else: [1])
            blueprint.drafts[number].setField(1, DERTree(.integer, octets: octets))
            return "\(number): serial number"
        }
    }

    private static let serialNumbers: [[UInt8]] = [
        [0], [0x80], [0xFF, 1], [0, 1], [1], .init(repeating: 0x7F, count: 20), .init(repeating: 1, count: 21),
    ]

    /// In seconds: more than a year, a day, a second to either side.
    private static let offsets = [-34_560_000, -86_400, -1, 0, 1, 86_400, 34_560_000]
    /// Seconds to the ends of the seeds' validity, and one beyond.
    private static let moves: [Int64] = [-2_592_000, -2_592_001, 5_184_000, 5_184_001, 1]

    private static func validity(_ random: inout SeededGenerator) -> DERTree {
        func time() -> DERTree {
            switch random.index(9) {
            case 0: return DERTree(.generalizedTime, octets: Array("20260101000000Z".utf8))
            case 1: return DERTree(.utcTime, octets: Array("2601010000Z".utf8))
            case 2: return DERTree(.utcTime, octets: Array("260101000000+0100".utf8))
            case 3: return DERTree(.generalizedTime, octets: Array("99991231235959Z".utf8))
            case 4: return DERTree(.generalizedTime, octets: Array("20500101000000Z".utf8))
            case 5: return DERTree(.utcTime, octets: Array("491231235959Z".utf8))
            case 6: return DERTree(.utcTime, octets: Array("500101000000Z".utf8))
            default:
                let offset = random.pick(Self.offsets, else: 0)
                let der = DERWriter.time(Blueprint.moment + Int64(offset))
                return DERTree(der) ?? DERTree(.utcTime, octets: [])
            }
        }
        return DERTree(.sequence, [time(), time()])
    }

    private func rearrange(_ blueprint: inout Blueprint, _ random: inout SeededGenerator) -> String {
        switch random.index(6) {
        case 0:
            blueprint.chain = blueprint.chain.prefix(1) + blueprint.chain.dropFirst().shuffled(using: &random)
            return "shuffle"
        case 1:
            if blueprint.chain.count > 1 { blueprint.chain.remove(at: 1 + random.index(blueprint.chain.count - 1)) }
            return "leave out"
        case 2:
            blueprint.chain.append(random.index(blueprint.drafts.count))
            return "append"
        case 3:
            blueprint.anchors = [random.index(blueprint.drafts.count)]
            return "anchor \(blueprint.anchors[0])"
        case 4:
            blueprint.anchors.append(random.index(blueprint.drafts.count))
            return "one more anchor"
        default:
            let number = random.index(blueprint.drafts.count)
            blueprint.drafts[number].issuer = random.index(blueprint.drafts.count)
            return "\(number): issued by \(blueprint.drafts[number].issuer)"
        }
    }

    private func ask(_ blueprint: inout Blueprint, _ random: inout SeededGenerator) -> String {
        if random.oneIn(2) {
            blueprint.host = random.pick(NamePool.hosts, else: blueprint.host)
            return "host \(blueprint.host)"
        }
        blueprint.time += random.pick(Self.moves, else: 1)
        return "time"
    }
}
