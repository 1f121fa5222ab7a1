import BelayTrust

/// What a finding of the configuration's reader means for a connection.
enum LintMeaning {
    /// A finding about a build setting that stands in the source of an Info.plist: the linter warns, since it is not what the app has
    /// in the end. A file that is enforced is not of source, and there it is an error. nil for all others.
    static func ofTemplate(_ finding: Finding) -> (Finding, meaning: String)? {
        guard let found = finding.found, found.contains("$(") || found.contains("${") else { return nil }
        let (message, meaning, remedy): (String, String, String?)
        switch finding.rule.identifier {
        case "ats.domain-key":
            (message, meaning, remedy) = (
                finding.message, text(of: finding.rule), "Write the host itself: only values are replaced."
            )
        case "ats.minimum-tls-version":
            message =
                "the version is a build setting, whose value is not known here; unless it is one that is recognised, TLS 1.2 holds"
            meaning = "Connections to the host need TLS 1.2, or what the build setting says."
            remedy = "Lint the Info.plist of the built app."
        default: return nil
        }
        let warning = Finding(
            finding.rule, severity: .warning, at: finding.place, message, expected: finding.expected, found: found,
            remedy: remedy)
        return (warning, meaning)
    }

    static func text(of rule: Rule) -> String {
        switch rule.identifier {
        case "ats.not-a-dictionary", "ats.not-at-top-level":
            "App Transport Security holds in full: nothing that stands here eases or pins a connection."
        case "ats.platform-key":
            "There connections follow what stands in this key and nothing that is said of the plain one; its value is not looked at here."
        case "ats.duplicate-key":
            "One of the two has no effect on any connection, and which one depends on the form of the file."
        case "ats.wrong-type": "Connections follow the default of the key, not the value that stands here."
        case "ats.unknown-key", "ats.misplaced-key": "The key changes no connection."
        case "ats.legacy-key": "Connections on iOS 18.4 and macOS 15.4 or later are made as if the key were not there."
        case "ats.obsolete-key": "The key changes no connection."
        case "ats.domain-key":
            "No connection is matched by the entry as it was meant: it follows the rules for all other hosts."
        case "ats.address-block": "Connections to more addresses than the key seems to say follow the entry."
        case "ats.minimum-tls-version": "Connections to the host need TLS 1.2."
        case "ats.niap-package": "Connections follow no package of NIAP's rules."
        case "ats.pins-nothing": "Every TLS connection to the host fails."
        case "ats.pin-malformed": "No server can be recognised by this pin."
        case "ats.pins-missing": "Connections to the host are not pinned."
        default: "Connections do not follow what was meant."
        }
    }
}
