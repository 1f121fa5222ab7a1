import BelayTransportSecurity

/// What a decision of App Transport Security takes, by the number of exception domains: it must not grow with it.
struct TransportSecurityBenchmark {
    let interleaving: Interleaving

    private static let sizes = [10, 1_000, 100_000]

    func run(into report: inout Report) async throws {
        let texts = Self.sizes.map(Self.plist)
        try await decisions(texts, into: &report)
        try reading(texts, into: &report)
    }

    /// The same five URLs at every size, so that it is the size alone that differs.
    private func decisions(_ texts: [[UInt8]], into report: inout Report) async throws {
        // The first decision names the host, the second one below it; then a name and addresses that search everything.
        let urls = try [
            "http://host-7.example.test/", "https://a.b.host-7.example.test/", "http://www.nowhere.test/",
            "http://10.7.0.9/",
            "https://[2001:db8:7::1]/",
        ].map { try TransportSecurityURL($0) }
        var jobs: [Job] = []
        for (size, text) in zip(Self.sizes, texts) {
            let configuration = try Self.configuration(text)
            guard configuration.findings.isEmpty, configuration.exceptionDomains.entries.count == size else {
                throw BenchmarkError("the property list of \(size) domains was not read as it is meant")
            }
            let expected = ["host-7.example.test", "host-7.example.test", nil, "10.7.0.0/16", "2001:db8:7::/48"]
            for (url, matched) in zip(urls, expected)
            where configuration.decision(for: url, as: .simulation).matched != matched {
                throw BenchmarkError("at \(size) domains another entry counts for \(url.host)")
            }
            jobs.append(
                Job(
                    name: "\(size) domains",
                    includes: "a decision about each of \(urls.count) URLs in turn, in simulation"
                ) { count in
                    for index in 0..<count {
                        Sink.keep(configuration.decision(for: urls[index % urls.count], as: .simulation).isAllowed)
                    }
                })
        }
        if let alone = interleaving.alone, !"decisions".contains(alone) { return }
        let rates = try await interleaving.measure(jobs)
        for index in jobs.indices.dropFirst() {
            report.add(
                Comparison(
                    "decisions at \(Self.sizes[index]) exception domains, beside \(Self.sizes[0])", jobs[index],
                    jobs[0],
                    (rates[index], rates[0]), .atLeast(0.5)))
        }
        let rows = zip(Self.sizes, rates).map { size, rates in
            "    \(size) domains: \(short(1e6 / rates.perProcessorSecond.median)) µs a decision"
        }
        emit("time per decision\n\(rows.joined(separator: "\n"))\n\n")
    }

    /// Reading is done once for a program, and grows with the file.
    private func reading(_ texts: [[UInt8]], into report: inout Report) throws {
        guard interleaving.alone == nil, let size = Self.sizes.last, let text = texts.last else { return }
        let rounds = try (0..<interleaving.rounds).map { _ in
            let start = Cost.now()
            Sink.keep(try Self.configuration(text).isMalformed)
            return (Cost.now() - start).processor * 1_000
        }
        let spread = Comparison.Spread(rounds)
        let target = Target.atMost(4_000)
        report.add(
            Limit(
                name: "an Info.plist of \(size) exception domains, read",
                includes: "\(text.count / 1_000_000) MB of XML, every key judged, the tables for look-ups made",
                unit: "CPU-ms", value: spread, target: target.text, isMet: target.isMet(by: spread.median)))
    }

    private static func configuration(_ text: [UInt8]) throws -> TransportSecurityConfiguration {
        TransportSecurityConfiguration(try PlistReader().read(text), file: "Info.plist")
    }

    /// An Info.plist with so many entries: names, and in every size the same two blocks of addresses.
    private static func plist(_ size: Int) -> [UInt8] {
        let names = (0..<(size - 2)).map { "host-\($0).example.test" }
        let entries = (names + ["10.7.0.0/16", "2001:db8:7::/48"]).map { key in
            """
            <key>\(key)</key>
            <dict>
                <key>NSIncludesSubdomains</key>
                <true/>
                <key>NSExceptionMinimumTLSVersion</key>
                <string>TLSv1.3</string>
            </dict>

            """
        }.joined()
        return Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0">
            <dict>
            <key>NSAppTransportSecurity</key>
            <dict>
            <key>NSExceptionDomains</key>
            <dict>
            \(entries)</dict>
            </dict>
            </dict>
            </plist>
            """.utf8)
    }
}
