import BelayArguments
import BelayCertificates
import BelaySession

/// What is asked for, in curl's spelling, but for the body.
struct RequestOptions: ParsableArguments, Sendable {
    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("The method; GET, or POST where data is sent, unless said otherwise.", valueName: "method"))
    var method: String?
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp(
            "A header field: 'Name: value', or 'Name;' for an empty one; @file has one a line, and keeps secrets out of sight.",
            valueName: "field|@file"))
    var header: [String] = []
    @Option(
        name: [.customShort("A"), .customLong("user-agent")], help: ArgumentHelp("The User-Agent.", valueName: "text"))
    var userAgent: String?
    @Option(
        name: [.customShort("e"), .customLong("referer")], help: ArgumentHelp("The Referer.", valueName: "url"))
    var referer: String?
    @Option(
        name: [.customShort("b"), .customLong("cookie")],
        help: ArgumentHelp(
            "Send these cookies: 'name=value; name=value', or @file with them. What the server sets is kept in memory for this run.",
            valueName: "cookies|@file"))
    var cookie: String?
    @Option(
        name: [.customShort("u"), .customLong("user")],
        help: ArgumentHelp(
            "Authenticate as this user; the password comes from --password-file, from BELAY_PASSWORD, or is asked for.",
            valueName: "name"))
    var user: String?
    @Option(help: ArgumentHelp("The password of --user: the file's first line.", valueName: "file"))
    var passwordFile: String?
    @Flag(
        help:
            "Send the password only once the server asks for it, by Digest where it can; the request goes out whole before. Without this, Basic at once."
    )
    var anyauth = false
    @Flag(name: [.customShort("I"), .customLong("head")], help: "Ask for the header alone (HEAD), and print it.")
    var head = false

    func validate() throws {
        if head, method != nil { throw ValidationError("'--head' is a method of its own; leave out '--request'") }
        if let user, user.utf8.contains(0x3A) {
            throw ValidationError(
                "a password in an argument could be read by every user of this machine; give '--user' the name alone, and the "
                    + "password by '--password-file FILE', by the environment (BELAY_PASSWORD), or when it is asked for"
            )
        }
        if anyauth, user == nil { throw ValidationError("'--anyauth' means nothing without '--user'") }
        if passwordFile != nil, user == nil {
            throw ValidationError("'--password-file' means nothing without '--user'")
        }
        if let cookie, !cookie.hasPrefix("@"), !cookie.contains("=") {
            throw ValidationError(
                "'--cookie' takes name=value, or @file with such; files of other programs' cookies are not supported")
        }
        let named = header.filter { !$0.hasPrefix("@") }
        for field in named { _ = try Self.field(field) }
        for (option, name, isGiven) in [
            ("--user", "Authorization", user != nil), ("--cookie", "Cookie", cookie != nil),
            ("--user-agent", "User-Agent", userAgent != nil), ("--referer", "Referer", referer != nil),
        ] where isGiven {
            guard named.contains(where: { Self.name(of: $0).lowercased() == name.lowercased() }) else { continue }
            throw ValidationError("'\(option)' and '--header \(name)' say the same thing; leave one of them out")
        }
    }

    /// The files that are read.
    var files: [String] {
        header.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) } + [passwordFile].compactMap(\.self)
            + [cookie].compactMap { $0?.hasPrefix("@") == true ? String($0?.dropFirst() ?? "") : nil }
    }

    /// The fields in arguments whose values should not stand there.
    var exposedFields: [String] {
        let named = header.filter { !$0.hasPrefix("@") }.map(Self.name)
        return named.filter { SensitiveNames.coverHeader($0) }
            + (cookie?.hasPrefix("@") == false ? ["Cookie"] : [])
    }

    /// Reads the files and puts the fields together, the password's not among them.
    func readHeaders() throws -> HTTPHeaders {
        var headers: HTTPHeaders = [:]
        for text in header {
            guard text.hasPrefix("@") else {
                let (name, value) = try Self.field(text)
                try headers.add(name, value)
                continue
            }
            let path = String(text.dropFirst())
            for line in try Self.lines(path, "--header") where !line.isEmpty {
                do {
                    let (name, value) = try Self.field(line)
                    try headers.add(name, value)
                } catch {
                    throw ValidationError("\(printable(path)): \(error)")
                }
            }
        }
        if let userAgent { try Self.set("User-Agent", userAgent, in: &headers) }
        if let referer { try Self.set("Referer", referer, in: &headers) }
        if let cookie {
            let text =
                cookie.hasPrefix("@") ? try Self.lines(String(cookie.dropFirst()), "--cookie").first ?? "" : cookie
            try Self.set("Cookie", text, in: &headers)
        }
        return headers
    }

    private static func set(_ name: String, _ value: String, in headers: inout HTTPHeaders) throws {
        do throws(HTTPHeaderError) { try headers.set(name, value) } catch { throw ValidationError("\(error)") }
    }

    private static func lines(_ path: String, _ option: String) throws(InputError) -> [String] {
        let bytes: [UInt8]
        do throws(FileReadingError) {
            bytes = try FileReading.bytes(ofFile: StandardInput.path(path), limit: 1 << 20)
        } catch {
            throw InputError(
                message: "\(printable(path)): \(error)", remedy: "Give '\(option)' a file that can be read.")
        }
        let text = try UTF8Text.checked(
            bytes, of: printable(path), remedy: "'\(option)' sends text in UTF-8; write the file so, or in ASCII.")
        return text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            String(Substring(line.last == 0x0D ? line.dropLast() : line))
        }
    }

    private static func name(of field: String) -> String { String(field.prefix { $0 != ":" && $0 != ";" }) }

    /// `Name: value`, or `Name;`. What is wrong with it is said without its value.
    private static func field(_ text: String) throws -> (name: String, value: String) {
        let name = name(of: text)
        let rest = text.dropFirst(name.count)
        guard let mark = rest.first else {
            throw ValidationError("a header field is 'Name: value', and there is no ':' in the one that was given")
        }
        let value = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
        if mark == ":", value.isEmpty {
            throw ValidationError(
                "the header field '\(printable(name))' has no value; write '\(printable(name));' to send it empty")
        }
        if mark == ";", !value.isEmpty {
            throw ValidationError("a header field is 'Name: value'; there is a ';' after '\(printable(name))'")
        }
        var checked: HTTPHeaders = [:]
        do throws(HTTPHeaderError) { try checked.add(name, String(value)) } catch { throw ValidationError("\(error)") }
        return (name, String(value))
    }
}
