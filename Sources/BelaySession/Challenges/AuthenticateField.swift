/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110, section 11.6.1).
public struct AuthenticateChallenge: Sendable, Hashable {
    /// The scheme, in lower case, for example `basic`.
    public let scheme: String
    /// What follows it, where that is one token68 (section 11.2), as `Negotiate` has it.
    public let token: String?
    /// The parameters in order; names in lower case, values without quotes.
    public let parameters: [Parameter]

    /// One parameter.
    public struct Parameter: Sendable, Hashable {
        /// The name, in lower case.
        public let name: String
        /// The value.
        public let value: String
    }

    /// The value of a parameter.
    public subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The most bytes that all fields may have together.
    public static let maximumLength = 16_384
    /// The most challenges, and the most parameters of one.
    public static let maximumCount = 32

    /// Reads every challenge of the fields, in order.
    ///
    /// Strict, since a field that two readers understand differently lets somebody choose the weaker way: tokens and quoted
    /// strings of RFC 9110, no parameter twice. Empty elements of the list are passed over, as its section 5.6.1.2 demands.
    ///
    /// - Throws: ``AuthenticateFieldError``
    public static func read(_ fields: [String]) throws(AuthenticateFieldError) -> [AuthenticateChallenge] {
        var length = 0
        for field in fields {
            length += field.utf8.count
            guard length <= maximumLength else { throw .tooLong(limit: maximumLength) }
        }
        var challenges: [AuthenticateChallenge] = []
        for field in fields {
            var reader = AuthenticateReader(field)
            challenges += try reader.readChallenges()
            guard challenges.count <= maximumCount else { throw .tooMany(limit: maximumCount) }
        }
        return challenges
    }
}

/// Why a field that asks for authentication is not understood.
public enum AuthenticateFieldError: Error, Sendable, Hashable {
    /// All fields together are too long.
    case tooLong(limit: Int)
    /// There are too many challenges, or too many parameters of one.
    case tooMany(limit: Int)
    /// Something else was expected at a byte of the field.
    case malformed(expected: String, offset: Int)
    /// A parameter is there twice.
    case duplicate(name: String)
}

extension AuthenticateFieldError: CustomStringConvertible {
    /// What is wrong with the server's response, and where.
    public var description: String {
        let what =
            switch self {
            case .tooLong(let limit): "it is longer than \(limit) bytes"
            case .tooMany(let limit): "it has more than \(limit) challenges, or parameters of one"
            case .malformed(let expected, let offset): "\(expected) is expected at byte \(offset)"
            case .duplicate(let name): "the parameter '\(name)' is there twice"
            }
        return "the server's WWW-Authenticate field cannot be understood: \(what) (RFC 9110, section 11.6.1). "
            + "The server, or a proxy before it, is at fault"
    }
}

/// Reads one field from left to right; each step goes on or ends it.
private struct AuthenticateReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ field: String) { bytes = Array(field.utf8) }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func readChallenges() throws(AuthenticateFieldError) -> [AuthenticateChallenge] {
        var challenges: [AuthenticateChallenge] = []
        skipSeparators()
        while current != nil {
            challenges.append(try readChallenge())
            guard challenges.count <= AuthenticateChallenge.maximumCount else {
                throw .tooMany(limit: AuthenticateChallenge.maximumCount)
            }
        }
        return challenges
    }

    /// A scheme and what belongs to it, and the commas after it.
    private mutating func readChallenge() throws(AuthenticateFieldError) -> AuthenticateChallenge {
        let scheme = try readToken("a scheme").lowercased()
        let hasSpace = current == 0x20
        skipSpace()
        if atElementEnd {
            skipSeparators()
            return AuthenticateChallenge(scheme: scheme, token: nil, parameters: [])
        }
        guard hasSpace else { throw malformed("a space or comma") }
        if let token = readToken68() {
            skipSeparators()
            return AuthenticateChallenge(scheme: scheme, token: token, parameters: [])
        }
        var parameters: [AuthenticateChallenge.Parameter] = []
        repeat {
            let parameter = try readParameter()
            guard !parameters.contains(where: { $0.name == parameter.name }) else {
                throw .duplicate(name: parameter.name)
            }
            guard parameters.count < AuthenticateChallenge.maximumCount else {
                throw .tooMany(limit: AuthenticateChallenge.maximumCount)
            }
            parameters.append(parameter)
            guard atElementEnd else { throw malformed("a comma") }
            skipSeparators()
        } while startsParameter
        return AuthenticateChallenge(scheme: scheme, token: nil, parameters: parameters)
    }

    private mutating func readParameter() throws(AuthenticateFieldError) -> AuthenticateChallenge.Parameter {
        let name = try readToken("a parameter's name").lowercased()
        skipSpace()
        guard current == 0x3D else { throw malformed("'='") }
        position += 1
        skipSpace()
        let value = current == 0x22 ? try readQuotedString() : try readToken("a value")
        skipSpace()
        return AuthenticateChallenge.Parameter(name: name, value: value)
    }

    /// Section 5.6.4.
    private mutating func readQuotedString() throws(AuthenticateFieldError) -> String {
        var value: [UInt8] = []
        position += 1
        while let byte = current {
            position += 1
            switch byte {
            case 0x22:
                return String(decoding: value, as: UTF8.self)
            case 0x5C:
                guard let escaped = current, Self.isText(escaped) else { throw malformed("an escaped character") }
                value.append(escaped)
                position += 1
            default:
                guard Self.isText(byte) else {
                    position -= 1
                    throw malformed("a character of a quoted string")
                }
                value.append(byte)
            }
        }
        throw malformed("'\"'")
    }

    private mutating func readToken(_ what: String) throws(AuthenticateFieldError) -> String {
        let start = position
        while let byte = current, byte.isTokenByte { position += 1 }
        guard position > start else { throw malformed(what) }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// A token68 that fills the element; otherwise nothing is read.
    private mutating func readToken68() -> String? {
        let start = position
        while let byte = current, URLOctets.isUnreserved(byte) || byte == 0x2B || byte == 0x2F { position += 1 }
        let end = position
        while current == 0x3D { position += 1 }
        let token = bytes[start..<position]
        skipSpace()
        guard end > start, atElementEnd else {
            position = start
            return nil
        }
        return String(decoding: token, as: UTF8.self)
    }

    /// Whether a parameter comes next, and not a scheme: a token and an equals sign.
    private var startsParameter: Bool {
        var ahead = position
        while ahead < bytes.count, bytes[ahead].isTokenByte { ahead += 1 }
        guard ahead > position else { return false }
        while ahead < bytes.count, bytes[ahead] == 0x20 || bytes[ahead] == 0x09 { ahead += 1 }
        return ahead < bytes.count && bytes[ahead] == 0x3D
    }

    private var atElementEnd: Bool { current == nil || current == 0x2C }

    private mutating func skipSpace() {
        while current == 0x20 || current == 0x09 { position += 1 }
    }

    private mutating func skipSeparators() {
        while current == 0x20 || current == 0x09 || current == 0x2C { position += 1 }
    }

    private func malformed(_ expected: String) -> AuthenticateFieldError {
        .malformed(expected: expected, offset: position)
    }

    private static func isText(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }
}
