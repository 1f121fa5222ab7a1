/// What a URL that somebody typed begins with.
///
/// Only what stands before the first `/`, `?` or `#` can be a scheme or a host: `localhost/?next=http://a.test` has no scheme.
package enum URLBeginning: Sendable, Hashable {
    /// A scheme, in lower case, with `://` after it.
    case scheme(String)
    /// A scheme without its `://` (`https:/host`, `https//host`), which would otherwise be taken for a host; as it was typed.
    case mistyped(String)
    /// No scheme: a host, with a port perhaps.
    case host

    package init(of url: String) {
        let bytes = url.utf8
        let end = bytes.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
        let head = url[..<end]
        let slashes = bytes[end...].prefix { $0 == 0x2F }.count
        let name = head.utf8.firstIndex(of: 0x3A).map { head[..<$0] } ?? head
        let afterName = head.utf8.dropFirst(name.utf8.count)
        if afterName.count == 1, slashes >= 2 {
            self = .scheme(name.lowercased())
        } else if afterName.count == 1, slashes == 1 {
            self = .mistyped(String(head) + "/")
        } else if ["http", "https"].contains(name.lowercased()),
            afterName.isEmpty
                ? slashes >= 2 : afterName.count == 1 || !afterName.dropFirst().allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        {
            self = .mistyped(String(afterName.isEmpty ? name + "//" : name + ":"))
        } else {
            self = .host
        }
    }
}
