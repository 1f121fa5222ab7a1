/// How nested parameters are written in a query or form. No standard says; these are the ways that servers understand.
public struct ParameterStyle: Sendable, Hashable {
    /// The names of an array's elements.
    public enum Arrays: Sendable, Hashable {
        /// `a[]=1&a[]=2`, as PHP and Rails read them.
        case brackets
        /// `a=1&a=2`.
        case repeatedName
        /// `a[0]=1&a[1]=2`, as Node's `qs` reads them.
        case indexInBrackets
    }

    /// The names of a dictionary's values.
    public enum Keys: Sendable, Hashable {
        /// `a[b]=1`.
        case brackets
        /// `a.b=1`.
        case dots
    }

    /// Yes and no.
    public enum Booleans: Sendable, Hashable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// Names without value.
    public enum Nulls: Sendable, Hashable {
        /// `a`.
        case nameOnly
        /// `a=`.
        case emptyValue
        /// `a=null`.
        case literal
        /// Not at all.
        case dropped
    }

    /// Spaces.
    public enum Spaces: Sendable, Hashable {
        /// `%20`, which every reader understands.
        case percentEncoded
        /// `+`, as HTML forms write them.
        case plus
    }

    /// The names of an array's elements.
    public var arrays: Arrays
    /// The names of a dictionary's values.
    public var keys: Keys
    /// Yes and no.
    public var booleans: Booleans
    /// Names without value.
    public var nulls: Nulls
    /// Spaces.
    public var spaces: Spaces

    /// A style; what is left out is as in ``standard``.
    public init(
        arrays: Arrays = .brackets, keys: Keys = .brackets, booleans: Booleans = .numeric, nulls: Nulls = .nameOnly,
        spaces: Spaces = .percentEncoded
    ) {
        self.arrays = arrays
        self.keys = keys
        self.booleans = booleans
        self.nulls = nulls
        self.spaces = spaces
    }

    /// `a[]=1`, `a[b]=1`, `1` and `0`, `a`, `%20`.
    public static let standard = ParameterStyle()
}
