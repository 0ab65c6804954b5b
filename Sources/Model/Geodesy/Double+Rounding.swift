extension Double {
    /// This number and a half more, away from zero: made an integer, which cuts off what is behind the point, it is the
    /// nearest one.
    ///
    /// `rounded()` gives the same, but is a call into the mathematics library on processors that are not the newest,
    /// and a fix is rounded some thirty times.
    @inline(__always)
    package var halfAwayFromZero: Double { self + Double(signOf: self, magnitudeOf: 0.5) }
}
