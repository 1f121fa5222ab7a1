import BelayTrust

/// The library's remedies in terms of this command: which option does what they say.
///
/// The library knows nothing of options. JSON has its words as they are.
enum OptionHint {
    /// A finding's remedy, and the option behind it where there is one.
    ///
    /// - Parameter isMomentGiven: whether the moment that was judged came from `--time`.
    static func remedy(of finding: Finding, isMomentGiven: Bool) -> String {
        if isMomentGiven, finding.rule.identifier == "validity.not-yet-valid" {
            return
                "The moment judged is the one given with --time; judge as of a later one, or have the certificate issued "
                + "anew."
        }
        if finding.rule.identifier == "name.mismatch", finding.remedy.contains("expect the name") {
            return "\(finding.remedy) 'belay check' takes the name with --expect-name."
        }
        guard let hint = hints[finding.rule.identifier], !finding.remedy.contains(hint.option) else {
            return finding.remedy
        }
        let end = finding.remedy.hasSuffix(".") ? "" : "."
        return "\(finding.remedy)\(end) \(hint.text)"
    }

    private static let hints: [String: (option: String, text: String)] = [
        "anchor.unknown": ("--anchor", "The option for an authority of your own is --anchor FILE."),
        "path.issuer-not-sent": ("--anchor", "The option for an authority of your own is --anchor FILE."),
        "policy.pinned-but-untrusted": (
            "--anchor", "The options are --anchor FILE, or --allow-invalid-certificates beside the pins."
        ),
        "policy.weak.invalid-allowed": ("--anchor", "The option is --anchor FILE."),
        "policy.empty-pin-set": ("--pins", "Pins are given with --pins FILE."),
    ]
}
