import BelayTLS
import CCurl
import CSystem
import Glibc

/// The part of the engine that its thread holds: libcurl's handles, the sockets, and the transfers that are under way.
final class EngineCore: @unchecked Sendable {
    // Safe to share: `mailbox` and `epoll` are constants that any thread may use (an object of its own, and a descriptor that is
    // closed when the last reference goes). Everything else is touched by the engine's thread alone, from `start` to the end
    // of `run`; until then only the initializer has seen it.
    private let epoll: CInt
    private let mailbox: EngineMailbox
    private let settings: EngineSettings
    private var multi: OpaquePointer?
    private var share: OpaquePointer?
    private var active: [UInt64: Transfer] = [:]
    private var idle: [EasyHandle] = []
    /// Transfers that wait for a server to say how many it takes, in their order.
    private var waiting: [Transfer] = []
    /// Exchanges that have ended, and who waits for them.
    private var answers: [(UnsafeContinuation<TransferOutcome, Never>, TransferOutcome)] = []
    private let sockets: EngineSockets
    /// When libcurl wants to be called, in nanoseconds of the monotonic clock; nil for never.
    private var due: Int64?
    /// When the limits of the transfers are to be looked at, by the same clock; nil while there are none.
    private var nextCheck: Int64?
    private static let checkInterval: Int64 = 250_000_000

    /// Memory that comes free is kept, up to twice as many bytes, for the next responses; glibc learns to keep up to 64 MiB by itself.
    private static let keptMemory = 4 << 20

    private static let wakeToken = UInt64.max
    private static let idleLimit = 512
    /// How many of the idle handles are looked at for one that fits.
    private static let idleSearch = 8
    /// How often the mailbox is read before the network is looked at again.
    private static let readings = 4
    /// How often connections are read on before the others have their turn.
    private static let readingsInARow = 16

    init(settings: EngineSettings) throws(EngineError) {
        // libcurl would make the file that SSLKEYLOGFILE names, though nobody asked the session for it.
        belay_hide_variable("SSLKEYLOGFILE")
        let code = belay_curl_global_init(belay_copy_text)
        belay_hide_variable(nil)
        guard code == CURLE_OK else {
            throw EngineError(call: "curl_global_init", code: 0)
        }
        self.settings = settings
        mailbox = try EngineMailbox()
        epoll = belay_epoll_create()
        guard epoll >= 0 else { throw EngineError(call: "epoll_create1", code: errno) }
        sockets = EngineSockets(epoll: epoll)
        guard belay_epoll_watch_always(epoll, mailbox.descriptor, EngineCore.wakeToken) == 0 else {
            throw EngineError(call: "epoll_ctl", code: errno)
        }
        multi = curl_multi_init().map { OpaquePointer($0) }
        share = curl_share_init().map { OpaquePointer($0) }
        guard multi != nil, share != nil else { throw EngineError(call: "curl_multi_init", code: ENOMEM) }
    }

    deinit {
        if epoll >= 0 { close(epoll) }
    }

    func start() throws(EngineError) {
        let held = Unmanaged.passRetained(self)
        let failure = belay_start_detached_thread(
            { argument in
                guard let argument else { return nil }
                belay_name_current_thread("belay-session")
                Unmanaged<EngineCore>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, held.toOpaque())
        guard failure == 0 else {
            held.release()
            throw EngineError(call: "pthread_create", code: failure)
        }
    }

    /// Puts a letter into the mailbox. False when the engine has stopped, and nobody will read it.
    func post(_ letter: EngineMailbox.Letter) -> Bool { mailbox.post(letter) }

    // MARK: - The thread

    private func run() {
        guard let multi, let share else { return }
        prepare(UnsafeMutableRawPointer(multi), UnsafeMutableRawPointer(share))
        loop(UnsafeMutableRawPointer(multi))
        end(UnsafeMutableRawPointer(multi), UnsafeMutableRawPointer(share))
    }

    private func prepare(_ multi: UnsafeMutableRawPointer, _ share: UnsafeMutableRawPointer) {
        belay_keep_freed_memory(EngineCore.keptMemory)
        let held = Unmanaged.passUnretained(self).toOpaque()
        belay_curl_multi_set_socket_callback(multi) { _, socket, what, held, _ in
            guard let held else { return 0 }
            Unmanaged<EngineCore>.fromOpaque(held).takeUnretainedValue().watch(socket, what)
            return 0
        }
        belay_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, held)
        belay_curl_multi_set_timer_callback(multi) { _, milliseconds, held in
            guard let held else { return 0 }
            Unmanaged<EngineCore>.fromOpaque(held).takeUnretainedValue().setTimer(milliseconds)
            return 0
        }
        belay_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, held)
        belay_curl_multi_set_number(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        belay_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, settings.maximumIdleConnections)
        belay_curl_multi_set_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.maximumConnectionsPerHost)
        // One thread: no locks are needed.
        if settings.usesCookies { belay_curl_share_data(share, CURL_LOCK_DATA_COOKIE) }
        if settings.resumesSessions { belay_curl_share_data(share, CURL_LOCK_DATA_SSL_SESSION) }
    }

    private func loop(_ multi: UnsafeMutableRawPointer) {
        var tokens = [UInt64](repeating: 0, count: 64)
        var directions = [UInt32](repeating: 0, count: 64)
        var running: CInt = 0
        var letters: [EngineMailbox.Letter] = []
        var rest = Rest.nothing
        while true {
            var next = Next.waits
            // What tasks on this thread ask for is begun at once, as long as they do not keep the network waiting.
            for _ in 0..<EngineCore.readings {
                mailbox.take(&letters)
                next = read(letters, multi)
                if !waiting.isEmpty { resumeWaiting(multi) }
                answer()
                if next != .hasRun { break }
            }
            if next == .ends { break }
            // What has begun goes out before anything is waited for.
            if fireTimer(multi) {
                collect(multi)
                answer()
            }
            sockets.flush()
            sockets.applyChanges()
            let count = belay_epoll_wait_until(
                epoll, &tokens, &directions, CInt(tokens.count), letters.isEmpty ? patience(after: rest) : 0)
            if count < 0, errno != EINTR { break }
            mailbox.noteAwake()
            if count >= 0, count < tokens.count { sockets.noteTurn() }
            for index in 0..<max(0, Int(count)) {
                if tokens[index] == EngineCore.wakeToken {
                    mailbox.clearWake()
                    continue
                }
                act(on: CInt(truncatingIfNeeded: tokens[index]), directions[index], multi)
            }
            for socket in sockets.takeFailed() {
                curl_multi_socket_action(multi, socket, CInt(CURL_CSELECT_ERR), &running)
            }
            fireTimer(multi)
            rest = readOn(multi)
            collect(multi)
            answer()
            if let nextCheck, nextCheck <= EngineCore.now {
                endExpired(multi)
                answer()
            }
        }
    }

    /// Has libcurl read and write where a socket is ready.
    private func act(on socket: CInt, _ bits: UInt32, _ multi: UnsafeMutableRawPointer) {
        let awaited = sockets.awaited(socket, bits & 3)
        guard awaited != 0 || bits & 4 != 0 && sockets.isAwaited(socket) else { return }
        var running: CInt = 0
        curl_multi_socket_action(multi, socket, CInt(awaited | bits & 4), &running)
    }

    /// Has libcurl read on where more has been read from a socket than it was given: it looks at nothing but the socket.
    private func readOn(_ multi: UnsafeMutableRawPointer) -> Rest {
        var running: CInt = 0
        var before: [EngineSockets.Unread] = []
        for _ in 0..<EngineCore.readingsInARow {
            let unread = sockets.takeUnread()
            if unread.isEmpty { return .nothing }
            for found in unread where sockets.isUnread(found.socket) {
                curl_multi_socket_action(multi, found.socket, CInt(CURL_CSELECT_IN), &running)
            }
            if unread == before { return .unwanted }
            before = unread
        }
        return .some
    }

    /// What is left after reading on.
    private enum Rest {
        case nothing
        /// The others have their turn.
        case some
        /// libcurl does not want to read for now, though it said so.
        case unwanted
    }

    /// Has libcurl do what it has to do by now. False where that is nothing.
    @discardableResult
    private func fireTimer(_ multi: UnsafeMutableRawPointer) -> Bool {
        guard let due, due <= EngineCore.now else { return false }
        self.due = nil
        var running: CInt = 0
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        return true
    }

    /// How long to wait for the sockets, in milliseconds; -1 for as long as it takes.
    private func patience(after rest: Rest) -> CInt {
        switch rest {
        case .nothing: break
        case .some: return 0
        // Nobody turns round and round for it.
        case .unwanted: return 1
        }
        guard let due = due ?? nextCheck else { return -1 }
        let rest = min(due, nextCheck ?? due) - EngineCore.now
        return rest <= 0 ? 0 : CInt(clamping: (rest + 999_999) / 1_000_000)
    }

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    private func setTimer(_ milliseconds: Int) {
        due = milliseconds < 0 ? nil : EngineCore.now &+ Int64(min(milliseconds, 1 << 40)) &* 1_000_000
    }

    private func watch(_ socket: CInt, _ what: CInt) {
        switch what {
        case CURL_POLL_IN: sockets.want(socket, 1)
        case CURL_POLL_OUT: sockets.want(socket, 2)
        case CURL_POLL_INOUT: sockets.want(socket, 3)
        default: sockets.want(socket, 0)
        }
    }

    // MARK: - Transfers

    /// What comes after a reading of the mailbox.
    private enum Next {
        case waits
        /// Parts of tasks have run, and may have written letters.
        case hasRun
        case ends
    }

    /// Does what the letters say.
    private func read(_ letters: [EngineMailbox.Letter], _ multi: UnsafeMutableRawPointer) -> Next {
        var next = Next.waits
        for letter in letters {
            switch letter {
            case .start(let letter): begin(letter, multi)
            case .cancel(let identifier):
                guard let transfer = active.removeValue(forKey: identifier) else { continue }
                let phase = transfer.phase
                curl_multi_remove_handle(multi, transfer.easy.pointer)
                finish(transfer, TransferOutcome(failure: .cancelled(phase)))
            case .run(let job, let executor):
                job.runSynchronously(on: executor)
                if next == .waits { next = .hasRun }
            case .stop: next = .ends
            }
        }
        return next
    }

    private func begin(_ letter: TransferLetter, _ multi: UnsafeMutableRawPointer) {
        guard let easy = idleHandle(for: letter.order) ?? EasyHandle(sockets: sockets) else {
            letter.continuation.resume(returning: TransferOutcome(failure: .unusable("out of memory")))
            return
        }
        let now = EngineCore.now
        let transfer = Transfer(letter, easy: easy, now: now)
        if nextCheck == nil { nextCheck = now + EngineCore.checkInterval }
        easy.transfer = transfer
        guard transfer.prepare(sharing: share, usesCookies: settings.usesCookies) else {
            let text = easy.refusedOption.map { String(cString: curl_easy_strerror($0)) } ?? "an option was refused"
            finish(transfer, TransferOutcome(failure: .unusable(text)))
            return
        }
        active[letter.identifier] = transfer
        add(transfer, multi)
    }

    /// A handle that is free: best one that was set up for such an order before.
    private func idleHandle(for order: TransferOrder) -> EasyHandle? {
        if order.isRepeatable {
            for index in idle.indices.suffix(EngineCore.idleSearch).reversed() where idle[index].isPrepared(for: order)
            {
                idle.swapAt(index, idle.endIndex - 1)
                break
            }
        }
        return idle.popLast()
    }

    private func collect(_ multi: UnsafeMutableRawPointer) {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message is gone once its handle is.
            let result = belay_curl_message_result(message)
            var held: UnsafeMutableRawPointer?
            belay_curl_pointer(easy, CURLINFO_PRIVATE, &held)
            guard let held else { continue }
            guard let transfer = EasyHandle.transfer(held) else { continue }
            guard transfer.sending.awaited == nil else {
                curl_multi_remove_handle(multi, easy)
                if transfer.sending.waitingSince == nil { transfer.sending.waitingSince = EngineCore.now }
                waiting.append(transfer)
                continue
            }
            if transfer.sending.leavesConnection {
                // libcurl has closed that one; there is an end to them.
                transfer.sending.leavesConnection = false
                curl_multi_remove_handle(multi, easy)
                transfer.resume(at: EngineCore.now)
                add(transfer, multi)
                continue
            }
            if transfer.mayBeTriedAgain(result) {
                curl_multi_remove_handle(multi, easy)
                transfer.resume(at: EngineCore.now)
                transfer.easy.forgetOptions()
                if transfer.prepare(sharing: share, usesCookies: settings.usesCookies) {
                    add(transfer, multi)
                    continue
                }
            }
            let outcome = transfer.outcome(result)
            curl_multi_remove_handle(multi, easy)
            active.removeValue(forKey: transfer.letter.identifier)
            finish(transfer, outcome)
        }
    }

    /// Has those look for a connection again that have waited for a server's word, and got it.
    private func resumeWaiting(_ multi: UnsafeMutableRawPointer) {
        let resumed = waiting.filter(\.hasWaited)
        guard !resumed.isEmpty else { return }
        waiting.removeAll(where: \.hasWaited)
        let now = EngineCore.now
        for transfer in resumed where active[transfer.letter.identifier] != nil {
            transfer.resume(at: now)
            add(transfer, multi)
        }
    }

    private func add(_ transfer: Transfer, _ multi: UnsafeMutableRawPointer) {
        let code = curl_multi_add_handle(multi, transfer.easy.pointer)
        guard code != CURLM_OK else { return }
        active.removeValue(forKey: transfer.letter.identifier)
        finish(transfer, TransferOutcome(failure: .unusable(String(cString: curl_multi_strerror(code)))))
    }

    /// Ends the transfers that have reached a limit of theirs.
    private func endExpired(_ multi: UnsafeMutableRawPointer) {
        let now = EngineCore.now
        nextCheck = active.isEmpty ? nil : now + EngineCore.checkInterval
        let answering = Set(active.values.lazy.filter(\.isUnderWay).map(\.order.terms.identifier))
        for transfer in Array(active.values) {
            let hostAnswers = answering.contains(transfer.order.terms.identifier)
            guard let failure = transfer.expired(at: now, hostAnswers: hostAnswers) else { continue }
            let outcome = transfer.outcome(endedBy: failure)
            curl_multi_remove_handle(multi, transfer.easy.pointer)
            active.removeValue(forKey: transfer.letter.identifier)
            finish(transfer, outcome)
        }
    }

    /// Lets those go on whose exchanges have ended.
    ///
    /// All at once: a thread that is woken for each of them falls asleep in between.
    private func answer() {
        answers.reverse()
        while let (continuation, outcome) = answers.popLast() { continuation.resume(returning: outcome) }
    }

    private func finish(_ transfer: Transfer, _ outcome: TransferOutcome) {
        transfer.easy.transfer = nil
        transfer.leaveConnection()
        // libcurl counts how often it has sent again over the life of the handle, and remembers that a stream was refused.
        let isSpent = transfer.sending.count > 1 || transfer.sending.isUnanswered
        if idle.count < EngineCore.idleLimit, !isSpent {
            // Bodies and passwords are not kept for nothing.
            if !transfer.order.isRepeatable { transfer.easy.reset() }
            idle.append(transfer.easy)
        }
        answers.append((transfer.letter.continuation, outcome))
    }

    private func end(_ multi: UnsafeMutableRawPointer, _ share: UnsafeMutableRawPointer) {
        for letter in mailbox.close() {
            switch letter {
            case .start(let letter):
                letter.continuation.resume(returning: TransferOutcome(failure: .cancelled(.prepare)))
            // This thread still is the executor's.
            case .run(let job, let executor): job.runSynchronously(on: executor)
            case .cancel, .stop: continue
            }
        }
        for transfer in active.values {
            curl_multi_remove_handle(multi, transfer.easy.pointer)
            transfer.easy.transfer = nil
            transfer.letter.continuation.resume(returning: TransferOutcome(failure: .cancelled(.prepare)))
        }
        answer()
        active.removeAll()
        idle.removeAll()
        curl_multi_cleanup(multi)
        curl_share_cleanup(share)
        self.multi = nil
        self.share = nil
    }
}

/// What holds for all transfers of an engine.
struct EngineSettings: Sendable, Hashable {
    /// Connections that are kept for later.
    var maximumIdleConnections = 256
    /// Connections to one host and port at a time.
    var maximumConnectionsPerHost = 64
    /// Whether cookies are kept and sent back.
    var usesCookies = true
    /// Whether TLS sessions are resumed.
    var resumesSessions = true
}

/// The machine could not give an engine what it needs.
struct EngineError: Error, Sendable, Hashable {
    let call: String
    let code: Int32
}
