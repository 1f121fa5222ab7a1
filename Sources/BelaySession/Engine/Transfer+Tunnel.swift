import CCurl
import Glibc

/// The way through a proxy to a server that is spoken to by TLS: CONNECT and the proxy's answer (RFC 9110, section 9.3.6).
///
/// libcurl reads that answer byte by byte, and comes back to its caller only when nothing is left to be read: a proxy that
/// never stops would hold its thread, and every other exchange with it, beyond any limit. It asks after each byte whether to go on.
extension Transfer {
    /// How much a proxy may answer to CONNECT, in bytes: pages that explain a refusal have a few thousand.
    ///
    /// So much takes some hundredths of a second, during which no other exchange goes on.
    private static let longestTunnelAnswer = 64 << 10
    /// How many bytes are read between two looks at the clock.
    private static let tunnelStepsPerLook = 4 << 10

    /// Where the environment may name a proxy for https.
    private static let proxyVariables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    static let progressCallback: curl_xferinfo_callback = { argument, _, _, _, _ in
        guard let argument, let transfer = EasyHandle.transfer(argument) else { return 0 }
        return transfer.mayGoOnTunnelling() ? 0 : 1
    }

    /// Whether the exchange may go through a proxy by CONNECT. The question costs each exchange something whose handle is asked it.
    var mayTunnel: Bool {
        guard order.isEncrypted, order.settings.route.unixSocket == nil else { return false }
        switch order.settings.route.proxy {
        case .none: return false
        case .url(let url): return !url.drop { $0.isWhitespace }.lowercased().hasPrefix("socks")
        // libcurl reads them whenever it looks for a connection.
        case .environment:
            return Transfer.proxyVariables.contains { name in getenv(name).map { $0.pointee != 0 } ?? false }
        }
    }

    private func mayGoOnTunnelling() -> Bool {
        // Once TLS begins, the tunnel stands, or there is none.
        guard let phase = entered?.phase, phase == .connect || phase == .tunnel, ending == nil else { return true }
        if phase == .connect, hasConnectedSocket { enter(.tunnel) }
        tunnelSteps += 1
        guard tunnelSteps <= Transfer.longestTunnelAnswer else {
            ending = .proxy((tunnelRefusal ?? "it answered to CONNECT") + ", without an end after 64 KiB")
            return false
        }
        if tunnelSteps.isMultiple(of: Transfer.tunnelStepsPerLook) {
            ending = expired(at: EngineCore.now, hostAnswers: false)
        }
        return ending == nil
    }

    /// Whether one of the sockets that were opened for the exchange has its connection.
    private var hasConnectedSocket: Bool {
        sending.sockets.contains { socket in
            var address = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) == 0 }
            }
        }
    }

    /// How the proxy refused a tunnel; nil where it did not.
    var tunnelRefusal: String? {
        let status = easy.number(CURLINFO_HTTP_CONNECTCODE)
        guard status != 0, !(200..<300).contains(status) else { return nil }
        return "it answered \(status) to CONNECT"
    }

    /// What libcurl's words for a tunnel that failed before the proxy had answered mean; nil for other words.
    static func tunnelFailure(_ text: String) -> String? {
        if text.hasPrefix("CONNECT tunnel failed") || text.hasPrefix("CONNECT response too large") {
            return "its answer to CONNECT is none of HTTP's"
        }
        return text.hasPrefix("Proxy CONNECT aborted") ? "it ended the connection without an answer to CONNECT" : nil
    }
}
