import BelayCertificates

/// A piece of HTML. What is interpolated as text is escaped, so that nothing from outside can become markup:
///
/// ```swift
/// let row: HTML = "<td>\(certificate.subject.description)</td>"
/// ```
///
/// Only literals and other pieces go in as they are.
struct HTML: Sendable, ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral value: String) {
        text = value
    }

    init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Several pieces as one.
    init(_ pieces: [HTML]) {
        text = pieces.map(\.text).joined()
    }

    static func + (left: HTML, right: HTML) -> HTML { HTML([left, right]) }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ piece: HTML) { text += piece.text }

        mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { text += piece.text } }

        mutating func appendInterpolation(_ number: Int) { text += String(number) }

        mutating func appendInterpolation(_ outside: String) { text += HTML.escaped(outside) }
    }

    /// Text in which nothing is markup, in content and in quoted attributes; what could steer a reader is visible.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in printable(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
