import CP11
import Glibc

/// libp11, which makes keys on tokens into keys of OpenSSL's.
///
/// It is a library that may be missing, so it is not linked. It comes into the process when the first identity on a token is asked
/// for, by nothing else (no variable of the environment, no configuration of OpenSSL's), and stays until the process ends.
final class PKCS11Library: @unchecked Sendable {
    // Safe to share: what is here is set in `init` and never changed; the functions keep no state of their own but what is given to
    // them, and that is guarded by the lock of PKCS11Modules.
    let functions: belay_p11
    /// What keys on tokens sign with: an object of ours, known to no other key.
    let engine: OpaquePointer
    /// Answers no question; see the shim.
    let silence: OpaquePointer

    private init(_ functions: belay_p11, _ engine: OpaquePointer, _ silence: OpaquePointer) {
        self.functions = functions
        self.engine = engine
        self.silence = silence
    }

    // The one library of the process: loading it again would find the same one. It is a constant once it is there.
    private static let loaded: Result<PKCS11Library, PKCS11Error> = load()

    /// The library.
    ///
    /// - Throws: ``PKCS11Error/libraryMissing(_:)``; once missing, it is missing until the process ends.
    static func get() throws(PKCS11Error) -> PKCS11Library { try loaded.get() }

    private static func load() -> Result<PKCS11Library, PKCS11Error> {
        let (found, reason) = open("libp11.so.3")
        guard let found else { return .failure(.libraryMissing(reason)) }
        var functions = belay_p11()
        if let missing = belay_p11_find(found, &functions) {
            return .failure(.libraryMissing("it has no function \(String(cString: missing))"))
        }
        functions.load_error_texts()
        guard let engine = belay_p11_engine(&functions), let silence = belay_p11_silence() else {
            return .failure(.libraryMissing("out of memory"))
        }
        return .success(PKCS11Library(functions, engine, silence))
    }

    /// Opens a shared library for itself alone, or says why not.
    static func open(_ path: String) -> (UnsafeMutableRawPointer?, reason: String) {
        let library = dlopen(path, RTLD_NOW | RTLD_LOCAL)
        return (library, library == nil ? dlerror().map { String(cString: $0) } ?? "no reason given" : "")
    }
}
