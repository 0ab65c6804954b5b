import Glibc

/// What is known of the roads without the trip that is predicted: from the recorded trips of the other half.
package struct SpeedBook: Sendable {
    /// One trip.
    package struct Entry: Sendable, Equatable {
        package var routeID: String?
        package var half: EvaluationHalf
        package var meters: Double
        package var seconds: Double
    }

    /// So few trips of a line say less than all of the recording.
    private static let enoughTrips = 3
    /// The exponent by which speed is assumed to grow with length within a recording.
    ///
    /// ``priorTrips`` is for how many trips (a factor of e from the mean length) that assumption counts. Both were
    /// chosen by looking at both halves of the recordings: they shape the plan that is compared with, not the
    /// estimates.
    private static let priorExponent = 0.15
    private static let priorTrips = 3.0

    /// Of the recording's own trips.
    let entries: [Entry]

    /// The speed that a trip of such a length has where nothing else is known, in m/s, standing included: longer trips
    /// use faster roads.
    ///
    /// Least squares on the logarithms over the fitting halves of twelve recordings (the traces and logs of
    /// shared/data), each recording weighing as the root of its number of trips.
    static func usualSpeed(meters: Double) -> Double { max(2, min(33, 3.6 * pow(max(0, meters) / 1000, 0.346))) }

    /// The mean speed of the recording's trips of the other half, in m/s: standing included.
    package func meanSpeed(half: EvaluationHalf, meters: Double) -> Double {
        let others = entries.filter { $0.half != half }
        let seconds = others.reduce(0) { $0 + $1.seconds }
        return seconds > 0 ? others.reduce(0) { $0 + $1.meters } / seconds : Self.usualSpeed(meters: meters)
    }

    /// The speed that a planner expects on the roads of a trip, in m/s: the mean on the same line, where the recording
    /// has three such trips of the other half, else that of its other trips, as far as longer trips are faster there.
    ///
    /// `meters` is the length of the whole trip, which stands for the kind of roads it uses.
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

    /// The slope of the logarithm of speed over that of length, drawn towards ``priorExponent``.
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
