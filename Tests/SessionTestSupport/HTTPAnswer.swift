import TestSupport

/// What a server answers, and when.
package struct HTTPAnswer: Sendable {
    package var status: Int
    package var fields: [(name: String, value: String)]
    package var content: [UInt8]
    /// Whether the connection ends after it.
    package var closes = false
    /// Whether the connection ends instead of it.
    package var isDropped = false
    /// What the answer waits for.
    package var latch: Latch?

    package init(_ status: Int = 200, _ fields: [(name: String, value: String)] = [], content: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// A text.
    package static func text(_ text: String, _ fields: [(name: String, value: String)] = []) -> HTTPAnswer {
        HTTPAnswer(200, [("Content-Type", "text/plain; charset=utf-8")] + fields, content: Array(text.utf8))
    }

    /// JSON.
    package static func json(_ text: String, type: String = "application/json", status: Int = 200) -> HTTPAnswer {
        HTTPAnswer(status, [("Content-Type", type)], content: Array(text.utf8))
    }

    /// A redirect.
    package static func redirect(_ status: Int = 302, to location: String) -> HTTPAnswer {
        HTTPAnswer(status, [("Location", location)])
    }

    package func closing() -> HTTPAnswer {
        var answer = self
        answer.closes = true
        return answer
    }

    /// The request arrives and is never answered: the connection ends.
    package static let dropped: HTTPAnswer = {
        var answer = HTTPAnswer()
        answer.isDropped = true
        return answer
    }()

    package func waiting(for latch: Latch) -> HTTPAnswer {
        var answer = self
        answer.latch = latch
        return answer
    }

    /// As HTTP/1.1 has it.
    ///
    /// - Parameter head: whether it answers HEAD, where the content stays away.
    func wireForm(head: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) Status\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        if status >= 200, status != 204 { text += "Content-Length: \(content.count)\r\n" }
        if closes { text += "Connection: close\r\n" }
        return Array((text + "\r\n").utf8) + (head ? [] : content)
    }
}
