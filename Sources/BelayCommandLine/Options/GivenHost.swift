import BelayArguments
import BelayTrust

/// A host on the command line: its name, and how it was written.
struct GivenHost: Sendable {
    /// As it was written: App Transport Security compares this.
    let literal: String
    /// In normal form: certificates are compared with this.
    let name: ServerName

    /// Reads a host.
    ///
    /// - Throws: where it is neither a name nor an address.
    init(_ text: String) throws {
        name = try ServerName(text)
        literal = text
    }

    /// The host as URLs carry it.
    var inURL: String { literal.contains(":") && !literal.hasPrefix("[") ? "[\(literal)]" : literal }
}
