import BelayCertificates
import CZip

/// Reads single members of a ZIP archive with libzip, within limits.
struct ZipArchive: ~Copyable {
    private let handle: OpaquePointer
    /// The names of its members, in their order.
    let names: [String]

    /// More members are not looked at: the largest apps have some ten thousands.
    static let mostMembers = 500_000

    init(path: String) throws(LintInputError) {
        var code: Int32 = 0
        guard let handle = zip_open(path, ZIP_RDONLY, &code) else {
            var error = zip_error_t()
            zip_error_init_with_code(&error, code)
            defer { zip_error_fini(&error) }
            let text = zip_error_strerror(&error).map { String(cString: $0) } ?? "error \(code)"
            throw LintInputError(path: path, problem: .archive(text))
        }
        let count = zip_get_num_entries(handle, 0)
        guard count >= 0, count <= Self.mostMembers else {
            zip_discard(handle)
            throw LintInputError(path: path, problem: .archive("it has more than \(Self.mostMembers) members"))
        }
        var names: [String] = []
        names.reserveCapacity(Int(count))
        for index in 0..<UInt64(count) {
            names.append(zip_get_name(handle, index, zip_flags_t(ZIP_FL_ENC_GUESS)).map { String(cString: $0) } ?? "")
        }
        self.handle = handle
        self.names = names
    }

    deinit { zip_discard(handle) }

    /// The bytes of a member.
    ///
    /// The size that the archive states is not relied on: reading ends at the limit.
    func bytes(at index: Int, limit: Int) throws(ZipMemberError) -> [UInt8] {
        guard let index = UInt64(exactly: index), let file = zip_fopen_index(handle, index, 0) else {
            throw ZipMemberError(text: zip_strerror(handle).map { String(cString: $0) } ?? "it cannot be opened")
        }
        defer { zip_fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Int(buffer.withUnsafeMutableBytes { zip_fread(file, $0.baseAddress, zip_uint64_t($0.count)) })
            // A wrong checksum is an error of the last read.
            guard count >= 0 else { throw ZipMemberError(text: "it is damaged") }
            if count == 0 { return bytes }
            guard bytes.count + count <= limit else {
                throw ZipMemberError(text: "it is larger than \(limit / 1_048_576) MiB")
            }
            bytes += buffer[..<count]
        }
    }
}

/// Why a member of an archive cannot be read.
struct ZipMemberError: Error {
    let text: String
}
