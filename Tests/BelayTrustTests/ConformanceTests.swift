import BelayTrust
import Foundation
import Testing

@Suite("Conformance: suites published by other projects")
struct ConformanceTests {
    @Test("the suites are there when continuous integration runs, and their absence is reported elsewhere")
    func suitesArePresent() {
        if ProcessInfo.processInfo.environment["CI"] == "true" {
            #expect(PublishedCases.arePresent, "no published cases in \(PublishedCases.folder)")
        } else if !PublishedCases.arePresent {
            print("published trust cases: not run, \(PublishedCases.folder) does not exist")
        }
    }

    @Test("a suite in its own published form", arguments: (try? PublishedSuite.named.get().cases) ?? [])
    func published(_ testCase: PublishedCases.Case) throws {
        let verdict = try PublishedCases.evaluate(testCase)
        if testCase.note == PublishedCases.Case.debatable {
            guard verdict.isTrusted != testCase.expectsAcceptance else { return }
            print("differs, which its suite allows: \(testCase.id)")
        } else {
            #expect(verdict.isTrusted == testCase.expectsAcceptance, "\(testCase.note)\n\(verdict.findings)")
        }
    }

    @Test("of a suite in its own published form, what is not run is named")
    func notRun() throws {
        for (id, reason) in try PublishedSuite.named.get().notRun { print("not run: \(id): \(reason)") }
    }

    @Test("path building", arguments: PublishedCases.load("trust-pathbuilding"))
    func pathBuilding(_ testCase: PublishedCases.Case) throws {
        let verdict = try PublishedCases.evaluate(testCase)
        #expect(verdict.isTrusted == testCase.expectsAcceptance, "\(testCase.note)\n\(verdict.findings)")
    }

    @Test("name constraints", arguments: PublishedCases.load("trust-nameconstraints"))
    func nameConstraints(_ testCase: PublishedCases.Case) throws {
        let verdict = try PublishedCases.evaluate(testCase)
        #expect(verdict.isTrusted == testCase.expectsAcceptance, "\(testCase.note)\n\(verdict.findings)")
    }

    @Test("pinning", arguments: PublishedCases.load("trust-pinning"))
    func pinning(_ testCase: PublishedCases.Case) throws {
        let verdict = try PublishedCases.evaluate(testCase)
        #expect(verdict.isTrusted == testCase.expectsAcceptance, "\(testCase.note)\n\(verdict.findings)")
    }

    @Test("servers in good and bad states", arguments: PublishedCases.load("trust-servers"))
    func servers(_ testCase: PublishedCases.Case) throws {
        let verdict = try PublishedCases.evaluate(testCase)
        #expect(verdict.isTrusted == testCase.expectsAcceptance, "\(testCase.note)\n\(verdict.findings)")
    }

    @Test("the limbo", arguments: PublishedCases.load("trust-limbo"))
    func limbo(_ testCase: PublishedCases.Case) throws {
        let verdict = try PublishedCases.evaluate(testCase)
        #expect(verdict.isTrusted == testCase.expectsAcceptance, "\(testCase.note)\n\(verdict.findings)")
    }
}
