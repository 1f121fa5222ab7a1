import BelayTransportSecurity

/// Values of a wrong type or spelling that can mean one thing only.
enum MeantValue {
    /// A Boolean that is written as text or as a number.
    static func boolean(_ node: PlistNode) -> Bool? {
        switch node.value {
        case .integer(1): return true
        case .integer(0): return false
        case .real(let number) where number == 1: return true
        case .real(let number) where number == 0: return false
        case .string(let text):
            switch text.lowercased().filter({ !$0.isWhitespace }) {
            case "yes", "true", "y", "1": return true
            case "no", "false", "n", "0": return false
            default: return nil
            }
        default: return nil
        }
    }

    /// A version of TLS in the spelling that counts: `1.2`, `TLS 1.2`, `TLSV1.2` and `tlsv1_2` are all `TLSv1.2`. A version without its
    /// second number is none: `TLSv1` may be 1.0 or any.
    static func version(_ text: String) -> String? {
        var rest = Array(text.lowercased().utf8.filter { !" \t\r\n_-".utf8.contains($0) })
        if rest.starts(with: Array("tls".utf8)) { rest.removeFirst(3) }
        if rest.first == UInt8(ascii: "v") { rest.removeFirst() }
        guard rest.first == UInt8(ascii: "1") else { return nil }
        rest.removeFirst()
        if rest.first == UInt8(ascii: ".") { rest.removeFirst() }
        guard rest.count == 1, let minor = rest.first, minor >= 0x30, minor <= 0x33 else { return nil }
        return "TLSv1.\(minor - 0x30)"
    }

    /// A package of NIAP's rules in other capitals.
    static func package(_ text: String) -> String? {
        let bare = text.lowercased().filter { !$0.isWhitespace }
        return NIAPPackage.allCases.map(\.rawValue).first { $0.lowercased() == bare }
    }
}
