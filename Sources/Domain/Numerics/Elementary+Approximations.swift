extension Elementary {
    /// Returns an approximate cosine of an angle within ±π/2, in radians; twice as fast as ``cos(_:)``.
    ///
    /// Taylor series to the 14th power, with an error below 1e-10, and 2e-12 up to 70°.
    @usableFromInline @inline(__always) package static func approximateCosine(_ angle: Double) -> Double {
        let x = angle * angle
        let xx = x * x
        // Pairs of terms, for instruction-level parallelism.
        let low = (1 - x * (1 / 2)) + xx * (1 / 24 - x * (1 / 720))
        let high = (1 / 40_320 - x * (1 / 3_628_800)) + xx * (1 / 479_001_600 - x * (1 / 87_178_291_200))
        return low + xx * xx * high
    }

    /// Returns an approximate natural logarithm of a positive, normal number, with an error below 2e-5.
    @inline(__always) package static func approximateLogarithm(_ value: Double) -> Double {
        let significandBits = value.bitPattern & 0xf_ffff_ffff_ffff | (1.0).bitPattern
        let exponent = Double(Int32(truncatingIfNeeded: value.bitPattern >> 52) - 1023)
        // 2 artanh((m - 1) / (m + 1)) for a significand m in [1, 2), to the 7th power.
        let significand = Double(bitPattern: significandBits)
        let share = (significand - 1) / (significand + 1)
        let x = share * share
        return 2 * share * (1 + x * (1 / 3 + x * (1 / 5 + x * (1 / 7)))) + exponent * 0.693_147_180_559_945_3
    }
}
