/// A point in time: milliseconds since the Unix epoch, UTC.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    @inline(__always)
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The last moment of the year 9999.
    package static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    /// Whether it lies in the years 1970 to 9999: readers take no other times, so that those behind them can add and
    /// subtract without a thought.
    package var isReadable: Bool { milliseconds >= 0 && milliseconds <= Self.latest.milliseconds }

    /// The nearest time in the years 1970 to 9999.
    package var readable: Timestamp { Timestamp(milliseconds: min(max(milliseconds, 0), Self.latest.milliseconds)) }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// Seconds from `earlier` to this time; negative when this time comes first.
    ///
    /// Exact within 285,000 years of 1970; beyond, where only corrupt times lie, approximate, but never a trap.
    @inline(__always)
    package func seconds(since earlier: Timestamp) -> Double {
        (Double(milliseconds) - Double(earlier.milliseconds)) / 1000
    }

    /// This time moved by `seconds`, rounded to the millisecond; not at all by what is over 30,000 years or no number.
    package func advanced(bySeconds seconds: Double) -> Timestamp {
        guard abs(seconds) <= 1e12 else { return self }
        return Timestamp(milliseconds: milliseconds &+ Int64((seconds * 1000).rounded()))
    }
}
