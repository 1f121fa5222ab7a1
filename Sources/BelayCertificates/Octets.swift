import Glibc

/// Whether two strings of octets are the same. The arrays' own comparison goes octet by octet, at a twentieth of the speed.
package func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            guard let first = left.baseAddress, let second = right.baseAddress else { return true }
            return first == second || memcmp(first, second, left.count) == 0
        }
    }
}
