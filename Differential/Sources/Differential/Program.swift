import BelayCertificates
import BelayTrust
import ChainMutation
import FoundationEssentials
import Glibc

/// `write FILE COUNT SEED` writes mutants as trust cases; `compare FILE GO PYCA` judges them by Belay and by OpenSSL, sets
/// that beside the answers of Go and pyca, and puts every disagreement into its class. `classes` lists those that are known.
@main
struct Program {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch arguments.first {
            case "write" where arguments.count == 4:
                try write(arguments[1], count: arguments[2], seed: arguments[3])
            case "compare" where arguments.count >= 4:
                let isExplained = try compare(arguments[1], go: arguments[2], pyca: arguments[3])
                if !isExplained { exit(1) }
            case "classes" where arguments.count == 1:
                for known in DifferenceClass.all { print("\(known.identifier)\t\(known.reason)") }
            default:
                throw RunError("usage: Differential write FILE COUNT SEED | compare FILE GO PYCA | classes")
            }
        } catch {
            FileHandles.standardError("error: \(error)\n")
            exit(2)
        }
    }

    private static func write(_ path: String, count: String, seed: String) throws {
        guard let count = UInt64(count), let seed = UInt64(seed) else { throw RunError("COUNT and SEED are numbers") }
        let mutator = Mutator(seeds: try Blueprint.seeds())
        // The good chains come first: whoever refuses one of those makes the comparison worthless.
        let good = try Blueprint.seeds().enumerated().map { number, seed in
            Case(UInt64(number), try Mutator.unchanged(seed))
        }
        let mutants = try (0..<count).map { Case(seed &+ $0, try mutator.mutant(seed &+ $0)) }
        try Lines.write(good + mutants, to: path)
    }

    private static func compare(_ path: String, go: String, pyca: String) throws -> Bool {
        let lines = try Lines.rawLines(of: path)
        let go = try Lines.read(PeerAnswer.self, from: go)
        let pyca = try Lines.read(PeerAnswer.self, from: pyca)
        guard lines.count == go.count, lines.count == pyca.count else { throw RunError("an answer is missing") }
        var report = Report()
        for (index, line) in lines.enumerated() {
            report.add(try Comparison(line: line, go: go[index], pyca: pyca[index]))
        }
        try Lines.write(report.open, to: path + ".unexplained")
        print(report.text)
        return report.isExplained
    }
}
