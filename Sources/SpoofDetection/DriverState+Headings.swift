extension DriverState {
    /// How often the reported heading changes while the vehicle drives; see ``OverdueHeadingRule``.
    struct Headings: Sendable, Equatable {
        /// A short hash of the last one; 0 where there is none.
        var hash: UInt8 = 0
        var habit = Habit()
    }
}

extension DriverState.Headings {
    /// What comes next does not follow from the last heading; the habit stays.
    @inline(__always)
    mutating func breakOff() {
        hash = 0
        habit.overdue = 0
    }

    /// Notes a heading, of a device whose habits are known or not; answers whether it is the same as the last one.
    @inline(__always)
    mutating func learn(_ degrees: Double, after fixes: UInt8, isLearnt: Bool) -> Bool {
        let bits = degrees.bitPattern
        let mixed = (bits ^ (bits >> 32)) &* 0xd6e8_feb8_6659_fd93
        let new = max(1, UInt8(truncatingIfNeeded: mixed >> 56))
        let last = hash
        hash = new
        guard last != 0 else { return false }
        habit.observe(hasChanged: new != last, after: fixes, isLearnt: isLearnt)
        return new == last
    }
}
