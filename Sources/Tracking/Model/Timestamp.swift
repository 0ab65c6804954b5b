/// A point in time: milliseconds since the Unix epoch, UTC.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    @inline(__always)
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// Seconds from `earlier` to this time; negative when this time comes first.
    ///
    /// Exact within 285,000 years of 1970; beyond, where only corrupt times lie, approximate, but never a trap.
    @inline(__always)
    package func seconds(since earlier: Timestamp) -> Double {
        (Double(milliseconds) - Double(earlier.milliseconds)) / 1000
    }

    /// This time moved by `seconds`, rounded to the millisecond.
    package func advanced(bySeconds seconds: Double) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64((seconds * 1000).rounded()))
    }
}
