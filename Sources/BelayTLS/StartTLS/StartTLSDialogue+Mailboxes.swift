/// IMAP and POP3.
extension StartTLSDialogue {
    /// RFC 9051, section 6.2.1: greeting, CAPABILITY, STARTTLS.
    static func imap(_ channel: inout CleartextChannel) async throws(Stop) {
        let greeting = try await channel.line()
        guard CleartextChannel.begins(greeting, with: "* OK") else {
            // A connection that is logged in already cannot change any more (RFC 9051, section 7.1.4); BYE is a no.
            let isNo =
                CleartextChannel.begins(greeting, with: "* BYE") || CleartextChannel.begins(greeting, with: "* PREAUTH")
            throw isNo
                ? channel.refused("the connection", greeting)
                : channel.unexpected(greeting, insteadOf: "the greeting \"* OK\"")
        }
        let capabilities = try await channel.command("CAPABILITY", tag: "a1", untagged: "* CAPABILITY")
            .flatMap { $0.split(separator: 0x20).dropFirst(2) }
        guard capabilities.contains(where: { CleartextChannel.begins($0, with: "STARTTLS") }) else {
            throw Stop(.notOffered(.imap, offered: capabilities.prefix(30).map(said)))
        }
        _ = try await channel.command("STARTTLS", tag: "a2", untagged: "")
    }

    /// RFC 2595, section 4, and RFC 2449: greeting, CAPA, STLS.
    static func pop3(_ channel: inout CleartextChannel) async throws(Stop) {
        try await channel.status(of: "the connection")
        try await channel.send("CAPA")
        let answer = try await channel.line()
        // A server without CAPA may know STLS all the same: it is asked.
        if CleartextChannel.begins(answer, with: "+OK") {
            var capabilities: [[UInt8]] = []
            while case let line = try await channel.line(), line != [0x2E] { capabilities.append(line) }
            guard capabilities.contains(where: { CleartextChannel.begins($0, with: "STLS") }) else {
                throw Stop(.notOffered(.pop3, offered: capabilities.prefix(30).map(said)))
            }
        } else if !CleartextChannel.begins(answer, with: "-ERR") {
            throw channel.unexpected(answer, insteadOf: "+OK or -ERR")
        }
        try await channel.send("STLS")
        try await channel.status(of: "STLS")
    }
}

extension CleartextChannel {
    /// IMAP: sends a command and reads up to its tagged response, which must be OK. Returns the lines that begin as wanted.
    fileprivate mutating func command(
        _ command: String, tag: String, untagged wanted: String
    ) async throws(Stop) -> [[UInt8]] {
        try await send("\(tag) \(command)")
        var found: [[UInt8]] = []
        while true {
            let line = try await line()
            if Self.begins(line, with: "\(tag) OK") { return found }
            if Self.begins(line, with: "\(tag) NO") || Self.begins(line, with: "\(tag) BAD") {
                throw refused(command, line.dropFirst(tag.utf8.count + 1))
            }
            if Self.begins(line, with: "* BYE") { throw refused(command, line) }
            guard line.first == 0x2A else {
                throw unexpected(line, insteadOf: "the response \(tag) to \(command)")
            }
            if !wanted.isEmpty, Self.begins(line, with: wanted) { found.append(line) }
        }
    }

    /// POP3: reads a status, which must be positive.
    fileprivate mutating func status(of command: String) async throws(Stop) {
        let line = try await line()
        if Self.begins(line, with: "+OK") { return }
        throw Self.begins(line, with: "-ERR") ? refused(command, line) : unexpected(line, insteadOf: "+OK or -ERR")
    }
}
