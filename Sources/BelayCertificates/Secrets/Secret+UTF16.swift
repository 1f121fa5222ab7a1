extension Secret {
    /// The text of a passphrase as UTF-16 with the high byte first, as PKCS#12 (RFC 7292, appendix B.1) and Java take it.
    ///
    /// - Parameter isTerminated: whether two zero bytes end it, as PKCS#12 wants.
    /// - Returns: the bytes, which the caller has to clear; nil where the passphrase is not UTF-8.
    package func utf16BigEndian(isTerminated: Bool) -> [UInt8]? {
        withUnsafeBytes { bytes in
            var result: [UInt8] = []
            // Nothing may grow and leave a copy behind: no byte of UTF-8 becomes more than one unit.
            result.reserveCapacity(bytes.count * 2 + 2)
            let isMalformed = transcode(
                bytes.makeIterator(), from: UTF8.self, to: UTF16.self, stoppingOnError: true
            ) { unit in
                result.append(UInt8(unit >> 8))
                result.append(UInt8(unit & 0xFF))
            }
            guard !isMalformed else {
                result.wipe()
                return nil
            }
            if isTerminated { result += [0, 0] }
            return result
        }
    }
}
