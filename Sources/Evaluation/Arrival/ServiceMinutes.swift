import Foundation
import Tracking

/// The measures that count minutes in which riders look at a prediction, over the last 30 minutes before each arrival
/// (California's master services agreement, exhibit H; as implemented in cal-itp/data-infra).
package struct ServiceMinutes: Sendable, Equatable, Codable {
    /// Clock minutes with a prediction.
    package var minutes = 0
    /// Of these, those whose mean error lies within −60 ln(t + 1.3) and 60 ln(t + 1.5) seconds, actual minus predicted,
    /// with t minutes left.
    package var accurateMinutes = 0
    /// Those in which a rider who comes when the vehicle is predicted catches it: it comes then or later.
    package var caughtMinutes = 0
    /// Sum over windows of two minutes, one starting each minute, of the spread of the predictions made in it, in minutes.
    package var spreadMinutes = 0.0
    /// Windows with a prediction.
    package var windows = 0

    package var accurateShare: Double? { minutes > 0 ? Double(accurateMinutes) / Double(minutes) : nil }
    package var catchLikelihood: Double? { minutes > 0 ? Double(caughtMinutes) / Double(minutes) : nil }
    /// Mean spread in minutes.
    package var wobbleMinutes: Double? { windows > 0 ? spreadMinutes / Double(windows) : nil }

    private static let horizonSeconds = 1800.0

    package init() {}

    package init(of series: [ArrivalSeries], by method: ArrivalMethod) {
        for one in series {
            let seen = one.samples.compactMap { sample -> (at: Timestamp, horizon: Double, error: Double)? in
                guard sample.horizonSeconds <= Self.horizonSeconds, let error = sample.errors[method] else {
                    return nil
                }
                return (sample.at, sample.horizonSeconds, error)
            }
            count(seen)
            spread(seen)
        }
    }

    /// Whether an error is right with so many minutes left.
    package static func isAccurate(lateSeconds: Double, minutesLeft: Double) -> Bool {
        lateSeconds > -60 * log(minutesLeft + 1.3) && lateSeconds < 60 * log(minutesLeft + 1.5)
    }

    private mutating func count(_ seen: [(at: Timestamp, horizon: Double, error: Double)]) {
        var start = 0
        while start < seen.count {
            // By rising time: those of one clock minute are neighbours.
            let minute = seen[start].at.milliseconds / 60_000
            var end = start
            var (errors, horizons) = (0.0, 0.0)
            while end < seen.count, seen[end].at.milliseconds / 60_000 == minute {
                errors += seen[end].error
                horizons += seen[end].horizon
                end += 1
            }
            let count = Double(end - start)
            let late = -errors / count
            minutes += 1
            if Self.isAccurate(lateSeconds: late, minutesLeft: horizons / count / 60) { accurateMinutes += 1 }
            if late >= 0 { caughtMinutes += 1 }
            start = end
        }
    }

    private mutating func spread(_ seen: [(at: Timestamp, horizon: Double, error: Double)]) {
        // Windows by the minute that they begin before the arrival; the last one ends with it.
        var bounds = [(low: Double, high: Double)?](repeating: nil, count: 31)
        for one in seen {
            let minute = Int((one.horizon / 60).rounded(.up))
            for window in minute...minute + 1 where (1...30).contains(window) {
                let before = bounds[window] ?? (one.error, one.error)
                bounds[window] = (min(before.low, one.error), max(before.high, one.error))
            }
        }
        for case let (low, high)? in bounds {
            windows += 1
            spreadMinutes += (high - low) / 60
        }
    }
}
