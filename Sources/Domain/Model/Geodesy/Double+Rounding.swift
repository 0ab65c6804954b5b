extension Double {
    /// This number plus 0.5 away from zero; conversion to an integer then rounds to nearest.
    ///
    /// `rounded()` gives the same result, but calls the C library on older processors, and a fix is rounded about 30
    /// times.
    @inline(__always)
    package var halfAwayFromZero: Double { self + Double(signOf: self, magnitudeOf: 0.5) }
}
