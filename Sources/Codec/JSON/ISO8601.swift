import CSimdJSON
import Support

/// Times as text, for those who handle records without reading them.
package enum ISO8601 {
    /// Reads `2026-03-14T18:32:15.123Z`, with any number of decimals or none, and `Z` or an offset such as `+01:00`.
    /// - Returns: `nil` when the text is none, or not in the years 1970 to 9999.
    package static func time(_ text: ByteSlice) -> Timestamp? {
        guard let start = text.start?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var milliseconds: Int64 = 0
        return sl_parse_time(start, text.count, &milliseconds) ? Timestamp(milliseconds: milliseconds) : nil
    }

    /// Writes a time in quotes, in UTC with milliseconds; outside the years 1970 to 9999 the nearest one within.
    package static func write(_ time: Timestamp, into writer: inout ByteWriter) {
        writer.appendJSON(atMost: JSONCursor.timestampCount) { $0.timestamp(time) }
    }
}
