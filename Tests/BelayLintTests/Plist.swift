import BelayCertificates
import BelayLint
import Foundation
import TestSupport

/// Short property lists for tests.
enum Plist {
    /// An Info.plist with the inside of the dictionary NSAppTransportSecurity. The dictionary begins in line 5.
    static func infoPlist(_ inside: String, beside: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleName</key><string>App</string>\(beside)
        <key>NSAppTransportSecurity</key>
        <dict>
        \(inside)
        </dict>
        </dict></plist>
        """
    }

    static func exceptions(_ inside: String) -> String { "<key>NSExceptionDomains</key><dict>\(inside)</dict>" }
    static func entry(_ key: String, _ inside: String = "") -> String { "<key>\(key)</key><dict>\(inside)</dict>" }
    static func yes(_ key: String) -> String { "<key>\(key)</key><true/>" }
    static func no(_ key: String) -> String { "<key>\(key)</key><false/>" }
    static func text(_ key: String, _ value: String) -> String { "<key>\(key)</key><string>\(value)</string>" }

    static func pinned(_ host: String, leaf: [String] = [], authority: [String] = [], _ more: String = "") -> String {
        func list(_ key: String, _ pins: [String]) -> String {
            guard !pins.isEmpty else { return "" }
            return "<key>\(key)</key><array>"
                + pins.map { "<dict>\(text("SPKI-SHA256-BASE64", $0))</dict>" }.joined() + "</array>"
        }
        return "<key>NSPinnedDomains</key><dict>"
            + entry(host, list("NSPinnedLeafIdentities", leaf) + list("NSPinnedCAIdentities", authority) + more)
            + "</dict>"
    }

    static func lint(_ inside: String, beside: String = "", certificates: [Certificate] = []) -> LintedFile {
        Linter(certificates: certificates).lint(Array(infoPlist(inside, beside: beside).utf8), file: "Info.plist")
    }

    /// SHA-256 of "one" and of "two", as `printf one | openssl dgst -sha256 -binary | base64` prints them.
    static let one = "dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0="
    static let two = "P8TM/nRYcOLA2Z9x8w/wZWyN7dQcwdfT03aw2+aF4vM="
}
