import BelayTransportSecurity
import Foundation
import Testing

@Suite("property lists in binary")
struct BinaryPlistTests {
    @Test("what Foundation writes is read, every kind of value")
    func foundation() throws {
        let value: [String: Any] = [
            "string": "ascii", "wide": "schön 🧗", "yes": true, "no": false, "small": 1, "negative": -5,
            "large": Int64.max, "real": 1.5, "data": Data([1, 2, 3]), "array": ["a", "b"] as [Any],
            "long": String(repeating: "x", count: 300), "dictionary": ["k": "v"],
        ]
        let bytes = [UInt8](try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0))
        let document = try PlistReader().read(bytes)
        #expect(document.format == .binary)
        let members = try #require(document.root.members)
        let found = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.node) })
        #expect(found["string"]?.value == .string("ascii"))
        #expect(found["wide"]?.value == .string("schön 🧗"))
        #expect(found["yes"]?.value == .boolean(true))
        #expect(found["no"]?.value == .boolean(false))
        #expect(found["small"]?.value == .integer(1))
        #expect(found["negative"]?.value == .integer(-5))
        #expect(found["large"]?.value == .integer(.max))
        #expect(found["real"]?.value == .real(1.5))
        #expect(found["data"]?.value == .data([1, 2, 3]))
        #expect(found["array"]?.elements.map(\.string) == ["a", "b"])
        #expect(found["long"]?.string?.count == 300)
        #expect(found["dictionary"]?.members?.map(\.key) == ["k"])
        #expect(members.allSatisfy { $0.keyPosition.offset != nil && $0.keyPosition.line == nil })
    }

    /// A file by hand: one-byte offsets and references.
    static func file(_ objects: [[UInt8]], top: UInt8 = 0) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        bytes += offsets
        func wide(_ number: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, number] }
        return bytes + [0, 0, 0, 0, 0, 0, 1, 1] + wide(UInt8(objects.count)) + wide(top) + wide(table)
    }

    private func reason(_ bytes: [UInt8]) -> PlistError.Reason? {
        do throws(PlistError) {
            _ = try PlistReader().read(bytes)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("a key that is named twice is there twice, at its byte")
    func duplicates() throws {
        // A dictionary of two members whose keys are one object.
        let root = try PlistReader().read(Self.file([[0xD2, 1, 1, 2, 3], [0x51, 0x61], [0x09], [0x08]])).root
        #expect(root.members?.map(\.key) == ["a", "a"])
        #expect(root.members?.map(\.node.value) == [.boolean(true), .boolean(false)])
        #expect(root.members?.map(\.node.position.offset) == [15, 16])
    }

    @Test("a value that contains itself is refused")
    func cycles() {
        #expect(reason(Self.file([[0xA1, 0]])) == .cycle)
        #expect(reason(Self.file([[0xA1, 1], [0xD1, 2, 0], [0x51, 0x61]])) == .cycle)
    }

    @Test("an object that is named again and again counts each time")
    func sharing() {
        // Sixty levels, each naming the next one twice: 2 to the 60th values.
        var objects: [[UInt8]] = (0..<60).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] }
        objects.append([0x09])
        #expect(reason(Self.file(objects)) == .tooManyValues(limit: 2_000_000))
    }

    @Test("depth is bounded")
    func depth() {
        var objects: [[UInt8]] = (0..<70).map { [0xA1, UInt8($0 + 1)] }
        objects.append([0x09])
        #expect(reason(Self.file(objects)) == .tooDeep(limit: 64))
    }

    @Test("an integer of 16 bytes holds what is beyond 63 bits")
    func wideIntegers() throws {
        let large: [UInt8] = [0x14] + [UInt8](repeating: 0, count: 8) + [0xFF] + [UInt8](repeating: 0xFF, count: 7)
        #expect(try PlistReader().read(Self.file([large])).root.value == .real(0x1p64))
        let one: [UInt8] = [0x14] + [UInt8](repeating: 0, count: 15) + [1]
        #expect(try PlistReader().read(Self.file([one])).root.value == .integer(1))
    }

    @Test(
        "numbers that lead out of the file are refused",
        arguments: [
            file([[0xA1, 9]]), file([[0x09]], top: 1), file([[0x5F, 0x10, 0xFF]]), file([[0x13, 1]]), file([[0x00]]),
            file([[0xC1, 1], [0x09]]), file([[0xD1, 1, 1], [0x09]]), file([[0x51, 0xFF]]), file([[0x61, 0xD8, 0x00]]),
            file([[0x5F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]), Array("bplist00".utf8),
            Array("bplist16".utf8) + [UInt8](repeating: 0, count: 40),
            Array("bplist00".utf8) + [UInt8](repeating: 0xFF, count: 40),
            Array("bplist00".utf8) + [UInt8](repeating: 0, count: 40),
        ])
    func refused(bytes: [UInt8]) {
        #expect(throws: PlistError.self) { try PlistReader().read(bytes) }
    }

    @Test("no prefix and no single changed byte of a good file makes the reader trap")
    func damage() {
        let good = Self.file([[0xD2, 1, 1, 2, 3], [0x51, 0x61], [0xA1, 3], [0x08]])
        for length in good.indices { _ = try? PlistReader().read(Array(good[..<length])) }
        for index in good.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = good
                bytes[index] = byte
                _ = try? PlistReader().read(bytes)
            }
        }
    }
}
