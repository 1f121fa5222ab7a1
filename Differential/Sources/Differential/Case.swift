import BelayCertificates
import BelayTrust
import ChainMutation
import FoundationEssentials

/// A mutant as a trust case: one line of NDJSON that every judge reads.
struct Case: Codable {
    let id: String
    let note: String
    let host: String
    let time: String
    let chain: [String]
    let anchors: [String]

    init(_ number: UInt64, _ mutant: Mutator.Mutant) {
        id = "\(number)"
        note = mutant.steps.joined(separator: "; ")
        host = mutant.host
        time = RFC3339.text(Date(timeIntervalSince1970: Double(mutant.time)))
        chain = mutant.chain.map { Data($0).base64EncodedString() }
        anchors = mutant.anchors.map { Data($0).base64EncodedString() }
    }
}

/// What a peer program said to a case.
struct PeerAnswer: Codable {
    let id: String
    let accepted: Bool
    let error: String
}

/// A fault of the run itself: not a finding about anybody's verdicts.
struct RunError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Files of one JSON object a line.
enum Lines {
    static func read<Value: Decodable>(_ type: Value.Type, from path: String) throws -> [Value] {
        let decoder = JSONDecoder()
        return try rawLines(of: path).map { try decoder.decode(type, from: Data($0)) }
    }

    static func rawLines(of path: String) throws -> [[UInt8]] {
        guard let data = FileManager.default.contents(atPath: path) else { throw RunError("cannot read \(path)") }
        return data.split(separator: 0x0A).map(Array.init)
    }

    static func write(_ values: some Sequence<some Encodable>, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data = Data()
        for value in values {
            data += try encoder.encode(value)
            data.append(0x0A)
        }
        try data.write(to: URL(filePath: path))
    }
}
