/// A passphrase in the forms that a PKCS#12 file may have been made with, the likeliest first.
struct PKCS12Passphrase {
    /// As PKCS#12's own derivation takes it (RFC 7292, appendix B.1): UTF-16, most significant byte first, with a zero
    /// character at its end.
    private(set) var wide: [Secret]
    /// As PBKDF2 and PBKDF1 take it: the bytes.
    private(set) var plain: [Secret]

    /// Takes a passphrase, UTF-8 by convention; nil for none.
    ///
    /// - Throws: ``KeyStoreError/unusablePassphrase(_:)`` where it holds a zero byte.
    init(_ passphrase: Secret?) throws(KeyStoreError) {
        guard let passphrase, !passphrase.isEmpty else {
            // "No passphrase" and "an empty one" are two things in PKCS#12, and programs mean either by both.
            wide = [Secret([0, 0]), Secret([])]
            plain = [Secret([]), Secret([0, 0])]
            return
        }
        guard passphrase.withUnsafeBytes({ !$0.contains(0) }) else {
            throw .unusablePassphrase("it holds a zero byte, which PKCS#12 has no place for")
        }
        (wide, plain) = passphrase.withUnsafeBytes { bytes in
            let single = Self.widened(bytes)
            guard bytes.contains(where: { $0 >= 0x80 }) else { return ([single], [passphrase, single]) }
            guard let whole = Self.decoded(bytes) else {
                // Not UTF-8: what a terminal in Latin-1 gives.
                return ([single], [passphrase, Self.latin1AsUTF8(bytes), single])
            }
            // OpenSSL before 1.1 took each byte of the UTF-8 for a character.
            return ([whole, single], [passphrase, Self.utf8AsLatin1(bytes), whole].compactMap(\.self))
        }
    }

    /// The same with the form at `index` alone, after a MAC has shown that it is right.
    mutating func keepWide(_ index: Int) {
        wide = [wide[index]]
    }

    /// Each byte as a character.
    private static func widened(_ bytes: UnsafeRawBufferPointer) -> Secret {
        var units: [UInt8] = []
        units.reserveCapacity(bytes.count * 2 + 2)
        for byte in bytes {
            units.append(0)
            units.append(byte)
        }
        units.append(0)
        units.append(0)
        return Secret(taking: &units)
    }

    /// UTF-8 as UTF-16; nil where it is none.
    private static func decoded(_ bytes: UnsafeRawBufferPointer) -> Secret? {
        var units: [UInt8] = []
        units.reserveCapacity(bytes.count * 2 + 2)
        let isMalformed = transcode(bytes.makeIterator(), from: UTF8.self, to: UTF16.self, stoppingOnError: true) {
            units.append(UInt8($0 >> 8))
            units.append(UInt8($0 & 0xFF))
        }
        guard !isMalformed else {
            units.wipe()
            return nil
        }
        units.append(0)
        units.append(0)
        return Secret(taking: &units)
    }

    private static func latin1AsUTF8(_ bytes: UnsafeRawBufferPointer) -> Secret {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            if byte >= 0x80 { result.append(0xC0 | byte >> 6) }
            result.append(byte < 0x80 ? byte : 0x80 | byte & 0x3F)
        }
        return Secret(taking: &result)
    }

    /// Nil where a character is not in Latin-1.
    private static func utf8AsLatin1(_ bytes: UnsafeRawBufferPointer) -> Secret? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                result.append(byte)
                index += 1
            } else if byte == 0xC2 || byte == 0xC3, index + 1 < bytes.count {
                result.append((byte & 3) << 6 | bytes[index + 1] & 0x3F)
                index += 2
            } else {
                result.wipe()
                return nil
            }
        }
        return Secret(taking: &result)
    }
}
