/// What is worth telling those who watch a trip, and how often.
package struct BroadcastSettings: Sendable, Equatable {
    /// A trip's positions are passed on at most once in this many milliseconds of the times at which they were taken,
    /// on the whole.
    package var locationIntervalMilliseconds: Int64 = 1000
    /// A single position may come this many milliseconds early.
    ///
    /// A phone that sends every second and is now and then
    /// a little early would lose every other position otherwise. What comes early is added to the next wait.
    package var locationToleranceMilliseconds: Int64 = 200
    /// Bounds of the interpolation hint, in milliseconds.
    ///
    /// The longest is the rarest sampling that the case studies advise, of drivers who idle.
    package var shortestHintMilliseconds: Int64 = 500
    package var longestHintMilliseconds: Int64 = 60_000
    /// The hint before the rhythm is known, in milliseconds (the example of the ride-hailing case study).
    package var firstHintMilliseconds: Int64 = 2000

    /// A silence is told only once it is this many times as long as the vehicle's own interval between positions.
    package var silentIntervals = 1.5

    /// An ETA is sent again when it moved by more than the larger of this many seconds and ``etaMovedShare``.
    package var etaMovedSeconds = 30.0
    /// Share of what remains that an ETA may move before it is sent again.
    package var etaMovedShare = 0.1
    /// An increase below this many seconds waits for a second record that confirms it: most are a red light.
    package var confirmedIncreaseSeconds = 60.0
    /// ETAs are sent again with the first position after this many seconds, or after three intervals of the vehicle
    /// where that is longer.
    package var refreshSeconds = 60.0
    /// Nearer than this many seconds, another delay flag or less confidence at a stop of a run is told at once.
    package var nearSeconds = 300.0
    /// An ETA that moved by more than this many seconds since the rider was last notified is worth a notification.
    package var notifiedMoveSeconds = 300.0

    /// Occupancy in percent from which few seats are left, people stand, and the vehicle is full.
    package var fewSeatsPercent = 50
    package var standingPercent = 80
    package var fullPercent = 100

    package init() {}

    /// What is wrong with the settings, one sentence each; empty when they can be used.
    package func problems() -> [String] {
        var problems: [String] = []
        if locationIntervalMilliseconds < 0 || locationToleranceMilliseconds < 0
            || refreshSeconds <= 0
        {
            problems.append("Positions need an interval of at least 0 ms and refreshes one above 0 s.")
        }
        if shortestHintMilliseconds > longestHintMilliseconds || shortestHintMilliseconds < 0
            || !(shortestHintMilliseconds...longestHintMilliseconds).contains(firstHintMilliseconds)
        {
            problems.append("The first interpolation hint must lie between the shortest and the longest.")
        }
        if silentIntervals < 1 {
            problems.append("A silence is longer than the vehicle's interval: the factor is at least 1.")
        }
        if etaMovedSeconds < 0 || etaMovedShare < 0 || notifiedMoveSeconds <= 0 {
            problems.append("The thresholds for a moved ETA must not be negative.")
        }
        if fewSeatsPercent > standingPercent || standingPercent > fullPercent {
            problems.append("The occupancy levels must rise: few seats, standing, full.")
        }
        return problems
    }
}
