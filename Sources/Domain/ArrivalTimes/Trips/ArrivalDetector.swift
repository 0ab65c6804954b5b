import Support

/// Detector of arrival at the pickup or dropoff; a suggestion that does not change the trip's state.
package struct ArrivalDetector: Sendable, Equatable {
    /// Limits of arrival: by default 40 m, as in an open ride-hailing backend (NY-LTS), and 10 s, to exclude creeping
    /// at a traffic light.
    package struct Settings: Sendable, Equatable {
        /// Maximum distance from the stop, in metres (inclusive).
        package var radiusMeters = 40.0
        /// Maximum speed, in m/s (exclusive).
        package var speedMetersPerSecond = 2.0
        /// Minimum duration, in seconds (inclusive).
        package var dwellSeconds = 10.0

        package func problems() -> [String] {
            settingProblems(of: self, .above(0, \.radiusMeters, \.speedMetersPerSecond), .atLeast(0, \.dwellSeconds))
        }
    }

    /// Time of the first of the consecutive near and slow fixes; `nil` if the last fix was not near and slow.
    package var nearSince: Timestamp?
    /// Whether the minimum duration has passed.
    package var hasArrived = false

    /// Updates with a fix at `distanceMeters` from the next expected stop.
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
