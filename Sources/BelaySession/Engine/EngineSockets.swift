import CSystem
import Glibc

/// The sockets of an engine's connections: for what the kernel watches them.
///
/// libcurl wants a socket watched when an exchange begins and no longer when it ends. A system call for each would cost a small
/// exchange a twentieth of its time; so the kernel is told before the thread waits, of what differs then, and a connection that is
/// kept stays with it until something happens there.
///
/// Only the engine's thread touches it.
final class EngineSockets {
    private struct Watch {
        /// What libcurl wants to know of, and what the kernel tells of: 1 to read, 2 to write.
        var wanted: UInt32 = 0
        var registered: UInt32 = 0
        /// Whether the engine is told when it is closed. The number of another one can be somebody else's at any time.
        var isOwn = false
    }

    private let epoll: CInt
    /// By descriptor.
    private var watches: [Watch] = []
    private var changed: [CInt] = []
    /// Those that the kernel did not take, or that were closed and opened again without a word.
    private(set) var failed: [CInt] = []

    init(epoll: CInt) { self.epoll = epoll }

    /// A socket was opened for a connection.
    func opened(_ socket: CInt) {
        withWatch(socket) { $0 = Watch(isOwn: true) }
    }

    /// Closes a socket, and with it the kernel's watch.
    func close(_ socket: CInt) -> CInt {
        withWatch(socket) { $0 = Watch() }
        return Glibc.close(socket)
    }

    /// libcurl wants to know when a socket can be read (1) or written (2), or both; 0 for no longer.
    func want(_ socket: CInt, _ directions: UInt32) {
        let isOwn = withWatch(socket) { watch in
            watch.wanted = directions
            return watch.isOwn
        }
        if isOwn { changed.append(socket) } else { apply(socket) }
    }

    /// Tells the kernel what has changed since it was told last.
    func applyChanges() {
        for socket in changed { apply(socket) }
        changed.removeAll(keepingCapacity: true)
    }

    /// Whether somebody waits for what has happened on a socket. Where nobody does, it happens to a connection that is kept, and
    /// will be seen when that is to be used again.
    func isAwaited(_ socket: CInt) -> Bool {
        withWatch(socket) { watch in
            guard watch.wanted == 0 else { return true }
            if watch.registered != 0, belay_epoll_watch(epoll, 1, socket, 0) == 0 { watch.registered = 0 }
            return false
        }
    }

    /// Those that failed since the last call.
    func takeFailed() -> [CInt] {
        defer { failed.removeAll() }
        return failed
    }

    private func apply(_ socket: CInt) {
        let isFine = withWatch(socket) { watch in
            // A connection that is kept is used again soon.
            if watch.wanted == watch.registered || watch.isOwn && watch.wanted == 0 { return true }
            let isKnown = watch.registered != 0
            // It was closed and opened again without a word, or the kernel takes no more: the transfer must not hang.
            let isTaken =
                belay_epoll_watch(epoll, isKnown ? 1 : 0, socket, watch.wanted) == 0
                || watch.wanted != 0 && belay_epoll_watch(epoll, isKnown ? 0 : 1, socket, watch.wanted) == 0
            watch.registered = isTaken ? watch.wanted : 0
            return isTaken || watch.wanted == 0
        }
        if !isFine { failed.append(socket) }
    }

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
