import Domain
import Simulation
import Support

/// Accuracy of predicted arrival times.
///
/// A prediction is one stop of one record of trip.etas, sampled at most every 5 s per trip. It counts if the vehicle
/// reaches the stop within the run; in a short run these are predictions up to a few minutes ahead.
struct ArrivalScore: Sendable {
    struct Result: Equatable {
        var count: Int
        var meanAbsoluteErrorSeconds: Double
        /// Share of arrivals within the predicted interval, 0 to 1; `nil` if no prediction had an interval.
        var withinInterval: Double?
    }

    private struct Prediction {
        var stop: Int
        var at: Timestamp
        var seconds: Double
        var interval: ClosedRange<Double>?
    }

    private static let spacingMilliseconds: Int64 = 5000
    private var predictions: [String: [Prediction]] = [:]
    private var lastAt: [String: Timestamp] = [:]

    /// Adds a record of trip.etas; stale records do not count.
    mutating func add(_ eta: TripEta) {
        guard !eta.isStale else { return }
        if let last = lastAt[eta.tripID], eta.computedAt.milliseconds - last.milliseconds < Self.spacingMilliseconds {
            return
        }
        var hasPrediction = false
        for (index, stop) in eta.stops.enumerated() where stop.status == .valid {
            guard let seconds = stop.seconds else { continue }
            var interval: ClosedRange<Double>?
            if let least = stop.minSeconds, let most = stop.maxSeconds, least <= most {
                interval = Double(least)...Double(most)
            }
            predictions[eta.tripID, default: []].append(
                Prediction(stop: index, at: eta.computedAt, seconds: Double(seconds), interval: interval))
            hasPrediction = true
        }
        if hasPrediction { lastAt[eta.tripID] = eta.computedAt }
    }

    /// Compares the predictions with the arrivals; returns `nil` if none can be compared.
    func result(_ trips: [TripGroundTruth]) -> Result? {
        var count = 0
        var error = 0.0
        var bounded = 0
        var within = 0
        for trip in trips {
            for prediction in predictions[trip.tripID] ?? [] where prediction.stop < trip.stops.count {
                guard let arrivedAt = trip.stops[prediction.stop].arrivedAt, arrivedAt > prediction.at else { continue }
                let actual = arrivedAt.seconds(since: prediction.at)
                count += 1
                error += abs(actual - prediction.seconds)
                guard let interval = prediction.interval else { continue }
                bounded += 1
                // Predictions are whole seconds, so the bounds are widened by a second.
                if actual > interval.lowerBound - 1, actual < interval.upperBound + 1 { within += 1 }
            }
        }
        guard count > 0 else { return nil }
        return Result(
            count: count, meanAbsoluteErrorSeconds: error / Double(count),
            withinInterval: bounded > 0 ? Double(within) / Double(bounded) : nil)
    }
}
