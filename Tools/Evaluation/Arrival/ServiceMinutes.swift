import Foundation
import Support

/// The measures that count minutes in which riders look at a prediction, over the last 30 minutes before each arrival.
///
/// From California's master services agreement, exhibit H, as its published figures are computed: by the model
/// `fct_stop_time_metrics` of cal-itp/data-infra (as of September 2025; only the wobble has changed since).
/// There a prediction counts by the clock minutes between it and the arrival, 1 to 30: what is said in the arrival's
/// own minute does not count.
package struct ServiceMinutes: Sendable, Equatable, Codable {
    /// Clock minutes with a prediction.
    package var minutes = 0
    /// Of these, those whose mean error lies within −60 ln(t + 1.3) and 60 ln(t + 1.5) seconds, actual minus predicted,
    /// with t clock minutes left.
    package var accurateMinutes = 0
    /// Predictions in these minutes.
    package var predictions = 0
    /// Those with which a rider who comes when the vehicle is predicted catches it: it comes then or later.
    package var caughtPredictions = 0
    /// Sum over the clock minutes of the spread of the predictions made in each, in minutes.
    package var minuteSpreadMinutes = 0.0
    /// Sum over windows of two minutes, one starting each minute, of the spread of the predictions made in it, in
    /// minutes.
    package var windowSpreadMinutes = 0.0
    /// Windows with a prediction.
    package var windows = 0

    package var accurateShare: Double? { minutes > 0 ? Double(accurateMinutes) / Double(minutes) : nil }
    package var catchLikelihood: Double? { predictions > 0 ? Double(caughtPredictions) / Double(predictions) : nil }
    /// Mean spread within a clock minute, in minutes: what agencies' published figures are, up to those of 2025.
    ///
    /// Since December 2025 the latest time told in a minute minus the earliest of the minute before takes its place,
    /// with its sign, so that times that move earlier offset those that move later.
    package var wobbleMinutes: Double? { minutes > 0 ? minuteSpreadMinutes / Double(minutes) : nil }
    /// Mean spread within two minutes, in minutes: what the agreement asks for in words, and no figure is published of.
    package var windowWobbleMinutes: Double? { windows > 0 ? windowSpreadMinutes / Double(windows) : nil }

    private static let horizonMinutes: Int64 = 30

    /// What was predicted at one moment.
    private struct Seen {
        var minute: Int64
        var horizonSeconds: Double
        var errorSeconds: Double
    }

    package init(of series: [ArrivalSeries], by method: ArrivalMethod) {
        for one in series {
            let seen = one.samples.compactMap { sample in
                sample.errors[method].map { error in
                    Seen(
                        minute: Self.minute(of: sample.at), horizonSeconds: sample.horizonSeconds, errorSeconds: error)
                }
            }
            count(seen, arrivedIn: Self.minute(of: one.arrivedAt))
            spread(seen)
        }
    }

    /// Whether an error is right with so many minutes left.
    package static func isAccurate(lateSeconds: Double, minutesLeft: Double) -> Bool {
        lateSeconds > -60 * log(minutesLeft + 1.3) && lateSeconds < 60 * log(minutesLeft + 1.5)
    }

    private static func minute(of time: Timestamp) -> Int64 {
        let milliseconds: Int64 = 60_000
        return (time.milliseconds - (time.milliseconds % milliseconds + milliseconds) % milliseconds) / milliseconds
    }

    private mutating func count(_ seen: [Seen], arrivedIn arrivalMinute: Int64) {
        var start = 0
        while start < seen.count {
            // By rising time: those of one clock minute are neighbours.
            let minute = seen[start].minute
            let end = seen[start...].firstIndex { $0.minute != minute } ?? seen.count
            let left = arrivalMinute - minute
            if (1...Self.horizonMinutes).contains(left) {
                count(seen[start..<end].map(\.errorSeconds), minutesLeft: Double(left))
            }
            start = end
        }
    }

    /// Counts the errors of one clock minute.
    private mutating func count(_ errors: [Double], minutesLeft: Double) {
        guard let low = errors.min(), let high = errors.max() else { return }
        let late = -errors.reduce(0, +) / Double(errors.count)
        minutes += 1
        if Self.isAccurate(lateSeconds: late, minutesLeft: minutesLeft) { accurateMinutes += 1 }
        predictions += errors.count
        caughtPredictions += errors.count { $0 <= 0 }
        minuteSpreadMinutes += (high - low) / 60
    }

    private mutating func spread(_ seen: [Seen]) {
        // Windows by the minute that they begin before the arrival; the last one ends with it.
        let count = Int(Self.horizonMinutes)
        var bounds = [(low: Double, high: Double)?](repeating: nil, count: count + 1)
        for one in seen where one.horizonSeconds <= Double(60 * Self.horizonMinutes) {
            let minute = Int((one.horizonSeconds / 60).rounded(.up))
            let error = one.errorSeconds
            for window in minute...minute + 1 where (1...count).contains(window) {
                let before = bounds[window] ?? (error, error)
                bounds[window] = (min(before.low, error), max(before.high, error))
            }
        }
        for case let (low, high)? in bounds {
            windows += 1
            windowSpreadMinutes += (high - low) / 60
        }
    }
}
