package struct HonestTally: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case name, traces, drivers, fixes, rejectedFixes, rejectedShare, suspectTraces, flaggedTraces, highestRisk
        case baselineShare
    }

    package let name: String
    package private(set) var traces = 0
    package private(set) var drivers = 0
    package private(set) var fixes = 0
    /// Fixes rejected as spoofed or as `CLOCK_SKEW`, and their share.
    package private(set) var rejectedFixes = 0
    package private(set) var rejectedShare = 0.0
    /// Traces with a risk above the limits for suspects and for flags.
    package private(set) var suspectTraces = 0
    package private(set) var flaggedTraces = 0
    package private(set) var highestRisk: Float = 0
    /// Share of the fixes that match a baseline rule.
    package private(set) var baselineShare = 0.0

    private var baselineFixes = 0
    private var known: Set<[String]> = []

    init(name: String) { self.name = name }

    mutating func add(_ trace: ReceivedTrace, _ outcomes: [FixOutcome], _ baselineHits: [Bool]) {
        guard !outcomes.isEmpty else { return }
        traces += 1
        known.insert([trace.origin, trace.driver])
        drivers = known.count
        fixes += outcomes.count
        rejectedFixes += outcomes.count(where: \.isLost)
        rejectedShare = rejectedFixes.share(of: fixes)
        if outcomes.contains(where: \.isSuspect) { suspectTraces += 1 }
        if outcomes.contains(where: \.isFlagged) { flaggedTraces += 1 }
        highestRisk = outcomes.reduce(highestRisk) { max($0, $1.risk) }
        baselineFixes += baselineHits.count { $0 }
        baselineShare = baselineFixes.share(of: fixes)
    }
}

extension Int {
    /// Returns the quotient of two counts; 0 if `whole` is 0.
    func share(of whole: Int) -> Double { whole == 0 ? 0 : Double(self) / Double(whole) }
}
