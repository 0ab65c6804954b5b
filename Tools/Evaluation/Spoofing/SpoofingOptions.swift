import Domain

/// What a measurement of spoof detection is to cover.
package struct SpoofingOptions: Sendable {
    /// Attacks of each kind.
    package var attacks = 200
    package var kinds = AttackKind.allCases
    package var seed: UInt64 = 1
    /// Which traces are judged: one half is for fitting constants, the other for checking them.
    package var half = EvaluationHalf.all
    /// Simulated driver-hours.
    package var simulatedHours = 0
    /// Towns in which a quarter is jammed.
    package var jammedTowns = 0
    /// Whether each attack is judged once more for every signal, with the others silent.
    package var triesSignalsAlone = false
    /// Intervals in seconds to which hosts are thinned, to see what is found at each.
    package var samplings: [Double] = [1, 4, 20]
    /// Whether tracks are made to go faster than any vehicle.
    package var measuresRaces = true
    /// Whether the partition remembers an hour of other drivers' tracks, as one does that is full.
    package var fillsMemory = true
    package var settings = TrackingSettings()

    package init() {}
}
