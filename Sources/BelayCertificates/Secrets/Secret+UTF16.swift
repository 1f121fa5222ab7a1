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

    /// What Java may have read in the place of a passphrase when it wrote a file, as UTF-8 and the likeliest first: this one;
    /// with each byte a character, as where the locale or the terminal has Latin-1; and with U+FFFD for each byte beyond ASCII, as
    /// in the locale C.
    package var javaReadings: [Secret] {
        withUnsafeBytes { bytes in
            guard bytes.contains(where: { $0 >= 0x80 }) else { return [self] }
            var latin1: [UInt8] = []
            var unknown: [UInt8] = []
            latin1.reserveCapacity(bytes.count * 2)
            unknown.reserveCapacity(bytes.count * 3)
            for byte in bytes {
                if byte < 0x80 {
                    latin1.append(byte)
                    unknown.append(byte)
                } else {
                    latin1 += [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
                    unknown += [0xEF, 0xBF, 0xBD]
                }
            }
            return [self, Secret(taking: &latin1), Secret(taking: &unknown)]
        }
    }

    /// Whether it is printable ASCII, which is all that Java takes for the keys of PKCS#12 and JCEKS.
    package var isPrintableASCII: Bool { withUnsafeBytes { $0.allSatisfy { (0x20...0x7E).contains($0) } } }
}
