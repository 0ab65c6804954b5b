import Support

/// The low 32 bits of a time in milliseconds, enough to measure spans of up to 24 days.
package struct ShortTime: Sendable, Equatable {
    package var bits: UInt32 = 0

    package init() {}

    @inline(__always) package init(_ time: Timestamp) { bits = UInt32(truncatingIfNeeded: time.milliseconds) }

    /// Returns the seconds from this time until `time`; negative if `time` is earlier.
    @inline(__always) package func seconds(until time: Timestamp) -> Double {
        Double(Int32(bitPattern: UInt32(truncatingIfNeeded: time.milliseconds) &- bits)) / 1000
    }
}
