import BelayTLS
import CSystem
import Glibc

/// The sockets of an engine's connections: for what the kernel watches them.
///
/// libcurl wants a socket watched when an exchange begins and no longer when it ends. A system call for each would cost a small
/// exchange a twentieth of its time; so the kernel is told before the thread waits, of what differs then, and a connection that is
/// kept stays with it until something happens there.
///
/// Only the engine's thread touches it.
final class EngineSockets: RecordBuffer.Owner {
    private struct Watch {
        /// What libcurl wants to know of, and what the kernel tells of: 1 to read, 2 to write.
        var wanted: UInt32 = 0
        var registered: UInt32 = 0
        /// For which exchange it was opened; nil where the engine is not told when it is closed. The number of such a one can be somebody
        /// else's at any time.
        var opener: UInt64?
        /// What stands between OpenSSL and the socket; nil for cleartext.
        var buffer: RecordBuffer?
        /// Whether the socket took no more of what waits there.
        var isBlocked = false

        /// How many bytes have been read that libcurl waits for.
        var unread: Int { wanted & 1 == 0 ? 0 : buffer?.unread ?? 0 }
        /// What the kernel has to tell of.
        var needed: UInt32 { isBlocked ? wanted | 2 : wanted }
        /// In which turn of the engine's libcurl last wanted to know nothing any more.
        var restsSince: UInt64 = 0
        /// Whether something has happened since.
        var hasNews = false
        /// For cleartext, whose connections are told by it; 0 elsewhere.
        var localPort: CInt = 0
    }

    private let epoll: CInt
    /// By descriptor.
    // Not checked at run time, at every step of every exchange: what is done to an entry calls nothing that looks at another.
    @exclusivity(unchecked) private var watches: [Watch] = []
    private var changed: [CInt] = []
    /// Those that the kernel did not take, or that were closed and opened again without a word.
    private(set) var failed: [CInt] = []
    /// Those whose buffers have something to send.
    private var gathered: [CInt] = []
    /// Those whose buffers may have something that libcurl has not taken.
    private var read: [CInt] = []
    /// How often the kernel has told all that there was to tell.
    private var turn: UInt64 = 1
    private var byLocalPort: [CInt: CInt] = [:]

    init(epoll: CInt) { self.epoll = epoll }

    /// A socket was opened for a connection of an exchange.
    func opened(_ socket: CInt, by exchange: UInt64) {
        withWatch(socket) { $0 = Watch(opener: exchange) }
    }

    /// Whether a socket is still the one that was opened for an exchange.
    func isOpen(_ socket: CInt, by exchange: UInt64) -> Bool { withWatch(socket) { $0.opener == exchange } }

    /// Closes a socket, and with it the kernel's watch. The connection's last words go out before.
    func close(_ socket: CInt) -> CInt {
        withWatch(socket) { watch in
            _ = watch.buffer?.flush()
            watch.buffer?.close()
            watch = Watch()
        }
        return Glibc.close(socket)
    }

    /// libcurl wants to know when a socket can be read (1) or written (2), or both; 0 for no longer.
    func want(_ socket: CInt, _ directions: UInt32) {
        let isKnown = withWatch(socket) { watch in
            if directions == 0, watch.wanted != 0 {
                watch.restsSince = turn
                watch.hasNews = false
            }
            watch.wanted = directions
            if watch.unread > 0 { read.append(socket) }
            return watch.opener != nil
        }
        if isKnown { changed.append(socket) } else { apply(socket) }
    }

    /// Tells the kernel what has changed since it was told last.
    func applyChanges() {
        for socket in changed { apply(socket) }
        changed.removeAll(keepingCapacity: true)
    }

    /// Which of the directions that something has happened in somebody waits for. Where nobody does, it happens to a connection that is
    /// kept, and will be seen when that is to be used again.
    func awaited(_ socket: CInt, _ directions: UInt32) -> UInt32 {
        withWatch(socket) { watch in
            guard watch.needed == 0 else { return directions & watch.wanted }
            watch.hasNews = true
            if watch.registered != 0, belay_epoll_watch(epoll, 1, socket, 0) == 0 { watch.registered = 0 }
            return 0
        }
    }

    /// Whether libcurl waits for anything on a socket.
    func isAwaited(_ socket: CInt) -> Bool { withWatch(socket) { $0.wanted != 0 } }

    /// The kernel has told of all sockets on which anything has happened.
    func noteTurn() { turn &+= 1 }

    /// Whether nothing has come on a socket that nobody waits for.
    ///
    /// Where the kernel has not had the occasion to say so since the socket came to rest, what counts is that the last response was read with
    /// all that there was: what comes in the microseconds after that could as well come right after the request. The kernel is asked where
    /// that is not known either.
    func isQuiet(_ socket: CInt) -> Bool {
        let known: Bool? = withWatch(socket) { watch in
            if watch.hasNews || (watch.buffer?.unread ?? 0) > 0 { return false }
            guard watch.opener != nil, watch.wanted == 0, watch.registered & 1 != 0 else { return nil }
            return watch.restsSince < turn || watch.buffer?.isDrained == true ? true : nil
        }
        if let known { return known }
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT))
        return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
    }

    /// Remembers which socket a connection in cleartext has.
    func note(_ socket: CInt, localPort: CInt) {
        withWatch(socket) { $0.localPort = localPort }
        byLocalPort[localPort] = socket
    }

    /// The socket of a connection in cleartext; nil where that is not known.
    func socket(localPort: CInt) -> CInt? {
        guard let socket = byLocalPort[localPort], withWatch(socket, { $0.localPort }) == localPort else { return nil }
        return socket
    }

    /// Those that failed since the last call.
    func takeFailed() -> [CInt] {
        defer { failed.removeAll() }
        return failed
    }

    private func apply(_ socket: CInt) {
        let isFine = withWatch(socket) { watch in
            // A connection that is kept is used again soon.
            let needed = watch.needed
            if needed == watch.registered || watch.opener != nil && needed == 0 { return true }
            let isKnown = watch.registered != 0
            // It was closed and opened again without a word, or the kernel takes no more: the transfer must not hang.
            let isTaken =
                belay_epoll_watch(epoll, isKnown ? 1 : 0, socket, needed) == 0
                || needed != 0 && belay_epoll_watch(epoll, isKnown ? 0 : 1, socket, needed) == 0
            watch.registered = isTaken ? needed : 0
            return isTaken || needed == 0
        }
        if !isFine { failed.append(socket) }
    }

    // MARK: - Buffers

    func isBuffered(_ socket: CInt, by buffer: RecordBuffer) { withWatch(socket) { $0.buffer = buffer } }

    func hasRead(_ socket: CInt) { read.append(socket) }

    func hasGathered(_ socket: CInt) { gathered.append(socket) }

    /// A socket of which so many bytes have been read that libcurl has not taken, though it waits for them.
    struct Unread: Equatable {
        let socket: CInt
        let count: Int
    }

    /// Those that have come about since the last call.
    func takeUnread() -> [Unread] {
        defer { read.removeAll(keepingCapacity: true) }
        return read.compactMap { socket in
            let count = withWatch(socket) { $0.unread }
            return count == 0 ? nil : Unread(socket: socket, count: count)
        }
    }

    /// Whether more of a socket has been read than libcurl has taken, and it waits for that. It is found again then.
    func isUnread(_ socket: CInt) -> Bool {
        guard withWatch(socket, { $0.unread > 0 }) else { return false }
        read.append(socket)
        return true
    }

    /// Sends what has gathered.
    func flush() {
        guard !gathered.isEmpty else { return }
        // Those that cannot go on stay; they are tried again when the kernel says so.
        gathered.removeAll { !isLeft($0) }
    }

    /// Sends what has gathered for a socket. True where some of it is left.
    private func isLeft(_ socket: CInt) -> Bool {
        withWatch(socket) { watch in
            let isBlocked = watch.buffer?.flush() == .blocked
            if isBlocked != watch.isBlocked {
                watch.isBlocked = isBlocked
                changed.append(socket)
            }
            return isBlocked
        }
    }

    // MARK: - Table

    @discardableResult
    private func withWatch<Result>(_ socket: CInt, _ body: (inout Watch) -> Result) -> Result {
        let index = Int(socket)
        // libcurl names no negative one.
        guard index >= 0 else {
            var none = Watch()
            return body(&none)
        }
        while watches.count <= index { watches.append(Watch()) }
        return body(&watches[index])
    }
}
