import Tracking

/// Mean speeds of recorded trips, by half: what is known of the roads without the trip that is predicted.
package struct SpeedBook: Sendable {
    /// One trip.
    package struct Entry: Sendable, Equatable {
        package var routeID: String?
        package var half: EvaluationHalf
        package var meters: Double
        package var seconds: Double

        package init(routeID: String?, half: EvaluationHalf, meters: Double, seconds: Double) {
            self.routeID = routeID
            self.half = half
            self.meters = meters
            self.seconds = seconds
        }
    }

    /// So few trips of a line say less than all of the recording.
    private static let enoughTrips = 3

    private let entries: [Entry]
    private let elsewhere: [Entry]

    /// - Parameters:
    ///   - entries: the recording's own trips.
    ///   - elsewhere: those of other recordings, for a recording of one trip.
    package init(entries: [Entry], elsewhere: [Entry] = []) {
        self.entries = entries
        self.elsewhere = elsewhere
    }

    /// The mean speed of the recording's trips of the other half, in m/s: standing included.
    package func meanSpeed(half: EvaluationHalf) -> Double {
        let others = entries.filter { $0.half != half }
        return Self.mean(others) ?? Self.mean(elsewhere) ?? ArrivalSettings().defaultSpeedMetersPerSecond
    }

    /// What a planner expects: the mean speed on the same line, where there are enough trips of it.
    package func plannedSpeed(routeID: String?, half: EvaluationHalf) -> Double {
        guard let routeID else { return meanSpeed(half: half) }
        let line = entries.filter { $0.half != half && $0.routeID == routeID }
        guard line.count >= Self.enoughTrips, let speed = Self.mean(line) else { return meanSpeed(half: half) }
        return speed
    }

    private static func mean(_ entries: [Entry]) -> Double? {
        let meters = entries.reduce(0) { $0 + $1.meters }
        let seconds = entries.reduce(0) { $0 + $1.seconds }
        return meters > 0 && seconds > 0 ? meters / seconds : nil
    }
}
