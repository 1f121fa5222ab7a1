/// The bytes that libFuzzer hands over.
///
/// Copied, so that the code under test has an allocation of exactly this size: the address sanitizer then sees one byte
/// too many. libFuzzer keeps the memory that it passes for itself.
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
}

/// Ends the process where something does not hold that must hold for every input: libFuzzer then keeps the input.
public func demand(_ condition: Bool, _ rule: @autoclosure () -> String) {
    if !condition { fatalError(rule()) }
}

/// Uses a value so that the optimiser cannot leave out the work that makes it.
@inline(never)
public func use<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
