import Foundation
import Support

/// Caltrans' measures over the last 30 clock minutes before each arrival.
///
/// Defined in exhibit H of California's master services agreement; computed like its published figures, by the model
/// `fct_stop_time_metrics` of cal-itp/data-infra (as of September 2025; only the wobble has changed since).
/// Predictions in the clock minute of the arrival do not count.
package struct ServiceMinutes: Sendable, Equatable {
    /// Clock minutes with a prediction.
    package var minutes = 0
    /// Minutes whose mean error, actual minus predicted, is between −60 ln(t + 1.3) and 60 ln(t + 1.5) seconds, with t
    /// clock minutes left.
    package var accurateMinutes = 0
    /// Predictions within the counted minutes.
    package var predictions = 0
    /// Predictions with which a rider catches the vehicle, because the vehicle comes at the predicted time or later.
    package var caughtPredictions = 0
    /// Sum of the spreads of the predictions within each clock minute, in minutes.
    package var minuteSpreadMinutes = 0.0

    package var accurateShare: Double? { minutes > 0 ? Double(accurateMinutes) / Double(minutes) : nil }
    package var catchLikelihood: Double? { predictions > 0 ? Double(caughtPredictions) / Double(predictions) : nil }
    /// Mean spread within a clock minute, in minutes, as in agencies' published figures up to 2025.
    ///
    /// Since December 2025, agencies use the latest time of a minute minus the earliest of the previous minute, signed.
    package var wobbleMinutes: Double? { minutes > 0 ? minuteSpreadMinutes / Double(minutes) : nil }

    private static let horizonMinutes: Int64 = 30

    package init(of series: [ArrivalSeries], by method: ArrivalMethod) {
        for one in series {
            let errors = one.samples.compactMap { sample in
                sample.errors[method].map { (minute: Self.minute(of: sample.at), errorSeconds: $0) }
            }
            count(errors, arrivedIn: Self.minute(of: one.arrivedAt))
        }
    }

    /// Whether an error is within the bounds for the remaining minutes.
    package static func isAccurate(lateSeconds: Double, minutesLeft: Double) -> Bool {
        lateSeconds > -60 * log(minutesLeft + 1.3) && lateSeconds < 60 * log(minutesLeft + 1.5)
    }

    private static func minute(of time: Timestamp) -> Int64 {
        let milliseconds: Int64 = 60_000
        return (time.milliseconds - (time.milliseconds % milliseconds + milliseconds) % milliseconds) / milliseconds
    }

    private mutating func count(_ list: [(minute: Int64, errorSeconds: Double)], arrivedIn arrivalMinute: Int64) {
        var start = 0
        while start < list.count {
            // The list is ordered by time, so the predictions of a clock minute are adjacent.
            let minute = list[start].minute
            let end = list[start...].firstIndex { $0.minute != minute } ?? list.count
            let left = arrivalMinute - minute
            if (1...Self.horizonMinutes).contains(left) {
                count(list[start..<end].map(\.errorSeconds), minutesLeft: Double(left))
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
}
