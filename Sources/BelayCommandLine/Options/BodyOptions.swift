import BelayArguments
import BelayCertificates
import BelaySession

/// What a request sends along, in curl's spelling.
struct BodyOptions: ParsableArguments, Sendable {
    @Option(
        name: [.customShort("d"), .customLong("data")],
        help: ArgumentHelp(
            "Send this as a form, several joined by '&'; @file sends a file's text without its line ends, @- standard input's.",
            valueName: "data|@file"))
    var data: [String] = []
    @Option(help: ArgumentHelp("As --data, but a leading @ means itself.", valueName: "data"))
    var dataRaw: [String] = []
    @Option(help: ArgumentHelp("As --data, but a file's bytes as they are.", valueName: "data|@file"))
    var dataBinary: [String] = []
    @Option(
        help: ArgumentHelp(
            "As --data, percent-encoded: text, =text, name=text, @file, or name@file.", valueName: "data"))
    var dataUrlencode: [String] = []
    @Option(
        help: ArgumentHelp(
            "Send this as JSON, several one after the other, and accept JSON; @file sends a file.",
            valueName: "data|@file"))
    var json: [String] = []
    @Option(
        help: ArgumentHelp("Send a form with this field, percent-encoded; again for more.", valueName: "name=value"))
    var form: [String] = []
    @Flag(
        name: [.customShort("G"), .customLong("get")],
        help: "Put the data into the URL's query instead, and use GET.")
    var get = false

    /// The largest body that is read from a file, in bytes.
    private static let limit = 1 << 30

    func validate() throws {
        let kinds = [
            ("--json", !json.isEmpty), ("--form", !form.isEmpty),
            (
                "--data and its kin",
                !data.isEmpty || !dataRaw.isEmpty || !dataBinary.isEmpty || !dataUrlencode.isEmpty
            ),
        ].filter(\.1)
        if kinds.count > 1 {
            throw ValidationError(
                "\(kinds[0].0) and \(kinds[1].0) are different bodies, and a request has one; leave one of them out")
        }
        if get, !json.isEmpty { throw ValidationError("'--get' puts data into the query, where '--json' has no place") }
        if get, kinds.isEmpty { throw ValidationError("'--get' means nothing without '--data' or '--form'") }
        for field in form {
            guard let mark = field.firstIndex(of: "=") else {
                throw ValidationError("'--form' takes name=value, and '\(printable(field))' has no '='")
            }
            guard let first = field[field.index(after: mark)...].first, first == "@" || first == "<" else { continue }
            throw ValidationError(
                "'--form' sends values, not files: uploads as multipart/form-data are not supported. Send the file as the "
                    + "body with '--data-binary @file', or the value '\(first)…' itself with '--data-urlencode'")
        }
    }

    /// Whether there is something to send.
    var isGiven: Bool { !(data + dataRaw + dataBinary + dataUrlencode + json + form).isEmpty }

    /// The files that are read, as far as they may be standard input.
    var files: [String] {
        (data + dataBinary + json).filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
            + dataUrlencode.compactMap { EncodedField($0).file }
    }

    /// Reads the files and puts the body together; nil where none is given.
    func read() throws(InputError) -> RequestBody? {
        guard isGiven else { return nil }
        if !json.isEmpty {
            var bytes: [UInt8] = []
            for part in json { bytes += try Self.content(part, "--json", isText: false) }
            return .bytes(bytes, contentType: "application/json")
        }
        var parts: [[UInt8]] = []
        for part in data { parts.append(try Self.content(part, "--data", isText: true)) }
        parts += dataRaw.map { Array($0.utf8) }
        for part in dataBinary { parts.append(try Self.content(part, "--data-binary", isText: false)) }
        for part in dataUrlencode {
            let field = EncodedField(part)
            let value = try field.file.map { path throws(InputError) in try Self.file(path, "--data-urlencode") }
            parts.append(field.encoded(value))
        }
        for field in form { parts.append(EncodedField(field).encoded(nil)) }
        return .bytes(Array(parts.joined(separator: [0x26])), contentType: "application/x-www-form-urlencoded")
    }

    /// The bytes of `data`, or of the file in `@file`.
    private static func content(_ text: String, _ option: String, isText: Bool) throws(InputError) -> [UInt8] {
        guard text.utf8.first == 0x40 else { return Array(text.utf8) }
        let bytes = try file(String(text.dropFirst()), option)
        // As curl has it: --data is for text in files that editors have ended with a line end.
        return isText ? bytes.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 } : bytes
    }

    private static func file(_ path: String, _ option: String) throws(InputError) -> [UInt8] {
        do throws(FileReadingError) {
            return try FileReading.bytes(ofFile: StandardInput.path(path), limit: limit)
        } catch {
            throw InputError(
                message: "\(printable(path)): \(error)", remedy: "Give '\(option)' a file that can be read.")
        }
    }
}

/// A field that is percent-encoded: `text`, `=text`, `name=text`, `@file`, `name@file`.
struct EncodedField {
    /// The name, as it is sent; empty for none.
    let name: String
    /// The value, before it is encoded; nil where it is a file's.
    let value: String?
    /// The file that has the value.
    let file: String?

    init(_ text: String) {
        let mark = text.utf8.firstIndex { $0 == 0x3D || $0 == 0x40 }
        guard let mark else {
            (name, value, file) = ("", text, nil)
            return
        }
        name = String(text[..<mark])
        let rest = String(text[text.utf8.index(after: mark)...])
        if text.utf8[mark] == 0x3D { (value, file) = (rest, nil) } else { (value, file) = (nil, rest) }
    }

    /// Data as a part of a URL's query: bytes beyond ASCII by percent, whether or not they are UTF-8.
    static func query(_ data: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let ascii = data.flatMap { byte in
            byte < 0x80 ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: ascii, as: UTF8.self)
    }

    /// `name=value` with the value encoded as forms are: all but unreserved characters (RFC 3986, section 2.3) by percent, spaces
    /// as plus signs.
    func encoded(_ content: [UInt8]?) -> [UInt8] {
        var output = Array(name.utf8)
        if !name.isEmpty { output.append(0x3D) }
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in content ?? Array((value ?? "").utf8) {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: output.append(byte)
            case 0x20: output.append(0x2B)
            default: output += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return output
    }
}
