/// Thresholds and rates of rider updates.
package struct BroadcastSettings: Sendable, Equatable {
    /// Minimum average interval between sent positions of a trip, by their timestamps.
    package var locationIntervalMilliseconds: Int64 = 1000
    /// Milliseconds by which a position may be early, because phone intervals vary; added to the next interval.
    package var locationToleranceMilliseconds: Int64 = 200
    /// Bounds of the time over which a map moves the marker, in milliseconds; the upper bound is for idle drivers.
    package var shortestHintMilliseconds: Int64 = 500
    package var longestHintMilliseconds: Int64 = 60_000
    /// Time over which a map moves the marker before intervals between positions are known, in milliseconds.
    package var firstHintMilliseconds: Int64 = 2000

    /// Minimum gap that is reported as silence, as a multiple of the vehicle's usual interval.
    package var silentIntervals = 1.5

    /// Change of an ETA, in seconds, above which it is sent, if ``etaMovedShare`` is also exceeded.
    package var etaMovedSeconds = 30.0
    /// Change of an ETA as a share of the remaining time.
    package var etaMovedShare = 0.1
    /// Increase of an ETA, in seconds, below which a second record must confirm it, because most are red lights.
    package var confirmedIncreaseSeconds = 60.0
    /// Maximum seconds between ETAs, or three intervals of the vehicle if longer; sent with the next position.
    package var refreshSeconds = 60.0
    /// Maximum remaining seconds at which a changed flag or lower confidence at a stop of a run is sent at once.
    package var nearSeconds = 300.0
    /// Change of the awaited arrival since the last notification, in seconds, above which the rider is notified.
    package var notifiedMoveSeconds = 300.0

    /// Minimum occupancy in percent for few seats, standing passengers and a full vehicle.
    package var fewSeatsPercent = 50
    package var standingPercent = 80
    package var fullPercent = 100

    package init() {}

    package func problems() -> [String] {
        settingProblems(
            of: self, .above(0, \.refreshSeconds, \.notifiedMoveSeconds),
            .atLeast(0, \.etaMovedSeconds, \.etaMovedShare),
            .atLeast(0, \.locationIntervalMilliseconds, \.locationToleranceMilliseconds, \.shortestHintMilliseconds),
            .atLeast(1, \.silentIntervals),
            .that(
                shortestHintMilliseconds <= firstHintMilliseconds && firstHintMilliseconds <= longestHintMilliseconds,
                "firstHintMilliseconds must be within shortestHintMilliseconds to longestHintMilliseconds."),
            .that(
                fewSeatsPercent <= standingPercent && standingPercent <= fullPercent,
                "fewSeatsPercent, standingPercent and fullPercent must be ascending."))
    }
}
