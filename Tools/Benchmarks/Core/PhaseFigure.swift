/// One run of a phase, per fix.
struct PhaseRun {
    var nanoseconds: Double
    var allocations: Double
}

/// What a phase costs per fix, over its runs.
struct PhaseFigure: Encodable {
    var phase: String
    /// The median of the runs.
    var nanosecondsPerFix: Double
    /// The fewest of the runs: what a warm stage takes.
    var allocationsPerFix: Double

    init(phase: Phase, runs: [PhaseRun]) {
        self.phase = phase.rawValue
        let times = runs.map(\.nanoseconds).sorted()
        nanosecondsPerFix = (times[times.count / 2] * 10).rounded() / 10
        allocationsPerFix = ((runs.map(\.allocations).min() ?? 0) * 1e4).rounded() / 1e4
    }

    private enum CodingKeys: String, CodingKey {
        case phase
        case nanosecondsPerFix = "nanoseconds_per_fix"
        case allocationsPerFix = "allocations_per_fix"
    }

    var text: String {
        let name = phase + String(repeating: " ", count: max(0, 10 - phase.count))
        return "\(name) \(nanosecondsPerFix) ns per fix, \(allocationsPerFix) allocations per fix"
    }
}
