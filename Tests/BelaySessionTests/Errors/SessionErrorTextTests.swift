import BelayTLS
import BelayTrust
import Foundation
import Testing

@testable import BelaySession

@Suite("The words of session errors")
struct SessionErrorTextTests {
    /// A reason, in which phase it comes up, and words that its text and its remedy must hold.
    struct Case: CustomTestStringConvertible {
        let reason: SessionError.Reason
        let phase: SessionPhase
        let says: [String]
        let advises: String
        var testDescription: String { says.joined(separator: ", ") }

        init(_ reason: SessionError.Reason, _ phase: SessionPhase, _ says: [String], _ advises: String) {
            self.reason = reason
            self.phase = phase
            self.says = says
            self.advises = advises
        }
    }

    private static let secret = "hunter2"
    private static let url = "https://api.example.com/users?token=\(secret)"

    private static let response = Response(
        url: url, statusCode: 503, headers: ["Set-Cookie": "id=\(secret)"], body: Array(secret.utf8))
    private static let unknownHost = HostDenial(host: .dns("api.example.com"), pattern: nil)
    private static let untrusted = Verdict(refusing: [ConnectionRequirements.keyNotProven()])

    static let cases: [Case] = [
        Case(.configuration("a part is missing"), .prepare, ["a part is missing"], "Correct the settings"),
        Case(
            .badURL("'x' is not an absolute URL. Write https://host/path"), .prepare, ["'x' is not"], "Write https://"),
        Case(.hostDenied(unknownHost.description), .prepare, ["'api.example.com'", "denied"], "Add a rule"),
        Case(
            .cleartext(ConnectionRequirements.cleartext(host: "api.example.com")), .prepare,
            ["http is not allowed", "nothing was sent"], "Use https"),
        Case(
            .untrusted(untrusted), .handshake, ["not trusted", "no request was sent", "tls.key-not-proven"], "posing"),
        Case(.unjudged, .send, ["no verdict", "no request was sent"], "again"),
        Case(.challengeCancelled, .handshake, ["challenge handler cancelled"], "again"),
        Case(
            .challengeUnanswered("the handler answered with a key. Use Credential.password"), .receive,
            ["answered with a key"], "Use Credential.password"),
        Case(.challengeUnanswered("no answer fits"), .handshake, ["no answer fits"], "challenge handler"),
        Case(
            .tls(.clientCertificateRequired(acceptableIssuers: [])), .handshake,
            ["TLS handshake", "demands a client certificate"], "client identity"),
        Case(.tls(.identityUnusable("weak key")), .prepare, ["options", "weak key"], "identity's key"),
        Case(.notResolved("Name or service not known"), .resolve, ["does not resolve", "not known"], "name servers"),
        Case(
            .notConnected("the socket '/run/x': No such file or directory"), .connect, ["'/run/x'", "No such file"],
            "Check the path"),
        Case(.notConnected("Connection refused"), .connect, ["no connection", "Connection refused"], "port"),
        Case(.proxy("it answered 407"), .connect, ["proxy", "407"], "user name and password"),
        Case(.timedOut(.milliseconds(1_250)), .resolve, ["no end after 1.25 s", "resolving"], "name servers"),
        Case(.timedOut(.seconds(15)), .queue, ["no end after 15 s", "waiting for a connection"], "connections"),
        Case(.timedOut(.seconds(15)), .connect, ["no end after 15 s", "connecting"], "firewall"),
        Case(.timedOut(.milliseconds(50)), .handshake, ["no end after 0.05 s", "TLS handshake"], "speaks TLS"),
        Case(.timedOut(.seconds(60)), .wait, ["no end after 60 s", "first byte"], "overloaded"),
        Case(.timedOut(.seconds(60)), .receive, ["no end after 60 s", "receiving"], "overloaded"),
        Case(.timedOut(.seconds(15)), .tunnel, ["no end after 15 s", "proxy", "tunnel"], "proxy"),
        Case(.connectionLost("reset by peer"), .wait, ["broke", "reset by peer"], "log"),
        Case(.truncated(received: 17), .receive, ["17 bytes"], "log"),
        Case(.malformedResponse("no status line"), .receive, ["rules of HTTP", "no status line"], "log"),
        Case(.bodyTooLarge(limit: 4_096), .receive, ["body", "4096 bytes"], "Raise the limit"),
        Case(.headersTooLarge(limit: 512), .receive, ["headers", "512 bytes"], "cookies"),
        Case(.tooManyInformational(limit: 16), .receive, ["16", "1xx"], "log"),
        Case(.redirect(.tooMany(limit: 20)), .receive, ["redirected more than 20 times"], "final URL"),
        Case(.redirect(.loop("https://api.example.com/")), .receive, ["circle"], "cookie"),
        Case(
            .rejected(
                ResponseRejection(response: response, reason: .unacceptableStatus(found: 503, accepted: [200..<300]))),
            .receive, ["503", "200 to 299"], "response"),
        Case(.interceptor(CancellationError()), .prepare, ["interceptor"], "interceptor"),
        Case(.cancelled, .wait, ["cancelled"], "again"),
        Case(.other(code: 99, "odd"), .receive, ["odd", "99"], "log"),
    ]

    @Test("say what happened and what to do, and nothing secret", arguments: cases)
    func everyReason(_ testCase: Case) {
        let error = SessionError(method: "POST", url: Self.url, phase: testCase.phase, reason: testCase.reason)
        for words in testCase.says { #expect(error.summary.contains(words)) }
        #expect(error.remedy.contains(testCase.advises))
        #expect(error.description.contains(error.remedy))
        #expect(!error.description.contains(Self.secret))
        #expect(!error.remedy.isEmpty && ".!?".contains(error.remedy.last ?? " "))
        #expect(!error.description.contains(".."))
    }

    @Test("name method and URL where the reason does not, without the query and without what steers a terminal")
    func place() {
        let error = SessionError(method: "GET", url: Self.url + "\u{1B}[2J", phase: .connect, reason: .unjudged)
        #expect(error.summary.hasPrefix("GET https://api.example.com/users: "))
        let steering = SessionError(
            method: "GET", url: "https://a.test/", phase: .wait, reason: .malformedResponse("\u{1B}[2J"))
        #expect(!steering.description.contains("\u{1B}"))
    }
}
