import BelayTrust
import CSystem
import Glibc

/// What a server does: takes connections and serves each in a task of its own.
struct TLSService: Sendable {
    let configuration: TLSServerConfiguration
    let context: TLSContext
    let state: TLSServerState
    let loop: EventLoop

    func accept(from listener: Socket) async {
        let never = Deadline(after: .seconds(Int64.max))
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let descriptor = belay_accept_nonblocking(listener.descriptor)
                if descriptor >= 0 {
                    state.update { $0.connections += 1 }
                    let address = listener.localAddress
                    group.addTask {
                        await serve(accepting: descriptor, at: address)
                        state.update { $0.served += 1 }
                    }
                    continue
                }
                switch errno {
                case EAGAIN:
                    guard case .ready = await loop.readiness(of: listener, for: .read, until: never) else { return }
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    // Descriptors come back when connections end; asking at once would only spin.
                    guard case .timedOut = await loop.sleep(until: Deadline(after: .milliseconds(20))) else { return }
                case EINTR, ECONNABORTED, EPROTO, ENETDOWN, EHOSTUNREACH, ENETUNREACH, EOPNOTSUPP: continue
                default: return
                }
            }
        }
    }

    /// Serves one connection. Its socket belongs to nobody outside, so that it is closed when this returns.
    private func serve(accepting descriptor: CInt, at address: SocketAddress?) async {
        let socket = Socket(adopting: descriptor, loop: loop)
        socket.setOption(CInt(IPPROTO_TCP), TCP_NODELAY, 1)
        let peer = socket.peerAddress?.description ?? ""
        let subject = TLSStream.Subject(
            endpoint: TLSEndpoint(host: address?.host ?? "", port: address?.port ?? 0), peerAddress: peer,
            offered: configuration.minimumVersion...configuration.maximumVersion, hasIdentity: false)
        if let misbehaviour = configuration.misbehaviour {
            let script = TLSScript(
                socket: RawConnection(socket: socket, limit: configuration.timeouts.handshake, state: state),
                context: context)
            return await script.play(misbehaviour)
        }
        if let preamble = configuration.preamble {
            let raw = RawConnection(socket: socket, limit: configuration.timeouts.handshake, state: state)
            guard await preamble(raw) else { return }
        }
        do throws(TLSError) {
            let stream = try TLSStream(context: context, socket: socket, subject: subject) {
                session throws(Unprepared) in session.prepareServer()
            }
            let handshake = try await stream.handshake(within: configuration.timeouts.handshake)
            state.update { $0.handshakes += 1 }
            let connection = TLSServerConnection(
                handshake, peerAddress: peer, stream: stream, timeouts: configuration.timeouts, state: state)
            do throws(TLSError) { try await configuration.handler(connection) } catch { state.fail(error) }
            await connection.close()
        } catch {
            state.fail(error)
        }
    }
}
