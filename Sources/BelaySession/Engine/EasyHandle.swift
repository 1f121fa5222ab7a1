import BelayCertificates
import CCurl

/// One easy handle of libcurl: the only owner of it and of what it points to.
///
/// Only the engine's thread touches it.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// Those of the engine, which outlives it.
    let sockets: EngineSockets
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var route: UnsafeMutablePointer<curl_slist>?
    private var body: UnsafeMutablePointer<UInt8>?
    private let errorText: UnsafeMutablePointer<CChar>
    /// The first option that libcurl did not take.
    private(set) var refusedOption: CURLcode?
    /// The exchange that it makes; nil while it is idle.
    var transfer: Transfer?
    /// What it was set up for, where an order of the same kind may find it so; nil where it has to be set up anew.
    private var preparedFor: TransferOrder?
    private var url: String?
    private var isReset = true

    init?(sockets: EngineSockets) {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        self.sockets = sockets
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        note(belay_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText))
    }

    /// The exchange of the handle that callbacks are given.
    static func transfer(_ argument: UnsafeMutableRawPointer) -> Transfer? {
        Unmanaged<EasyHandle>.fromOpaque(argument).takeUnretainedValue().transfer
    }

    deinit {
        curl_easy_cleanup(pointer)
        clear()
        errorText.deallocate()
    }

    /// Makes the handle ready for an order, with as few calls as that takes.
    ///
    /// Setting everything costs a tenth of a small exchange. libcurl keeps all options from one exchange to the next, so that
    /// a handle which had an order with equal options needs nothing but another URL.
    ///
    /// - Parameter setUp: sets everything but the URL, on a handle that is as new.
    func prepare(for order: TransferOrder, setUp: () -> Void) {
        errorText[0] = 0
        if !isPrepared(for: order) {
            if !isReset { reset() }
            isReset = false
            setUp()
            preparedFor = order.isRepeatable ? order : nil
        }
        if url?.hasSameBytes(as: order.url) != true {
            set(CURLOPT_URL, order.url)
            url = order.url
        }
        if refusedOption != nil { preparedFor = nil }
    }

    /// Whether an order would find everything set but for its URL.
    func isPrepared(for order: TransferOrder) -> Bool {
        guard order.isRepeatable, let preparedFor else { return false }
        return preparedFor.hasOptions(of: order)
    }

    /// Has the next exchange set everything anew.
    func forgetOptions() { preparedFor = nil }

    /// Forgets all options, for the next exchange.
    func reset() {
        // libcurl 7.88 forgets to free the list of cookie files on a reset.
        belay_curl_set_text(pointer, CURLOPT_COOKIEFILE, nil)
        curl_easy_reset(pointer)
        preparedFor = nil
        url = nil
        isReset = true
        clear()
        refusedOption = nil
        errorText[0] = 0
        note(belay_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText))
    }

    private func clear() {
        curl_slist_free_all(headers)
        headers = nil
        curl_slist_free_all(route)
        route = nil
        body?.deallocate()
        body = nil
    }

    /// libcurl's words for what went wrong; empty where it has none.
    var errorMessage: String { String(cString: errorText) }

    private func note(_ code: CURLcode) {
        if code != CURLE_OK, refusedOption == nil { refusedOption = code }
    }

    func set(_ option: CURLoption, _ value: Int) { note(belay_curl_set_number(pointer, option, value)) }
    func set(_ option: CURLoption, _ value: Bool) { set(option, value ? 1 : 0) }
    func set(_ option: CURLoption, _ value: String?) {
        if let value {
            note(belay_curl_set_text(pointer, option, value))
        } else {
            note(belay_curl_set_text(pointer, option, nil))
        }
    }
    /// Lends libcurl a secret, which makes a copy of its own.
    func set(_ option: CURLoption, _ value: Secret) {
        let terminated = Secret(joining: value, Secret([0]))
        terminated.withUnsafeBytes { bytes in
            note(belay_curl_set_text(pointer, option, bytes.baseAddress?.assumingMemoryBound(to: CChar.self)))
        }
    }
    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
        note(belay_curl_set_pointer(pointer, option, value))
    }
    func set(milliseconds option: CURLoption, _ value: Duration) {
        let (seconds, attoseconds) = value.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        // 0 would mean no limit.
        let number =
            overflow
            ? Int64.max : max(1, scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue)
        set(option, Int(min(number, 1 << 31 - 1)))
    }

    func setHeaders(_ lines: [String]) {
        for line in lines { headers = appended(line, to: headers) }
        if let headers { note(belay_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, headers)) }
    }

    func setConnectTo(_ text: String) {
        route = appended(text, to: route)
        if let route { note(belay_curl_set_pointer(pointer, CURLOPT_CONNECT_TO, route)) }
    }

    private func appended(
        _ text: String, to list: UnsafeMutablePointer<curl_slist>?
    ) -> UnsafeMutablePointer<curl_slist>? {
        guard let longer = curl_slist_append(list, text) else {
            refusedOption = refusedOption ?? CURLE_OUT_OF_MEMORY
            return list
        }
        return longer
    }

    /// Gives the request a body; the handle keeps a copy until it is reset.
    func setBody(_ bytes: [UInt8]) {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
        bytes.withUnsafeBufferPointer { source in
            if let base = source.baseAddress { copy.initialize(from: base, count: source.count) }
        }
        body = copy
        note(belay_curl_set_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count)))
        note(belay_curl_set_pointer(pointer, CURLOPT_POSTFIELDS, copy))
    }

    func setCallbacks() {
        let argument = Unmanaged.passUnretained(self).toOpaque()
        note(belay_curl_set_data_callback(pointer, CURLOPT_WRITEFUNCTION, Transfer.bodyCallback))
        set(CURLOPT_WRITEDATA, argument)
        note(belay_curl_set_data_callback(pointer, CURLOPT_HEADERFUNCTION, Transfer.headerCallback))
        set(CURLOPT_HEADERDATA, argument)
        note(belay_curl_set_context_callback(pointer, Transfer.contextCallback))
        set(CURLOPT_SSL_CTX_DATA, argument)
        note(belay_curl_set_prerequest_callback(pointer, Transfer.prerequestCallback))
        set(CURLOPT_PREREQDATA, argument)
        note(belay_curl_set_socket_callback(pointer, Transfer.socketCallback))
        set(CURLOPT_OPENSOCKETDATA, argument)
        // A connection may outlive the handle that it was made with.
        note(belay_curl_set_close_callback(pointer, Transfer.closeCallback))
        set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
        note(belay_curl_set_resolver_callback(pointer, Transfer.resolverCallback))
        set(CURLOPT_RESOLVER_START_DATA, argument)
        set(CURLOPT_PRIVATE, argument)
    }

    /// Lets libcurl ask now and then whether an exchange may go on.
    func setProgressCallback() {
        note(belay_curl_set_progress_callback(pointer, Transfer.progressCallback))
        set(CURLOPT_XFERINFODATA, Unmanaged.passUnretained(self).toOpaque())
        set(CURLOPT_NOPROGRESS, 0)
    }

    /// Says who is told what libcurl sends and does, once it is to tell.
    func setDebugCallback() {
        note(belay_curl_set_debug_callback(pointer, Transfer.debugCallback))
        set(CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Lets libcurl tell what it sends and does from now on.
    func tell() { set(CURLOPT_VERBOSE, 1) }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return belay_curl_number(pointer, info, &value) == CURLE_OK ? value : 0
    }

    func size(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return belay_curl_size(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard belay_curl_text(pointer, info, &value) == CURLE_OK, let value else { return nil }
        return String(cString: value)
    }

    /// The SSL of the connection; nil where there is none.
    var session: OpaquePointer? { belay_curl_ssl(pointer).map { OpaquePointer($0) } }

    /// Where the connection goes, for example `192.0.2.1:443`.
    var peerAddress: String? {
        guard let host = text(CURLINFO_PRIMARY_IP), !host.isEmpty else { return nil }
        let port = number(CURLINFO_PRIMARY_PORT)
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
