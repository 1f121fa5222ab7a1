import BelayArguments
import Testing

/// A small generator of which the seed is known, so that a failure can be repeated (SplitMix64, Steele et al. 2014).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("Random command lines")
struct RandomTests {
    static let words = [
        "check", "cert", "show", "secret", "help", "u", "https://example.com", "--help", "-h", "--version", "--",
        "-", "---", "", "=", "--=", "-=", "--pins", "--pins=", "-p", "-p=x", "--pinning", "none", "public-key",
        "--no-system-anchors", "--time", "--time=-5", "-5", "-n", "--tries=9", "99999999999999999999", "--timeout",
        "1e999", "nan", "--port", "256", "--connect-to=h:1", "--strict", "true", "-q", "-qv", "-vvv", "-qp", "-pq",
        "--colour", "--no-colour", "--no-", "--format", "--pinz", "chekc", "—pins", "−", "\u{301}", "-\u{301}",
        "--\u{301}=x", "--time=\u{301}", "\r\n", "\0", "🏳️‍🌈", "-🏳️‍🌈", "\u{1B}[31m", "\u{202E}x", "\u{FFFD}",
    ]

    @Test("any words end in a command, in help or version, or in status 2 with a harmless message", arguments: 1...8)
    func anything(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        for _ in 0..<1_000 {
            let count = Int.random(in: 0...7, using: &generator)
            var arguments = (0..<count).map { _ in Self.word(&generator) }
            if Bool.random(using: &generator) { arguments.insert("check", at: 0) }
            guard let result = outcome(arguments) else { continue }
            #expect([0, 2].contains(result.status), "\(arguments)")
            #expect(!result.text.isEmpty, "\(arguments)")
            let unsafe = result.text.unicodeScalars.contains {
                $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
            }
            #expect(!unsafe, "\(arguments)")
            #expect(result.status == 0 || result.text.hasPrefix("tool: error: "), "\(arguments)")
        }
    }

    @Test("what is written in any order and spelling is read back as it was meant", arguments: 1...4)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed &* 7919)
        for _ in 0..<500 {
            let pins = (0..<Int.random(in: 0...3, using: &generator)).map { _ in Self.value(&generator) }
            let others = (0..<Int.random(in: 0...3, using: &generator)).map { _ in Self.value(&generator) }
            let time = Bool.random(using: &generator) ? Self.value(&generator) : nil
            let count = Int.random(in: Int.min...Int.max, using: &generator)
            let verbosity = Int.random(in: 0...3, using: &generator)
            let url = Self.value(&generator)

            var pieces = pins.map { Self.spell(["--pins", "-p"], $0, &generator) }
            // The order of the same option's values matters, so they keep theirs while the others are shuffled in.
            var rest = [Self.spell(["--tries", "-n"], String(count), &generator)]
            if let time { rest.append(Self.spell(["--time"], time, &generator)) }
            if verbosity > 0 { rest.append(["-" + String(repeating: "v", count: verbosity)]) }
            for piece in rest { pieces.insert(piece, at: Int.random(in: 0...pieces.count, using: &generator)) }
            let arguments = pieces.flatMap(\.self) + ["--", url] + others

            let check = try Check.parse(arguments)
            #expect(check.trust.pins == pins && check.time == time && check.count == count, "\(arguments)")
            #expect(check.verbosity == verbosity && check.url == url && check.others == others, "\(arguments)")
        }
    }

    private static func word(_ generator: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return value(&generator)
        case 1: return "--" + value(&generator)
        case 2: return "-" + value(&generator)
        default: return words.randomElement(using: &generator) ?? ""
        }
    }

    /// One to eight characters from all over Unicode.
    private static func value(_ generator: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0...Int.random(in: 0..<8, using: &generator) {
            let limit: UInt32 = Bool.random(using: &generator) ? 0x7F : 0x10_FFFF
            let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &generator)) ?? "-"
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    private static func spell(
        _ names: [String], _ value: String, _ generator: inout SeededGenerator
    ) -> [String] {
        let name = names.randomElement(using: &generator) ?? ""
        if value.utf8.first != UInt8(ascii: "-"), Bool.random(using: &generator) { return [name, value] }
        return [name.hasPrefix("--") ? "\(name)=\(value)" : name + value]
    }
}
