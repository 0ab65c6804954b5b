import CSimdJSON
import Support

/// Conversion between times and ISO 8601 text.
package enum ISO8601 {
    /// Reads `2026-03-14T18:32:15.123Z` and its usual variants.
    ///
    /// These are `t` or a space for `T`, a comma before the decimals, any number of decimals or none, and `z` or an
    /// offset such as `+01:00`, `+0100` or `+01` for `Z`.
    /// - Returns: `nil` for invalid text, and for times outside the years 1970 to 9999 in UTC.
    package static func time(_ text: ByteSlice) -> Timestamp? {
        guard let start = text.start?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var milliseconds: Int64 = 0
        return sl_parse_time(start, text.count, &milliseconds) ? Timestamp(milliseconds: milliseconds) : nil
    }

    /// Writes a time in quotes, in UTC with milliseconds, clamped to the years 1970 to 9999.
    package static func write(_ time: Timestamp, into writer: inout ByteWriter) {
        writer.appendJSON(atMost: JSONCursor.timestampCount) { $0.timestamp(time) }
    }
}

extension Timestamp {
    /// Reads a time that an app wrote as a number; its magnitude selects the unit.
    ///
    /// From 100,000,000,000: milliseconds since 1970. From 1,400,000,000: seconds since 1970.
    /// Below: seconds since 2001, as Swift's `JSONEncoder` writes dates. `nil` if the number is
    /// negative, NaN or after the year 9999.
    package init?(numericTime number: Double) {
        var milliseconds: Int64 = 0
        guard sl_time_of_number(number, &milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
