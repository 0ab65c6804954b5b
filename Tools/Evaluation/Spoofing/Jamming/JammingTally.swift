import Domain
import Support

/// Results of drivers in jammed quarters, or of cheaters in towns without jamming.
package struct JammingTally: Encodable, Sendable {
    package let kind: String
    /// Whether the detector recognises GNSS interference.
    package let detectsInterference: Bool
    package private(set) var towns = 0
    /// Drivers with a displaced fix, and those of them rejected as spoofed, suspect, flagged, or labelled as disturbed.
    package private(set) var drivers = 0
    package private(set) var rejectedDrivers = 0
    package private(set) var suspectDrivers = 0
    package private(set) var flaggedDrivers = 0
    package private(set) var labelledDrivers = 0
    /// Displaced fixes, and those of them that were accepted.
    package private(set) var displacedFixes = 0
    package private(set) var acceptedDisplacedFixes = 0
    /// True fixes after the jamming, and those of them that were rejected.
    package private(set) var laterFixes = 0
    package private(set) var rejectedLaterFixes = 0
    /// Seconds from the onset to the first label in each town with a label, and their median.
    package private(set) var delaysSeconds: [Int] = []
    package private(set) var medianDelaySeconds: Int?

    private init(_ kind: JammingKind, detectsInterference: Bool) {
        self.kind = kind.rawValue
        self.detectsInterference = detectsInterference
    }

    /// Measures each kind of jamming with and without the recognition of interference.
    static func measure(towns: Int, seed: UInt64, _ settings: TrackingSettings) -> [JammingTally] {
        var tallies = JammingKind.allCases.flatMap { kind in
            [true, false].map { JammingTally(kind, detectsInterference: $0) }
        }
        var without = settings
        // Interference is never recognised, because this number exceeds the drivers of a town.
        without.disturbance.drivers = 1024
        for number in 0..<towns {
            let town = JammedTown(seed: seed, number: number)
            for (index, kind) in JammingKind.allCases.enumerated() {
                let traces =
                    kind == .cheaters ? town.withCheaters(seed: seed) : town.jammed(kind, seed: seed &+ UInt64(number))
                for (variant, settings) in [settings, without].enumerated() {
                    var run = EvaluatedRun(settings: settings)
                    tallies[2 * index + variant].add(traces, run.evaluate(traces))
                }
            }
        }
        return tallies
    }

    private mutating func add(_ traces: [ReceivedTrace], _ outcomes: [[FixOutcome]]) {
        towns += 1
        var onset: Timestamp?
        var firstLabel: Timestamp?
        for (trace, outcomes) in zip(traces, outcomes) {
            guard let first = trace.isForged.firstIndex(of: true), let last = trace.isForged.lastIndex(of: true)
            else { continue }
            drivers += 1
            let rest = outcomes[first...]
            onset = min(onset ?? outcomes[first].at, outcomes[first].at)
            if rest.contains(where: \.isRejectedAsSpoofed) { rejectedDrivers += 1 }
            if rest.contains(where: \.isSuspect) { suspectDrivers += 1 }
            if rest.contains(where: \.isFlagged) { flaggedDrivers += 1 }
            if let label = rest.first(where: { $0.reasons.contains(.gnssDisturbance) }) {
                labelledDrivers += 1
                firstLabel = min(firstLabel ?? label.at, label.at)
            }
            for index in first..<outcomes.count {
                if trace.isForged[index] {
                    displacedFixes += 1
                    if !outcomes[index].isRejected { acceptedDisplacedFixes += 1 }
                } else if index > last {
                    laterFixes += 1
                    if outcomes[index].isRejected { rejectedLaterFixes += 1 }
                }
            }
        }
        if let onset, let firstLabel { delaysSeconds.append(Int(firstLabel.seconds(since: onset).rounded())) }
        medianDelaySeconds = delaysSeconds.sorted().quantile(0.5)
    }
}
