import BelayTrust

/// What a finding of the configuration's reader means for a connection.
enum LintMeaning {
    static func text(of rule: Rule) -> String {
        switch rule.identifier {
        case "ats.not-a-dictionary", "ats.not-at-top-level":
            "App Transport Security holds in full: nothing that stands here eases or pins a connection."
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
