/// SMTP and FTP: replies that begin with three digits.
extension StartTLSDialogue {
    /// RFC 3207: greeting, EHLO, STARTTLS.
    static func smtp(_ channel: inout CleartextChannel) async throws(Stop) {
        let greeting = try await channel.reply()
        guard greeting.code == 220 else { throw channel.answered(greeting, to: "the connection", expected: "220") }
        try await channel.send("EHLO \(ownName(channel.socket))")
        let welcome = try await channel.reply()
        guard welcome.code == 250 else { throw channel.answered(welcome, to: "EHLO", expected: "250") }
        // The first line is the server's name; each other one is a keyword with its parameters (RFC 5321, section 4.1.1.1).
        let keywords = welcome.lines.dropFirst().map { $0.dropFirst(4) }
        guard keywords.contains(where: { CleartextChannel.begins($0, with: "STARTTLS") }) else {
            throw Stop(.notOffered(.smtp, offered: keywords.prefix(30).map(said)))
        }
        try await channel.send("STARTTLS")
        let consent = try await channel.reply()
        guard consent.code == 220 else { throw channel.answered(consent, to: "STARTTLS", expected: "220") }
    }

    /// RFC 4217: greeting, AUTH TLS.
    static func ftp(_ channel: inout CleartextChannel) async throws(Stop) {
        var greeting = try await channel.reply()
        // "Service ready in nnn minutes" (RFC 959, section 5.4).
        if greeting.code == 120 { greeting = try await channel.reply() }
        guard greeting.code == 220 else { throw channel.answered(greeting, to: "the connection", expected: "220") }
        try await channel.send("AUTH TLS")
        let consent = try await channel.reply()
        guard consent.code == 234 else { throw channel.answered(consent, to: "AUTH TLS", expected: "234") }
    }

    /// A client without a name that others can resolve says its address (RFC 5321, section 4.1.3).
    private static func ownName(_ socket: Socket) -> String {
        guard let address = socket.localAddress else { return "[127.0.0.1]" }
        return address.isIPv6 ? "[IPv6:\(address.host)]" : "[\(address.host)]"
    }
}

/// A reply of SMTP or FTP.
private struct Reply {
    let code: Int
    /// Its lines, codes included.
    let lines: [[UInt8]]
}

extension CleartextChannel {
    /// Reads a reply: lines up to one that has a space, or nothing, after the code (RFC 5321, section 4.2; RFC 959, section 4.2).
    fileprivate mutating func reply() async throws(Stop) -> Reply {
        let first = try await line()
        guard let code = Self.code(of: first) else { throw unexpected(first, insteadOf: "a reply with three digits") }
        var lines = [first]
        while lines.count > 1 ? !Self.ends(lines[lines.count - 1], code) : first.dropFirst(3).first == 0x2D {
            let next = try await line()
            // In FTP the lines between may be any text, in SMTP each has the code.
            guard name == .ftp || Self.code(of: next) == code else {
                throw unexpected(next, insteadOf: "another line of the reply \(code)")
            }
            lines.append(next)
        }
        return Reply(code: code, lines: lines)
    }

    /// What is wrong with a reply: a no, or something else.
    fileprivate func answered(_ reply: Reply, to command: String, expected: String) -> Stop {
        let text = reply.lines.joined(separator: [0x20])
        return (400...599).contains(reply.code)
            ? refused(command, Array(text)) : unexpected(Array(text), insteadOf: "a reply \(expected) to \(command)")
    }

    private static func code(of line: [UInt8]) -> Int? {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            line.count == 3 || line[3] == 0x20 || line[3] == 0x2D
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func ends(_ line: [UInt8], _ code: Int) -> Bool {
        self.code(of: line) == code && (line.count == 3 || line[3] == 0x20)
    }
}
