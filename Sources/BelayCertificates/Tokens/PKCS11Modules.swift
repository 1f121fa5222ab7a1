import Glibc

/// The PKCS#11 modules that this process has open.
///
/// The standard makes them a matter of the whole process: `C_Initialize` and `C_Finalize` act on all of its sessions, and whoever has
/// given the PIN has let in the process. So there is one place for them, with one lock around everything that looks for tokens and
/// keys. Signing goes around it: libp11 has locks of its own.
///
/// A module is closed again when no key came of it. Once one did, all stay open until the process ends: OpenSSL's connections may hold
/// the key for longer than anybody here can see.
struct PKCS11Modules {
    private var open: [String: PKCS11Module] = [:]
    private var hasKeys = false

    // Process-wide because the modules are; see above.
    static let ofThisProcess = Protected(PKCS11Modules())

    /// Finds a key, and lends its place to `body` before the lock is open again.
    mutating func find<Value>(
        _ uri: PKCS11URI, module: String?, pin: Secret?, _ body: (PKCS11Module.Key) throws(PKCS11Error) -> Value
    ) throws(PKCS11Error) -> Value {
        let library = try PKCS11Library.get()
        let path = try Self.path(module)
        let opened: PKCS11Module
        if let known = open[path] {
            opened = known
        } else {
            opened = try PKCS11Module(path, isNamed: module != nil, library)
            open[path] = opened
        }
        do throws(PKCS11Error) {
            let value = try body(opened.find(uri, pin: pin, isAlone: !hasKeys))
            hasKeys = true
            return value
        } catch {
            if !hasKeys {
                open[path] = nil
                opened.close()
            }
            throw error
        }
    }

    /// What to load: the module that is named, without links so that nothing is opened twice, or p11-kit's.
    private static func path(_ module: String?) throws(PKCS11Error) -> String {
        // Found by the dynamic loader, in the folder of this machine's kind.
        guard let module else { return "p11-kit-proxy.so" }
        guard let real = realpath(module, nil) else { throw .moduleMissing(module) }
        defer { free(real) }
        return String(cString: real)
    }
}
