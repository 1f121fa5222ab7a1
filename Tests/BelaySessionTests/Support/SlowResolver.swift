import BelayCertificates
import Glibc

/// Stands in front of the system's resolver in the whole process of the tests, libraries included: names under `slow.test` are never
/// answered, those under `six.test` are `::1` alone, those under `both.test` are `::1` and `127.0.0.1`.
enum SlowResolver {
    /// A name that nobody else asks for.
    static func name(_ label: String) -> String { "\(label).slow.test" }

    /// How many threads have asked; each waits for as long as the process lives.
    static var askers: Int { asked.withLock { $0 } }

    fileprivate static let asked = Protected(0)

    fileprivate typealias Function =
        @convention(c) (
            UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<addrinfo>?,
            UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
        ) -> CInt

    /// The system's own: the next after ours (RTLD_NEXT, dlsym(3)).
    fileprivate static let system: Function? = {
        guard let found = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "getaddrinfo") else { return nil }
        return unsafeBitCast(found, to: Function.self)
    }()
}

/// What the dynamic linker gives to everybody in this process who calls getaddrinfo(3).
@_cdecl("getaddrinfo")
func slowGetAddrInfo(
    _ host: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafePointer<addrinfo>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
) -> CInt {
    if let host, String(cString: host).hasSuffix(".slow.test") {
        SlowResolver.asked.withLock { $0 += 1 }
        while true { pause() }
    }
    guard let system = SlowResolver.system else { return EAI_FAIL }
    if let host, String(cString: host).hasSuffix(".six.test") { return system("::1", service, hints, result) }
    if let host, let result, String(cString: host).hasSuffix(".both.test") {
        // Addresses of both families, that of IPv6 first. freeaddrinfo(3) goes from one to the next, whoever has joined them.
        let code = system("::1", service, hints, result)
        guard code == 0, var last = result.pointee else { return code }
        while let next = last.pointee.ai_next { last = next }
        return system("127.0.0.1", service, hints, &last.pointee.ai_next)
    }
    return system(host, service, hints, result)
}
