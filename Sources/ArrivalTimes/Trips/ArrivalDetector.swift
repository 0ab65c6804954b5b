import Support

/// Notices that the vehicle stands at the pickup or dropoff as if it had arrived: a suggestion, never a state.
package struct ArrivalDetector: Sendable, Equatable {
    /// Thresholds of the detection.
    ///
    /// Defaults: the pickup radius of a large open ride-hailing backend (NY-LTS, 40 m),
    /// the speed of a vehicle that rolls to the kerb, and the ten seconds that tell a stop from a red light's creep.
    package struct Settings: Sendable, Equatable {
        /// At most this far from the stop, in metres (inclusive).
        package var radiusMeters = 40.0
        /// Below this speed, in m/s (exclusive).
        package var speedMetersPerSecond = 2.0
        /// For at least this long, in seconds (inclusive).
        package var dwellSeconds = 10.0

        /// What is wrong with the settings, one sentence each; empty when they can be used.
        package func problems() -> [String] {
            radiusMeters > 0 && speedMetersPerSecond > 0 && dwellSeconds >= 0
                ? [] : ["Arrival detection needs a radius and a speed above 0 and a dwell of at least 0 seconds."]
        }
    }

    /// Since when fixes have been near and slow without a break; `nil` when the last one was not.
    package var nearSince: Timestamp?
    /// Whether the dwell has been reached.
    package var hasArrived = false

    /// Takes in one fix, `distanceMeters` from the stop that the trip's state expects to be reached next.
    package mutating func update(
        distanceMeters: Double, speedMetersPerSecond: Double, at time: Timestamp, settings: Settings
    ) {
        guard distanceMeters <= settings.radiusMeters, speedMetersPerSecond < settings.speedMetersPerSecond else {
            self = ArrivalDetector()
            return
        }
        let since = nearSince ?? time
        nearSince = since
        hasArrived = time.seconds(since: since) >= settings.dwellSeconds
    }
}
