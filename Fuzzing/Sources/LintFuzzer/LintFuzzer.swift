import BelayLint
import BelayTransportSecurity
import BelayTrust
import FuzzingSupport

/// The linter and its corrections: what is corrected can be read again, differs in reported lines only, is not corrected into something
/// else a second time without end, and eases no host that it does not name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLint(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    var limits = PlistLimits()
    limits.values = 20_000
    let linter = Linter(limits: limits)
    for linted in linter.lint(pins: [LintInput.Document(name: "pins", bytes: input, isPins: true)]) { check(linted) }
    check(linter.lint(input, file: "input"))
    correct(input, linter)
    // The inside of a dictionary alone: nearly every input means something then.
    if input.first == UInt8(ascii: "k") {
        let opening = "<plist version=\"1.0\"><dict>\n<key>NSAppTransportSecurity</key>\n<dict>\n<"
        correct(Array(opening.utf8) + input + Array("\n</dict>\n</dict></plist>\n".utf8), linter)
    }
    return 0
}

private func check(_ linted: LintedFile) {
    for finding in linted.findings {
        demand(!finding.message.isEmpty && !finding.meaning.isEmpty && !finding.fix.isEmpty, "a finding without words")
        demand(finding.endLine ?? 1 >= finding.line ?? 1, "an end before the beginning")
    }
    use(linted.policies.map(\.why))
    use(linted.justifications.map(\.draft))
}

private func correct(_ input: [UInt8], _ linter: Linter) {
    guard let before = try? PlistReader(limits: linter.limits).read(input),
        let fix = try? LintFix(input, file: "input", linter: linter)
    else { return }
    guard !fix.corrected.isEmpty else {
        demand(fix.bytes == input, "nothing corrected, and changed")
        return
    }
    guard let after = try? PlistReader(limits: linter.limits).read(fix.bytes) else {
        return demand(false, "a correction that cannot be read")
    }
    checkLines(input, fix, linter)
    checkDecisions(before, after)
    // Corrections come to an end.
    var bytes = fix.bytes
    for _ in 0..<64 {
        guard let next = try? LintFix(bytes, file: "input", linter: linter), !next.corrected.isEmpty else { return }
        bytes = next.bytes
    }
    demand(false, "corrections without end")
}

/// Lines that no finding names are there as they were, in their order.
private func checkLines(_ input: [UInt8], _ fix: LintFix, _ linter: Linter) {
    // Lines are split at line feeds alone here.
    guard !input.contains(0x0D) else { return }
    var named: Set<Int> = []
    for finding in linter.lint(input, file: "input").findings {
        guard let line = finding.line else { continue }
        named.formUnion(line...(finding.endLine ?? line))
    }
    var rest = fix.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
    for (index, line) in input.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    where !named.contains(index + 1) {
        guard let place = rest.firstIndex(of: line) else { return demand(false, "a line changed that nothing reports") }
        rest = rest[(place + 1)...]
    }
}

private func checkDecisions(_ before: PlistDocument, _ after: PlistDocument) {
    let old = TransportSecurityConfiguration(before, file: "before")
    let new = TransportSecurityConfiguration(after, file: "after")
    for host in ["other.invalid", "a.b.other.invalid", "localhost", "printer.local", "198.51.100.7", "10.1.2.3"] {
        guard let url = try? TransportSecurityURL("http://\(host)/") else { continue }
        for context in TransportSecurityContext.allCases {
            let was = old.decision(for: url, in: context, as: .simulation)
            let now = new.decision(for: url, in: context, as: .simulation)
            // What an entry of its own says is named by it.
            guard now.matched == nil else { continue }
            demand(was.requiresHTTPS == now.requiresHTTPS || now.requiresHTTPS, "a host eased that nothing names")
            demand(!now.isTrustRelaxed || was.isTrustRelaxed, "trust relaxed that nothing names")
        }
    }
}
