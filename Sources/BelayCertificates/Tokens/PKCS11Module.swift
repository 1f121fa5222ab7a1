import COpenSSL
import CP11
import Glibc

/// A PKCS#11 module with its tokens: the only owner of libp11's objects. Whoever uses it holds the lock of ``PKCS11Modules``.
final class PKCS11Module {
    private let library: PKCS11Library
    private let context: UnsafeMutablePointer<PKCS11_CTX>
    // libp11 0.4.12 cannot bring the list up to date (PKCS11_update_slots crashes where there are several slots), and releasing a part
    // of it would end sessions that others use. So it is read once for as long as the module is open.
    private let slots: UnsafeMutableBufferPointer<PKCS11_SLOT>
    /// The PINs that opened tokens, by the index of their slot. libp11 keeps them as well.
    private var pins: [Int: Secret] = [:]
    private var prepared: Set<OpaquePointer> = []

    /// A private key in its place.
    struct Key {
        let module: PKCS11Module
        let token: UnsafeMutablePointer<PKCS11_TOKEN>
        let key: UnsafeMutablePointer<PKCS11_KEY>
        /// Label and identifier, for people.
        let name: String
        let id: [UInt8]
    }

    /// Loads a module and looks for tokens.
    ///
    /// - Parameter isNamed: whether somebody named it, and it is not the default.
    init(_ path: String, isNamed: Bool, _ library: PKCS11Library) throws(PKCS11Error) {
        self.library = library
        let functions = library.functions
        // By the loader first: it says what is wrong with a file, and libp11 does not.
        let (handle, reason) = PKCS11Library.open(path)
        guard let handle else { throw isNamed ? .moduleUnusable(path, reason: reason) : .noDefaultModule(reason) }
        defer { dlclose(handle) }
        guard dlsym(handle, "C_GetFunctionList") != nil else {
            throw .moduleUnusable(path, reason: "it is a library and no PKCS#11 module")
        }
        ERR_clear_error()
        guard let context = functions.context_new() else { throw .moduleUnusable(path, reason: "out of memory") }
        guard functions.context_load(context, path) == 0 else {
            let reason = OpenSSLErrors.take().reason
            functions.context_free(context)
            throw .moduleUnusable(path, reason: reason)
        }
        self.context = context
        _ = functions.set_ui_method(context, library.silence, nil)
        var slots: UnsafeMutablePointer<PKCS11_SLOT>?
        var count: UInt32 = 0
        guard functions.enumerate_slots(context, &slots, &count) == 0 else {
            let reason = OpenSSLErrors.take().reason
            functions.context_unload(context)
            functions.context_free(context)
            throw .moduleUnusable(path, reason: reason)
        }
        self.slots = UnsafeMutableBufferPointer(start: slots, count: Int(count))
    }

    /// Closes the module; it must not be used afterwards, nor any key of it.
    func close() {
        library.functions.release_all_slots(context, slots.baseAddress, UInt32(clamping: slots.count))
        library.functions.context_unload(context)
        library.functions.context_free(context)
        ERR_clear_error()
    }

    /// Finds the one private key that is as a URI says.
    ///
    /// Tokens that want no PIN are searched first. The PIN is given to one token only, once.
    ///
    /// - Parameter isAlone: whether nobody uses a key of any module, so that sessions may be ended.
    func find(_ uri: PKCS11URI, pin: Secret?, isAlone: Bool) throws(PKCS11Error) -> Key {
        let matching = tokens.filter { uri.describes($0.token.pointee) }
        guard !matching.isEmpty else { throw .noSuchToken(uri, among: tokens.map { $0.token.pointee.name }) }
        var seen: [String] = []
        var found: [Key] = []
        for place in matching where place.token.pointee.loginRequired == 0 {
            let keys = try keys(on: place.token)
            seen += keys.map(\.name)
            found += keys.filter { uri.describes($0) }
        }
        let closed = matching.filter { $0.token.pointee.loginRequired != 0 }
        if found.isEmpty, !closed.isEmpty {
            guard closed.count == 1 else { throw .severalTokens(closed.map { $0.token.pointee.nameWithSerial }) }
            try open(closed[0], pin, isAlone)
            let keys = try keys(on: closed[0].token)
            seen += keys.map(\.name)
            found += keys.filter { uri.describes($0) }
        }
        guard found.count <= 1 else { throw .severalKeys(found.map(\.name)) }
        guard let key = found.first else {
            throw .noSuchKey(uri, token: (closed.first ?? matching[0]).token.pointee.name, among: seen)
        }
        return key
    }

    /// The certificates on a token, with their identifiers.
    func certificates(on token: UnsafeMutablePointer<PKCS11_TOKEN>) throws(PKCS11Error) -> [(id: [UInt8], der: [UInt8])]
    {
        var list: UnsafeMutablePointer<PKCS11_CERT>?
        var count: UInt32 = 0
        ERR_clear_error()
        guard library.functions.enumerate_certs(token, &list, &count) == 0 else {
            throw .tokenUnusable(token: token.pointee.name, reason: OpenSSLErrors.take().reason)
        }
        return UnsafeBufferPointer(start: list, count: Int(count)).compactMap { certificate in
            guard let x509 = certificate.x509, let der = opensslDER({ i2d_X509(x509, $0) }) else { return nil }
            return (Array(UnsafeBufferPointer(start: certificate.id, count: certificate.id_len)), der)
        }
    }

    /// A key as OpenSSL's; the caller owns a reference.
    fileprivate func take(_ key: Key) throws(PKCS11Error) -> OpaquePointer {
        ERR_clear_error()
        guard let pointer = library.functions.get_private_key(key.key) else {
            throw .cannotSign(key: key.name, reason: OpenSSLErrors.take().reason)
        }
        // libp11 gives the same object each time. It is changed before anybody has it, and never again.
        if !prepared.contains(pointer) {
            guard belay_p11_use_engine(pointer, library.engine) == 1 else {
                EVP_PKEY_free(pointer)
                throw .cannotSign(key: key.name, reason: OpenSSLErrors.take().reason)
            }
            prepared.insert(pointer)
        }
        return pointer
    }

    private struct Place {
        let slot: Int
        let token: UnsafeMutablePointer<PKCS11_TOKEN>
    }

    private var tokens: [Place] {
        slots.enumerated().compactMap { index, slot in
            guard let token = slot.token, token.pointee.initialized != 0 else { return nil }
            return Place(slot: index, token: token)
        }
    }

    private func keys(on token: UnsafeMutablePointer<PKCS11_TOKEN>) throws(PKCS11Error) -> [Key] {
        var list: UnsafeMutablePointer<PKCS11_KEY>?
        var count: UInt32 = 0
        ERR_clear_error()
        guard library.functions.enumerate_keys(token, &list, &count) == 0 else {
            throw .tokenUnusable(token: token.pointee.name, reason: OpenSSLErrors.take().reason)
        }
        guard let list else { return [] }
        return (0..<Int(count)).map { index in
            let key = list[index]
            let id = Array(UnsafeBufferPointer(start: key.id, count: key.id_len))
            let label = key.label.map { String(cString: $0) } ?? ""
            return Key(
                module: self, token: token, key: list + index,
                name: label + (id.isEmpty ? "" : " (id \(hexadecimal(id)))"), id: id)
        }
    }
}

extension PKCS11Module {
    /// Gives a token its PIN, once.
    private func open(_ place: Place, _ pin: Secret?, _ isAlone: Bool) throws(PKCS11Error) {
        let token = place.token.pointee
        // A keypad of its own asks for the PIN; then none is handed over.
        let hasKeypad = token.secureLogin != 0
        guard let slots = slots.baseAddress else { return }
        if let known = pins[place.slot] {
            // The token would let anybody in by now who is in this process.
            guard let pin else { throw .pinNeeded(token: token.name) }
            guard pin == known else { throw .wrongPIN(token: token.name, .unknown) }
            return
        }
        if token.userPinLocked != 0 { throw .pinLocked(token: token.name) }
        guard hasKeypad || pin?.isEmpty == false else { throw .pinNeeded(token: token.name) }
        ERR_clear_error()
        let result: Int32
        if let pin, !hasKeypad {
            guard !pin.withUnsafeBytes({ $0.contains(0) }) else { throw .unusablePIN("holds a zero byte") }
            let terminated = Secret(joining: pin, Secret(count: 1) { _ in })
            result = terminated.withUnsafeBytes {
                library.functions.login(slots + place.slot, 0, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
            }
        } else {
            result = library.functions.login(slots + place.slot, 0, nil)
        }
        guard result != 0 else {
            if !hasKeypad { pins[place.slot] = pin }
            return
        }
        throw refusal(token, isAlone)
    }

    /// Why a token did not take its PIN.
    private func refusal(_ token: PKCS11_TOKEN, _ isAlone: Bool) -> PKCS11Error {
        // The last: modules that use OpenSSL themselves leave their own before it.
        let code = ERR_peek_last_error()
        let isOfModule = ERR_GET_LIB(code) == library.functions.error_library()
        let value = isOfModule ? ERR_GET_REASON(code) : 0
        let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason given"
        ERR_clear_error()
        // The values of CKR_… in PKCS #11 v2.40, appendix B.
        switch value {
        case 0xA0: return .wrongPIN(token: token.name, isAlone ? state(of: token) : .unknown)
        case 0xA1, 0xA2: return .unusablePIN("is of no form that the token takes (\(reason))")
        case 0xA4: return .pinLocked(token: token.name)
        default: return .loginRefused(token: token.name, reason: reason)
        }
    }

    /// What a token tells about wrong PINs by now. It ends sessions on all tokens.
    private func state(of token: PKCS11_TOKEN) -> PKCS11Error.PINState {
        var slots: UnsafeMutablePointer<PKCS11_SLOT>?
        var count: UInt32 = 0
        guard library.functions.enumerate_slots(context, &slots, &count) == 0 else { return .unknown }
        defer { library.functions.release_all_slots(context, slots, count) }
        let now = UnsafeBufferPointer(start: slots, count: Int(count)).lazy.compactMap { $0.token?.pointee }
            .first { $0.name == token.name && $0.serial == token.serial }
        guard let now else { return .unknown }
        return now.userPinFinalTry != 0 ? .lastTry : now.userPinCountLow != 0 ? .low : .unknown
    }
}

extension PKCS11Module.Key {
    /// The key as OpenSSL's; the caller owns a reference.
    func take() throws(PKCS11Error) -> OpaquePointer { try module.take(self) }
}

extension PKCS11_TOKEN {
    /// The label.
    fileprivate var name: String { label.map { String(cString: $0) } ?? "" }
    fileprivate var serial: String { serialnr.map { String(cString: $0) } ?? "" }
    fileprivate var nameWithSerial: String { "\(name) (serial \(serial))" }
}

extension PKCS11URI {
    fileprivate func describes(_ candidate: PKCS11_TOKEN) -> Bool {
        func fits(_ wanted: String?, _ found: UnsafeMutablePointer<CChar>?) -> Bool {
            wanted.map { $0 == found.map { String(cString: $0) } ?? "" } ?? true
        }
        return fits(token, candidate.label) && fits(serial, candidate.serialnr)
            && fits(manufacturer, candidate.manufacturer) && fits(model, candidate.model)
    }

    fileprivate func describes(_ candidate: PKCS11Module.Key) -> Bool {
        guard id.map({ $0 == candidate.id }) ?? true else { return false }
        let label = candidate.key.pointee.label.map { String(cString: $0) } ?? ""
        return object.map { $0 == label } ?? true
    }
}
