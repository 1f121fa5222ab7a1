import BelayCertificates
import FoundationEssentials

extension Request {
    /// The request as a command line for curl, for bug reports; it can be pasted into bash, whatever bytes are in it.
    ///
    /// ```swift
    /// print(request.curlDescription(relativeTo: session.baseURL))
    /// // curl --request PUT \
    /// //   --header 'Authorization: <redacted>' \
    /// //   ...
    /// ```
    ///
    /// A body that is no plain text comes from `printf`; one of more than 64 KiB is not shown, a file takes its place.
    ///
    /// - Parameters:
    ///   - base: what a relative URL is relative to.
    ///   - redacting: whether secrets are left out: the headers that authenticate, and in URL, form and JSON the values whose
    ///     names sound like one. A secret in text of another kind is not known as one.
    public func curlDescription(relativeTo base: SessionURL? = nil, redacting: Bool = true) -> String {
        let shownURL = (try? prepared(relativeTo: base).url.text) ?? url
        // A method that is said stays for redirects, too, which curl would change from POST to GET by itself.
        let usual = body.bytes == nil ? HTTPMethod.get : .post
        var arguments = method == .head ? ["--head"] : ["--request \(ShellText.quoted(method.rawValue))"]
        if method == usual { arguments = [] }
        if shownURL.utf8.contains(where: { $0 == 0x5B || $0 == 0x5D || $0 == 0x7B || $0 == 0x7D }) {
            arguments.append("--globoff")
        }
        for line in shownLines {
            arguments.append("--header \(Self.headerArgument(line.name, line.value, redacting: redacting))")
        }
        var producer = ""
        if let bytes = redacting ? redactedBody : body.bytes {
            if !shownLines.contains(where: { $0.name.equalsIgnoringCase("Content-Type") }) {
                arguments.append("--header 'Content-Type:'")
            }
            if bytes.count > ShellText.maximumShownBytes {
                arguments.append("--data-binary @request-body-of-\(bytes.count)-bytes")
            } else if let text = ShellText.plain(bytes) {
                arguments.append("--data-raw \(ShellText.quoted(text))")
            } else {
                producer = "printf \(ShellText.format(bytes)) | "
                arguments.append("--data-binary @-")
            }
        }
        arguments.append("--url \(ShellText.quoted(redacting ? Redaction.url(shownURL) : shownURL))")
        return producer + "curl " + arguments.joined(separator: " \\\n  ")
    }

    /// The header lines, also where they cannot be sent: a report may be about just that.
    private var shownLines: [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = headers.fields.map { ($0.name, $0.value) }
        if body.bytes != nil, let contentType = body.contentType, !headers.contains("Content-Type") {
            lines.append(("Content-Type", contentType))
        }
        if !headers.contains("Cache-Control") { lines += cachePolicy.headerFields }
        return lines
    }

    /// curl sends a field without value only where a semicolon takes the colon's place.
    private static func headerArgument(_ name: String, _ value: String, redacting: Bool) -> String {
        if value.isEmpty { return ShellText.quoted("\(name);") }
        return ShellText.quoted("\(name): \(redacting ? Redaction.fieldValue(value, of: name) : value)")
    }

    private var redactedBody: [UInt8]? {
        guard let bytes = body.bytes else { return nil }
        let type = (headers.values(of: "Content-Type").last ?? body.contentType).flatMap(MediaType.init)
        if type?.essence == "application/x-www-form-urlencoded" {
            return Array(Redaction.form(String(decoding: bytes, as: UTF8.self)).utf8)
        }
        guard let value = try? JSONReader.read(bytes),
            let redacted = Redaction.json(value)
        else { return bytes }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What has been read can be written; if not, nothing is shown rather than everything.
        return (try? encoder.encode(redacted)).map { Array($0) } ?? Array(SensitiveNames.redacted.utf8)
    }
}

/// Texts and bytes as words of bash.
enum ShellText {
    /// A body of more bytes is not shown.
    static let maximumShownBytes = 65_536

    /// A word for exactly this text. A NUL, which no argument can hold, is replaced.
    static func quoted(_ text: String) -> String {
        let needsNone = text.utf8.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || "-_./:@%+,".utf8.contains(byte)
        }
        if needsNone, !text.isEmpty { return text }
        guard text.unicodeScalars.contains(where: steersTerminal) else {
            return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        }
        // A terminal would act on these characters, so they are written as escapes.
        var output: [UInt8] = Array("$'".utf8)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\0": output += Array("\u{FFFD}".utf8)
            case "'", "\\", "\n", "\t": output += octal(UInt8(truncatingIfNeeded: scalar.value))
            default:
                let bytes = Array(String(scalar).utf8)
                output += steersTerminal(scalar) ? bytes.flatMap(octal) : bytes
            }
        }
        return String(decoding: output + [0x27], as: UTF8.self)
    }

    /// Whether a terminal may do something else than show the character; line ends and tabs are as they should be.
    private static func steersTerminal(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isUnsafeToPrint && scalar != "\n" && scalar != "\t"
    }

    /// The text, if bytes are text that a terminal shows as it is; nil otherwise.
    static func plain(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return text.unicodeScalars.contains(where: steersTerminal) ? nil : text
    }

    /// A format for `printf` that writes exactly these bytes.
    static func format(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = [0x27]
        for byte in bytes {
            if byte.isASCIILetter || byte.isASCIIDigit || byte == 0x20 || byte == 0x2E || byte == 0x5F {
                output.append(byte)
            } else {
                output += octal(byte)
            }
        }
        return String(decoding: output + [0x27], as: UTF8.self)
    }

    /// `\ooo`, always three digits, so that what follows is not taken in.
    private static func octal(_ byte: UInt8) -> [UInt8] {
        [0x5C, 0x30 + (byte >> 6), 0x30 + (byte >> 3 & 7), 0x30 + (byte & 7)]
    }
}
