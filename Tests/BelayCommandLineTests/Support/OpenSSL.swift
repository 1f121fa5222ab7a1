/// The `openssl` program, the peer that says what is right.
enum OpenSSL {
    /// Runs it and returns what it prints.
    static func run(_ arguments: String..., input: [UInt8] = []) async throws -> String {
        let result = try await Tool.finish("openssl", arguments, input: input)
        guard result.status == 0 else { throw Tool.Failed(description: "openssl \(arguments): \(result.errors)") }
        return result.text
    }
}
