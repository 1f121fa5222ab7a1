import Testing

/// What a suite needs as a whole: made before its first test, taken away after its last.
protocol Provided: Sendable {
    static var current: Self? { get }
    static func withCurrent(_ value: Self, _ body: @Sendable () async throws -> Void) async throws
    static func make() async throws -> Self
    func end() async
}

extension Provided {
    /// What was made for the suite of the running test.
    static func provided() throws -> Self { try #require(current, "the suite has no trait that provides it") }
}

/// The trait that provides it.
struct Provides<Thing: Provided>: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let thing = try await Thing.make()
        do { try await Thing.withCurrent(thing, function) } catch {
            await thing.end()
            throw error
        }
        await thing.end()
    }
}
