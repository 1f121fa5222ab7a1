/// How a cost grows with the size of its input.
struct Growth: Codable {
    let name: String
    let points: [Point]
    /// By how much more one further unit costs in the last step than in all before it: 1 is a straight line.
    let bend: Double

    /// Allows for noise; a cost that grew with the square would be far beyond.
    static let target = Target.atMost(1.5)

    struct Point: Codable {
        let size: Int
        /// Milliseconds of processor time.
        let value: Comparison.Spread
    }

    init(_ name: String, _ measured: [(size: Int, milliseconds: [Double])]) {
        self.name = name
        points = measured.map { Point(size: $0.size, value: Comparison.Spread($0.milliseconds)) }
        guard points.count > 2, let last = points.last else {
            bend = .nan
            return
        }
        bend = Self.slope(points[points.count - 2], last) / Self.slope(points[0], points[points.count - 2])
    }

    var isMet: Bool { Self.target.isMet(by: bend) }

    private static func slope(_ from: Point, _ to: Point) -> Double {
        (to.value.median - from.value.median) / Double(to.size - from.size)
    }

    var text: String {
        let rows = points.map {
            "    \($0.size): \(short($0.value.median)) ms, \(short($0.value.median * 1_000 / Double($0.size))) µs each"
        }
        return """
            growth with \(name)
            \(rows.joined(separator: "\n"))
                the last step costs \(short(bend)) × the ones before, for each  target \(Self.target.text) ×: \(isMet ? "met" : "MISSED")


            """
    }
}
