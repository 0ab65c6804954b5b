import Glibc

/// Expected speeds of trips, from the recorded trips of the other half.
package struct SpeedBook: Sendable {
    /// Distance and duration of one trip.
    package struct Entry: Sendable, Equatable {
        /// Line; `nil` if the recording has no line for the trip.
        package var routeID: String?
        package var half: EvaluationHalf
        package var meters: Double
        package var seconds: Double
    }

    /// Minimum number of trips for a mean of a line.
    private static let enoughTrips = 3
    /// Assumed exponent of speed over length within a recording, and its weight as a number of trips.
    ///
    /// Both were chosen on both halves of the recordings; they affect planned durations only.
    private static let priorExponent = 0.15
    private static let priorTrips = 3.0

    /// Trips of the recording.
    let entries: [Entry]

    /// Returns the usual mean speed of a trip of this length in m/s, including stops: longer trips use faster roads.
    ///
    /// Fitted by least squares on the logarithms over the fitting halves of twelve recordings, each weighted with the
    /// square root of its number of trips.
    static func usualSpeed(meters: Double) -> Double { max(2, min(33, 3.6 * pow(max(0, meters) / 1000, 0.346))) }

    /// Returns the mean speed of the other half's trips in m/s, including stops.
    package func meanSpeed(half: EvaluationHalf, meters: Double) -> Double {
        let others = entries.filter { $0.half != half }
        let seconds = others.reduce(0) { $0 + $1.seconds }
        return seconds > 0 ? others.reduce(0) { $0 + $1.meters } / seconds : Self.usualSpeed(meters: meters)
    }

    /// Returns the speed in m/s that a planner expects for a trip of `meters`.
    ///
    /// This is the mean of the other half's trips on the same line if there are at least three, or else the mean of
    /// all trips of the other half, scaled to the length.
    package func plannedSpeed(meters: Double, routeID: String?, half: EvaluationHalf) -> Double {
        let others = entries.filter { $0.half != half }
        let line = routeID.map { id in others.filter { $0.routeID == id } } ?? []
        if line.count >= Self.enoughTrips {
            return line.reduce(0) { $0 + $1.meters } / max(1, line.reduce(0) { $0 + $1.seconds })
        }
        guard !others.isEmpty else { return Self.usualSpeed(meters: meters) }
        let exponent = Self.exponent(of: others)
        let scaled = others.reduce(0) { $0 + $1.meters / pow($1.meters / meters, exponent) }
        return scaled / others.reduce(0) { $0 + $1.seconds }
    }

    /// Returns the slope of log speed over log length, regularized towards ``priorExponent``.
    private static func exponent(of entries: [Entry]) -> Double {
        let lengths = entries.map { log($0.meters) }
        let speeds = entries.map { log($0.meters / $0.seconds) }
        let count = Double(entries.count)
        let (length, speed) = (lengths.reduce(0, +) / count, speeds.reduce(0, +) / count)
        var square = priorTrips
        var product = priorTrips * priorExponent
        for (one, other) in zip(lengths, speeds) {
            square += (one - length) * (one - length)
            product += (one - length) * (other - speed)
        }
        return product / square
    }
}
