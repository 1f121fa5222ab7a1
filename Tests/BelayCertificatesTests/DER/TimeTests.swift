import BelayCertificates
import Foundation
import Testing

@Suite("Times in certificates")
struct TimeTests {
    private func read(_ tag: DERTag, _ text: String) throws(DERError) -> Int64 {
        var reader = DERReader(DERWriter.element(tag, Array(text.utf8)))
        let seconds = try reader.readTime()
        try reader.finish()
        return seconds
    }

    // Seconds by `date -u -d … +%s`.
    @Test(
        "UTCTime stands for the years 1950 to 2049",
        arguments: [
            ("700101000000Z", 0), ("500101000000Z", -631_152_000), ("491231235959Z", 2_524_607_999),
            ("000229120000Z", 951_825_600), ("991231235959Z", 946_684_799), ("240229000000Z", 1_709_164_800),
            ("691231235959Z", -1),
        ])
    func utcTime(text: String, seconds: Int64) throws {
        #expect(try read(.utcTime, text) == seconds)
    }

    @Test(
        "GeneralizedTime stands for any year",
        arguments: [
            ("20500101000000Z", 2_524_608_000), ("19491231235959Z", -631_152_001), ("21000228235959Z", 4_107_542_399),
            ("99991231235959Z", 253_402_300_799), ("00000101000000Z", -62_167_219_200),
            ("20000229000000Z", 951_782_400),
            ("20111006083956Z", 1_317_890_396), ("20491231235959Z", 2_524_607_999),
        ])
    func generalizedTime(text: String, seconds: Int64) throws {
        #expect(try read(.generalizedTime, text) == seconds)
    }

    @Test(
        "moments that do not exist, and other forms, are refused",
        arguments: [
            "230229000000Z", "000001000000Z", "001301000000Z", "000100000000Z", "000132000000Z", "000431000000Z",
            "000101240000Z", "000101006000Z", "000101000060Z", "0001010000Z", "000101000000", "000101000000z",
            "000101000000+0000", "00010100000 Z", "", "-00101000000Z", "00010100000.Z", "２00101000000Z",
        ])
    func refusedUTCTime(text: String) {
        #expect(throws: DERError.self) { try read(.utcTime, text) }
    }

    @Test(
        "fractions, missing seconds and century leap days are refused",
        arguments: [
            "20500101000000.5Z", "205001010000Z", "21000229000000Z", "20500101000000", "20500101000000+0100",
            "500101000000Z",
        ])
    func refusedGeneralizedTime(text: String) {
        #expect(throws: DERError.self) { try read(.generalizedTime, text) }
    }

    @Test("a time of another kind is refused where it stands")
    func otherKind() {
        var reader = DERReader([0x0C, 1, 0x31])
        #expect(throws: DERError(.unexpectedTag(expected: .generalizedTime, found: 0x0C), at: 0)) {
            try reader.readTime()
        }
        #expect(throws: DERError(.invalidTime, at: 0)) { try read(.utcTime, "230229000000Z") }
        #expect(throws: DERError(.invalidTime, at: 4)) { try read(.utcTime, "23x229000000Z") }
    }

    @Test("the calendar agrees with Foundation's on the first and last day of every month of eight centuries")
    func calendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for year in stride(from: 1_600, through: 2_400, by: 1) {
            for month in 1...12 {
                let days = CivilTime.days(inMonth: month, ofYear: year)
                for day in [1, days] {
                    let components = DateComponents(year: year, month: month, day: day, hour: 13, minute: 7, second: 59)
                    let date = try #require(calendar.date(from: components))
                    let seconds = CivilTime.seconds(year: year, month: month, day: day, hour: 13, minute: 7, second: 59)
                    #expect(seconds == Int64(date.timeIntervalSince1970))
                    #expect(CivilTime.components(of: seconds) == (year, month, day, 13, 7, 59))
                }
            }
        }
    }

    @Test("what is written is read again, at every boundary of the forms")
    func roundTrip() throws {
        for seconds: Int64 in [
            -62_167_219_200, -631_152_001, -631_152_000, -1, 0, 2_524_607_999, 2_524_608_000, 253_402_300_799,
        ] {
            let bytes = DERWriter.time(seconds)
            var reader = DERReader(bytes)
            #expect(try reader.readTime() == seconds)
            let isUTC = (-631_152_000..<2_524_608_000).contains(seconds)
            #expect(bytes[0] == (isUTC ? 0x17 : 0x18))
        }
        #expect(CivilTime.text(1_780_272_000) == "2026-06-01T00:00:00Z")
        #expect(CivilTime.seconds(Date(timeIntervalSince1970: -0.5)) == -1)
        #expect(CivilTime.seconds(Date(timeIntervalSince1970: 1e300)) == 253_402_300_799)
    }
}
