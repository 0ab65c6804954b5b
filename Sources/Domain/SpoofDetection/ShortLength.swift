/// Length in 1/512 m, up to 128 m, enough for every usable accuracy.
struct ShortLength: Sendable, Equatable, BitwiseCopyable {
    var bits: UInt16 = 0

    init() {}

    /// Creates the nearest stored length; longer lengths saturate.
    @inline(__always) init(meters: Double) { bits = UInt16(max(0, min(65_535, (meters * 512).halfAwayFromZero))) }

    @inline(__always) var meters: Double { Double(bits) / 512 }
}

/// Sum of lengths in 1/16 m, up to 4 km, seven times the distance of 10 s at 200 km/h.
struct ShortDistance: Sendable, Equatable, BitwiseCopyable {
    var bits: UInt16 = 0

    @inline(__always) var meters: Double { Double(bits) / 16 }

    @inline(__always) static func += (sum: inout ShortDistance, meters: Double) {
        sum.bits = UInt16(max(0, min(65_535, (Double(sum.bits) + meters * 16).halfAwayFromZero)))
    }
}
