/// Has a server change from the clear to TLS: everything up to, and not including, the handshake.
///
/// What the server says before is worth nothing, since anybody on the way may have said it: it is used to ask for TLS, and forgotten.
enum StartTLSDialogue {
    /// Runs the dialogue of a protocol on a connected socket.
    ///
    /// - Parameter limit: how long all of it may take.
    /// - Throws: why there will be no TLS; the connection is of no use then.
    static func run(
        _ name: StartTLSProtocol, on socket: Socket, within limit: Duration
    ) async throws(CleartextChannel.Stop) {
        var channel = CleartextChannel(socket: socket, name: name, within: limit)
        switch name {
        case .smtp: try await smtp(&channel)
        case .imap: try await imap(&channel)
        case .pop3: try await pop3(&channel)
        case .ftp: try await ftp(&channel)
        case .postgres: try await postgres(&channel)
        case .ldap: try await ldap(&channel)
        }
        try channel.finish()
    }

    typealias Stop = CleartextChannel.Stop
}

extension CleartextChannel {
    /// The server said no to a command.
    func refused(_ command: String, _ answer: some Collection<UInt8>) -> Stop {
        Stop(.refused(name, command: command, answer: said(answer)))
    }

    /// The server said something else than the protocol has there.
    func unexpected(_ found: some Collection<UInt8>, insteadOf expected: String) -> Stop {
        Stop(.unexpectedAnswer(name, expected: expected, found: said(found)))
    }

    /// Whether a line begins with a word, in whatever case.
    static func begins(_ line: some Collection<UInt8>, with word: String) -> Bool {
        let start = String(decoding: line.prefix(word.utf8.count), as: UTF8.self)
        guard start.uppercased() == word.uppercased() else { return false }
        return line.dropFirst(word.utf8.count).first.map { $0 == 0x20 } ?? true
    }
}
