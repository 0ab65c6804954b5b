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
        let byMinute = Dictionary(grouping: seen) { $0.at.milliseconds / 60_000 }
        for inMinute in byMinute.values {
            let count = Double(inMinute.count)
            let late = -inMinute.reduce(0) { $0 + $1.error } / count
            let left = inMinute.reduce(0) { $0 + $1.horizon } / count / 60
            minutes += 1
            if Self.isAccurate(lateSeconds: late, minutesLeft: left) { accurateMinutes += 1 }
            if late >= 0 { caughtMinutes += 1 }
        }
    }

    private mutating func spread(_ seen: [(at: Timestamp, horizon: Double, error: Double)]) {
        for start in 0..<30 {
            // The last windows end at the arrival.
            let from = Double(30 - start) * 60
            let inWindow = seen.lazy.filter { $0.horizon <= from && $0.horizon > from - 120 }.map(\.error)
            guard let low = inWindow.min(), let high = inWindow.max() else { continue }
            windows += 1
            spreadMinutes += (high - low) / 60
        }
    }
}
