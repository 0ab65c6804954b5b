/// The low 32 bits of a time in milliseconds: enough to measure spans of up to 24 days, in half the bytes.
struct ShortTime: Sendable, Equatable {
    var bits: UInt32 = 0

    init() {}

    @inline(__always)
    init(_ time: Timestamp) { bits = UInt32(truncatingIfNeeded: time.milliseconds) }

    /// Seconds from this time until `time`; negative when that came first.
    @inline(__always)
    func seconds(until time: Timestamp) -> Double {
        Double(Int32(bitPattern: UInt32(truncatingIfNeeded: time.milliseconds) &- bits)) / 1000
    }
}
