import BelayCertificates
import FoundationEssentials

/// Times as RFC 3339 writes them.
public enum RFC3339 {
    /// Reads a time such as `2026-12-01T00:00:00Z`, `2026-12-01T01:00:00+01:00` or `2026-12-01T00:00:00.5Z`; nil for
    /// anything else, dates that do not exist included. A leap second is not a moment here.
    public static func date(_ text: String) -> Date? {
        let units = Array(text.utf8)
        guard units.count >= 20, units[4] == 0x2D, units[7] == 0x2D, units[10] | 0x20 == 0x74, units[13] == 0x3A,
            units[16] == 0x3A, let year = number(units, 0, 4), let month = number(units, 5, 2),
            let day = number(units, 8, 2), let hour = number(units, 11, 2), let minute = number(units, 14, 2),
            let second = number(units, 17, 2), (1...12).contains(month),
            day >= 1, day <= CivilTime.days(inMonth: month, ofYear: year), hour < 24, minute < 60, second < 60
        else { return nil }
        var position = 19
        var fraction = 0.0
        if units[position] == 0x2E {
            var scale = 0.1
            position += 1
            let start = position
            while position < units.count, let digit = number(units, position, 1) {
                fraction += Double(digit) * scale
                scale /= 10
                position += 1
            }
            guard position > start, position < units.count else { return nil }
        }
        guard let offset = offset(units, position) else { return nil }
        let seconds = CivilTime.seconds(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        return Date(timeIntervalSince1970: Double(seconds) - Double(offset) + fraction)
    }

    /// Writes a moment in UTC, in whole seconds.
    public static func text(_ date: Date) -> String { CivilTime.text(date) }

    /// `Z` or `±HH:MM`, in seconds east of Greenwich.
    private static func offset(_ units: [UInt8], _ position: Int) -> Int? {
        if units[position] | 0x20 == 0x7A { return units.count == position + 1 ? 0 : nil }
        guard units.count == position + 6, units[position + 3] == 0x3A, let hours = number(units, position + 1, 2),
            let minutes = number(units, position + 4, 2), hours < 24, minutes < 60
        else { return nil }
        switch units[position] {
        case 0x2B: return hours * 3_600 + minutes * 60
        case 0x2D: return -(hours * 3_600 + minutes * 60)
        default: return nil
        }
    }

    private static func number(_ units: [UInt8], _ start: Int, _ count: Int) -> Int? {
        guard start + count <= units.count else { return nil }
        var value = 0
        for unit in units[start..<(start + count)] {
            guard unit >= 0x30, unit <= 0x39 else { return nil }
            value = value * 10 + Int(unit - 0x30)
        }
        return value
    }
}
