/// A point in time: milliseconds since the Unix epoch, UTC.
@frozen
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since the Unix epoch.
    public var milliseconds: Int64

    /// Creates the time `milliseconds` after the Unix epoch.
    @inlinable @inline(__always)
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The last moment of the year 9999.
    @inlinable public static var latest: Timestamp { Timestamp(milliseconds: 253_402_300_799_999) }

    /// Whether the time is within the years 1970 to 9999.
    ///
    /// Readers reject other times, so that arithmetic on accepted times cannot overflow.
    @inlinable public var isReadable: Bool { milliseconds >= 0 && milliseconds <= Self.latest.milliseconds }

    /// This time, clamped to the years 1970 to 9999.
    @inlinable public var readable: Timestamp {
        Timestamp(milliseconds: min(max(milliseconds, 0), Self.latest.milliseconds))
    }

    /// Whether `left` is earlier than `right`.
    @inlinable public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Returns the seconds from `earlier` to this time; negative if this time is earlier.
    ///
    /// Exact within 285,000 years of 1970, approximate beyond; never traps.
    @inlinable @inline(__always)
    public func seconds(since earlier: Timestamp) -> Double {
        (Double(milliseconds) - Double(earlier.milliseconds)) / 1000
    }

    /// Returns this time plus `seconds`, rounded to milliseconds; unchanged for NaN and beyond ±1e12 s.
    @inlinable public func advanced(bySeconds seconds: Double) -> Timestamp {
        guard abs(seconds) <= 1e12 else { return self }
        return Timestamp(milliseconds: milliseconds &+ Int64((seconds * 1000).rounded()))
    }
}
