import CPeers
import FoundationEssentials

/// What a ratio should be.
enum Target {
    case atLeast(Double)
    case atMost(Double)

    func isMet(by value: Double) -> Bool {
        switch self {
        case .atLeast(let bound): value >= bound
        case .atMost(let bound): value <= bound
        }
    }

    var text: String {
        switch self {
        case .atLeast(let bound): "≥ \(short(bound))"
        case .atMost(let bound): "≤ \(short(bound))"
        }
    }
}

/// A comparison with its figures, as it is printed and written to JSON.
struct Comparison: Codable {
    let name: String
    /// What the ratio is of, for example "rate per CPU-second".
    let measure: String
    let ours: Side
    let peer: Side
    /// Ours divided by the peer's, pair by pair.
    let ratio: Spread
    /// The same by the wall clock, where that is another question.
    let wallRatio: Spread?
    let target: String?
    let isMet: Bool?

    struct Side: Codable {
        let name: String
        let includes: String
        let unit: String
        let value: Spread
    }

    /// The median of the rounds, and the quartiles around it.
    struct Spread: Codable {
        let median: Double
        let lowerQuartile: Double
        let upperQuartile: Double
        let rounds: [Double]

        init(_ values: [Double]) {
            median = values.median
            (lowerQuartile, upperQuartile) = values.quartiles
            rounds = values
        }
    }

    /// Compares rates.
    init(_ name: String, _ ours: Job, _ peer: Job, _ rates: (ours: Rates, peer: Rates), _ target: Target?) {
        self.name = name
        measure = "rate per CPU-second"
        self.ours = Side(
            name: ours.name, includes: ours.includes, unit: "per CPU-second",
            value: Spread(rates.ours.perProcessorSecond))
        self.peer = Side(
            name: peer.name, includes: peer.includes, unit: "per CPU-second",
            value: Spread(rates.peer.perProcessorSecond))
        let ratio = Spread(zip(rates.ours.perProcessorSecond, rates.peer.perProcessorSecond).map { $0 / $1 })
        self.ratio = ratio
        wallRatio = Spread(zip(rates.ours.perSecond, rates.peer.perSecond).map { $0 / $1 })
        self.target = target?.text
        isMet = target?.isMet(by: ratio.median)
    }

    /// Compares other quantities, such as times or memory; the pairs belong together.
    init(
        _ name: String, measure: String, unit: String, ours: Quantity, peer: Quantity, wallRatios: [Double]? = nil,
        target: Target?
    ) {
        self.name = name
        self.measure = measure
        self.ours = Side(name: ours.name, includes: ours.includes, unit: unit, value: Spread(ours.values))
        self.peer = Side(name: peer.name, includes: peer.includes, unit: unit, value: Spread(peer.values))
        let ratio = Spread(zip(ours.values, peer.values).map { $0 / $1 })
        self.ratio = ratio
        wallRatio = wallRatios.map { Spread($0) }
        self.target = target?.text
        isMet = target?.isMet(by: ratio.median)
    }

    /// A quantity over all rounds.
    struct Quantity {
        let name: String
        let includes: String
        var values: [Double]
    }
}

/// A limit on one figure of ours, without a peer.
struct Limit: Codable {
    let name: String
    let includes: String
    let unit: String
    let value: Comparison.Spread
    let target: String
    let isMet: Bool
}

/// Everything that a run measured.
struct Report: Codable {
    let machine: Machine
    let rounds: Int
    var comparisons: [Comparison] = []
    var limits: [Limit] = []
    var growths: [Growth] = []
    /// What could not be measured, and why.
    var notMeasured: [String] = []

    struct Machine: Codable {
        let processor: String
        let processors: Int
        let kernel: String
        let openssl: String
    }

    /// Measures and adds a comparison, unless the run is for others.
    ///
    /// - Returns: our figures, where both were measured.
    @discardableResult
    mutating func compare(
        _ name: String, _ ours: Job, _ peer: Job, _ target: Target?, _ interleaving: Interleaving
    ) async throws -> Rates? {
        guard let alone = interleaving.alone else {
            let rates = try await interleaving.measure(ours, peer)
            add(Comparison(name, ours, peer, rates, target))
            return rates.ours
        }
        try await measureAlone(name, ours, alone, interleaving)
        return nil
    }

    /// Measures and adds a comparison with each of several peers, all in the same rounds. The target is for the best of them.
    mutating func compare(
        _ name: String, _ ours: Job, withBestOf peers: [Job], _ target: Target, _ interleaving: Interleaving
    ) async throws {
        if let alone = interleaving.alone { return try await measureAlone(name, ours, alone, interleaving) }
        let rates = try await interleaving.measure([ours] + peers)
        let best = rates.dropFirst().map(\.perProcessorSecond.median).max()
        for (peer, figures) in zip(peers, rates.dropFirst()) {
            let isBest = figures.perProcessorSecond.median == best
            add(
                Comparison(
                    "\(name), beside \(peer.name)\(isBest && peers.count > 1 ? ", the best of \(peers.count)" : "")",
                    ours,
                    peer, (rates[0], figures), isBest ? target : nil))
        }
    }

    private func measureAlone(_ name: String, _ job: Job, _ alone: String, _ interleaving: Interleaving) async throws {
        guard name.contains(alone) else { return }
        let rates = try await interleaving.measure([job])[0]
        emit("\(name), alone: \(Comparison.Spread(rates.perProcessorSecond).text) per CPU-second\n")
    }

    mutating func add(_ comparison: Comparison) {
        comparisons.append(comparison)
        emit(comparison.text)
    }

    mutating func add(_ limit: Limit) {
        limits.append(limit)
        emit(limit.text)
    }

    mutating func add(_ growth: Growth) {
        growths.append(growth)
        emit(growth.text)
    }

    mutating func skip(_ what: String) {
        notMeasured.append(what)
        emit("not measured: \(what)\n\n")
    }

    var missed: [String] {
        comparisons.filter { $0.isMet == false }.map(\.name) + limits.filter { !$0.isMet }.map(\.name)
            + growths.filter { !$0.isMet }.map { "growth with \($0.name)" }
    }
}

extension Comparison {
    var text: String {
        let verdict = target.map { " target \($0) ×: \(isMet == true ? "met" : "MISSED")" } ?? ""
        let wall = wallRatio.map { "  (wall clock: \(short($0.median)) ×)" } ?? ""
        return """
            \(name)
                ratio   \(ratio.text) ×\(wall) \(verdict)
                ours    \(ours.value.text) \(ours.unit): \(ours.name), \(ours.includes)
                peer    \(peer.value.text) \(peer.unit): \(peer.name), \(peer.includes)


            """
    }
}

extension Limit {
    var text: String {
        """
        \(name)
            \(value.text) \(unit)  target \(target) \(unit): \(isMet ? "met" : "MISSED")
            \(includes)


        """
    }
}

extension Comparison.Spread {
    var text: String { "\(short(median)) [\(short(lowerQuartile))–\(short(upperQuartile))]" }
}

/// A number with some three or four digits that matter.
func short(_ value: Double) -> String {
    guard value.isFinite else { return "?" }
    let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((value * scale).rounded())
    if digits == 0 { return grouped(scaled) }
    let fraction = String(abs(scaled) % Int(scale))
    let padded = String(repeating: "0", count: digits - fraction.count) + fraction
    return "\(scaled < 0 ? "-" : "")\(abs(scaled) / Int(scale)).\(padded)"
}

private func grouped(_ value: Int) -> String {
    var text = ""
    for (index, digit) in String(value).reversed().enumerated() {
        if index > 0 && index.isMultiple(of: 3) { text.insert(",", at: text.startIndex) }
        text.insert(digit, at: text.startIndex)
    }
    return text
}
