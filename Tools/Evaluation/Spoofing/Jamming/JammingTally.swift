import Domain
import Support

/// Results of drivers in jammed quarters, or of cheaters in towns without jamming.
package struct JammingTally: Encodable, Sendable {
    package let kind: String
    /// Whether the detector recognises GNSS interference.
    package let detectsInterference: Bool
    /// Drivers with a displaced fix, and how many of these are suspect, flagged, or labelled as disturbed.
    package private(set) var drivers = 0
    package private(set) var suspectDrivers = 0
    package private(set) var flaggedDrivers = 0
    package private(set) var labelledDrivers = 0
    /// Seconds from the onset to the first label in each town with a label, and their median.
    package private(set) var delaysSeconds: [Int] = []
    package private(set) var medianDelaySeconds: Int?

    private init(_ kind: JammingKind, detectsInterference: Bool) {
        self.kind = kind.rawValue
        self.detectsInterference = detectsInterference
    }

    /// Measures each kind of jamming with and without the recognition of interference.
    static func measure(towns: Int, seed: UInt64) -> [JammingTally] {
        var tallies = JammingKind.allCases.flatMap { kind in
            [true, false].map { JammingTally(kind, detectsInterference: $0) }
        }
        var without = TrackingSettings()
        // Interference is never recognised, because this number exceeds the drivers of a town.
        without.disturbance.drivers = 1024
        for number in 0..<towns {
            let town = JammedTown(seed: seed, number: number)
            for (index, kind) in JammingKind.allCases.enumerated() {
                let traces =
                    kind == .cheaters ? town.withCheaters(seed: seed) : town.jammed(kind, seed: seed &+ UInt64(number))
                for (variant, settings) in [TrackingSettings(), without].enumerated() {
                    var run = EvaluatedRun(settings: settings)
                    tallies[2 * index + variant].add(traces, run.evaluate(traces))
                }
            }
        }
        return tallies
    }

    private mutating func add(_ traces: [ReceivedTrace], _ outcomes: [[FixOutcome]]) {
        var onset: Timestamp?
        var firstLabel: Timestamp?
        for (trace, outcomes) in zip(traces, outcomes) {
            guard let first = trace.isForged.firstIndex(of: true) else { continue }
            drivers += 1
            let rest = outcomes[first...]
            onset = min(onset ?? outcomes[first].at, outcomes[first].at)
            if rest.contains(where: \.isSuspect) { suspectDrivers += 1 }
            if rest.contains(where: \.isFlagged) { flaggedDrivers += 1 }
            if let label = rest.first(where: { $0.reasons.contains(.gnssDisturbance) }) {
                labelledDrivers += 1
                firstLabel = min(firstLabel ?? label.at, label.at)
            }
        }
        if let onset, let firstLabel { delaysSeconds.append(Int(firstLabel.seconds(since: onset).rounded())) }
        medianDelaySeconds = delaysSeconds.sorted().quantile(0.5)
    }
}
