import Model
import Simulation
import Support

/// How good the promised arrivals were.
///
/// A promise is one stop of one record of trip.etas, taken at most every 5 s per trip. It is judged when the vehicle
/// came to the stop within the run: in a short run those are the promises that reach a few minutes ahead at most.
struct ArrivalScore: Sendable {
    struct Result: Equatable {
        var count: Int
        var meanAbsoluteErrorSeconds: Double
        /// The share of arrivals inside the promised interval; `nil` when no promise had one.
        var withinInterval: Double?
    }

    private struct Promise {
        var stop: Int
        var at: Timestamp
        var seconds: Double
        var interval: ClosedRange<Double>?
    }

    private static let spacingMilliseconds: Int64 = 5000
    private var promises: [String: [Promise]] = [:]
    private var lastAt: [String: Timestamp] = [:]

    /// Takes in a record; one that is flagged as stale promises nothing.
    mutating func note(_ eta: TripEta) {
        guard !eta.isStale else { return }
        if let last = lastAt[eta.tripID], eta.computedAt.milliseconds - last.milliseconds < Self.spacingMilliseconds {
            return
        }
        var hasPromise = false
        for (index, stop) in eta.stops.enumerated() where stop.status == .valid {
            guard let seconds = stop.seconds else { continue }
            var interval: ClosedRange<Double>?
            if let least = stop.minSeconds, let most = stop.maxSeconds, least <= most {
                interval = Double(least)...Double(most)
            }
            promises[eta.tripID, default: []].append(
                Promise(stop: index, at: eta.computedAt, seconds: Double(seconds), interval: interval))
            hasPromise = true
        }
        if hasPromise { lastAt[eta.tripID] = eta.computedAt }
    }

    /// Judges the promises by the arrivals; `nil` when there is none to judge.
    func result(_ trips: [TripTruth]) -> Result? {
        var count = 0
        var error = 0.0
        var bounded = 0
        var within = 0
        for trip in trips {
            for promise in promises[trip.tripID] ?? [] where promise.stop < trip.stops.count {
                guard let arrivedAt = trip.stops[promise.stop].arrivedAt, arrivedAt > promise.at else { continue }
                let actual = arrivedAt.seconds(since: promise.at)
                count += 1
                error += abs(actual - promise.seconds)
                guard let interval = promise.interval else { continue }
                bounded += 1
                // Promises are whole seconds: an arrival within the second at either end is inside.
                if actual > interval.lowerBound - 1, actual < interval.upperBound + 1 { within += 1 }
            }
        }
        guard count > 0 else { return nil }
        return Result(
            count: count, meanAbsoluteErrorSeconds: error / Double(count),
            withinInterval: bounded > 0 ? Double(within) / Double(bounded) : nil)
    }
}
