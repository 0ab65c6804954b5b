/// Fixes of an honest driver, and how many of them were lost.
struct DriverLoss: Sendable, Equatable {
    /// Names a driver within a recording.
    struct Driver: Sendable, Hashable {
        var origin: String
        var name: String
    }

    var fixes = 0
    /// Rejected for an accusing reason or as `CLOCK_SKEW`.
    var lostFixes = 0
    var clockSkewFixes = 0

    /// Share of the fixes that honest drivers may lose.
    static let target = 0.001

    var share: Double { SpoofingReport.share(lostFixes, of: fixes) }

    mutating func add(_ outcome: FixOutcome) {
        fixes += 1
        guard outcome.isLost else { return }
        lostFixes += 1
        if outcome.reasons.contains(.clockSkew) { clockSkewFixes += 1 }
    }

    mutating func add(_ other: DriverLoss) {
        fixes += other.fixes
        lostFixes += other.lostFixes
        clockSkewFixes += other.clockSkewFixes
    }

    func adding(_ other: DriverLoss) -> DriverLoss {
        var sum = self
        sum.add(other)
        return sum
    }
}
