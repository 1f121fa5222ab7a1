import BelayCertificates
import BelaySession
import BelayTLS
import BelayTrust

extension GetCommand {
    /// The command line for curl that asks for the same, secrets left out. What curl has no option for is said on standard error.
    func curlLine(_ request: Request, _ target: SessionURL, _ console: Console) throws -> String {
        var words = transferWords
        if target.isSecure { words.append(["--tlsv1.2"]) }
        if !transfer.allowHTTP { words.append(["--proto", "=https"]) }
        var remarks: [String] = []
        if let user = requestOptions.user {
            words.append(["--user", user])
            // Without it curl sends the password at once, by Basic, whatever the server can.
            if requestOptions.anyauth { words.append(["--anyauth"]) }
            remarks.append("asks for the password itself")
        }
        words += outputWords
        words += try trustWords(&remarks)
        for remark in remarks { console.note("belay: curl \(remark)") }
        let lines = words.map { " \\\n  " + ShellText.line($0) }
        return request.curlDescription() + lines.joined()
    }

    private var transferWords: [[String]] {
        var words: [[String]] = []
        if transfer.location { words.append(["--location", "--max-redirs", "\(transfer.maxRedirs ?? 20)"]) }
        if transfer.http1 { words.append(["--http1.1"]) }
        if transfer.compressed { words.append(["--compressed"]) }
        words.append(["--connect-timeout", "\(transfer.connectTimeout ?? connection.timeout ?? 15)"])
        if let seconds = connection.timeout {
            // curl's limit on silence, in whole seconds.
            words.append(["--speed-limit", "1", "--speed-time", "\(Int(seconds.rounded(.up)))"])
        }
        if let seconds = transfer.maxTime { words.append(["--max-time", "\(seconds)"]) }
        if let bytes = transfer.maxFilesize { words.append(["--max-filesize", "\(bytes)"]) }
        if let proxy = transfer.proxy { words.append(["--proxy", proxy]) }
        if transfer.noProxy { words.append(["--noproxy", "*"]) }
        if let path = transfer.unixSocket { words.append(["--unix-socket", path]) }
        if let place = connection.connectTo { words.append(["--connect-to", "::\(place)"]) }
        return words
    }

    private var outputWords: [[String]] {
        var words: [[String]] = []
        if let file = outputOptions.output { words.append(["--output", file]) }
        if outputOptions.include { words.append(["--include"]) }
        if outputOptions.fail { words.append(["--fail"]) }
        if outputOptions.verbose { words.append(["--verbose"]) }
        return words
    }

    private func trustWords(_ remarks: inout [String]) throws -> [[String]] {
        var words: [[String]] = []
        if let anchor = trustOptions.anchor.first {
            words.append(["--cacert", anchor])
            if FileReading.isFolder(anchor) {
                remarks.append("takes no folder with --cacert: put all anchors into a file")
            }
            if trustOptions.noSystemAnchors { words.append(["--capath", "/dev/null"]) }
            if trustOptions.anchor.count > 1 { remarks.append("takes one file with --cacert: put all anchors into it") }
        } else if trustOptions.noSystemAnchors {
            words.append(["--cacert", "/dev/null", "--capath", "/dev/null"])
        }
        words += trustOptions.crl.prefix(1).map { ["--crlfile", $0] }
        if trustOptions.crl.count > 1 { remarks.append("takes one file with --crlfile: put all lists into it") }
        if !trustOptions.crl.isEmpty, !trustOptions.requireCrl {
            remarks.append("refuses with --crlfile what no list covers, where belay warns")
        }
        if let identity = connection.identity, PKCS11URI.isOne(identity) {
            // curl takes both from the same place, by OpenSSL's engine, unless the certificate is in a file.
            let certificate =
                connection.identityCertificate.map { ["--cert", $0] } ?? ["--cert-type", "ENG", "--cert", identity]
            words.append(["--engine", "pkcs11", "--key-type", "ENG", "--key", identity] + certificate)
            remarks.append(
                "needs OpenSSL's engine for tokens (libengine-pkcs11-openssl), takes the module from PKCS11_MODULE_PATH, and asks for "
                    + "the PIN itself")
        } else if let identity = connection.identity {
            let isPKCS12 = [".p12", ".pfx"].contains { identity.lowercased().hasSuffix($0) }
            words.append((isPKCS12 ? ["--cert-type", "P12"] : []) + ["--cert", identity])
            if [".jks", ".jceks", ".bks"].contains(where: identity.lowercased().hasSuffix) {
                remarks.append("reads no key stores of Java: give it PEM or PKCS#12")
            }
            if connection.passphrase.source.isGiven || connection.keyPassphrase.source.isGiven {
                remarks.append("asks for the identity's passphrase itself")
            }
        }
        if policyOptions.allowInvalidCertificates {
            words.append(["--insecure"])
            remarks.append("compares no name with --insecure, and accepts what belay refuses even then")
        }
        let pins = try policyOptions.policy().effectivePins
        if !pins.isEmpty {
            words.append(["--pinnedpubkey", pins.map { "sha256//\($0)" }.sorted().joined(separator: ";")])
            remarks.append("compares pins with the leaf's key alone, where belay takes any key of the path")
        }
        if !missing.isEmpty { remarks.append("has nothing for \(missing.joined(separator: ", "))") }
        return words
    }

    /// The options that are given and that curl has nothing for.
    private var missing: [String] {
        let isPinned = !policyOptions.pins.isEmpty
        return [
            ("--expect-name", connection.expectName != nil), ("--identity-name", connection.identityName != nil),
            ("--no-domain-validation", policyOptions.noDomainValidation),
            ("--require-crl", trustOptions.requireCrl && trustOptions.crl.isEmpty),
            ("--ct-log-list", trustOptions.ctLogList != nil), ("--time", trustOptions.time != nil),
            ("--rules", trustOptions.rules != nil), ("--explain", trustOptions.explain),
            ("--pinning certificate", policyOptions.pinning == .certificate),
            ("--pinning public-key without pins", policyOptions.pinning == .publicKey && !isPinned),
            ("--chain-matching all", policyOptions.chainMatching == .all),
            ("--info-plist", transportSecurity.infoPlist != nil), ("--format json", output.format == .json),
        ].filter(\.1).map(\.0)
    }
}
