@testable import Evaluation
@testable import Support

extension ArrivalSummary {
    /// Returns the figures of `method`; `nil` if it never predicted.
    func method(_ method: ArrivalMethod) -> Method? {
        methods.first { $0.method == method.name && $0.errors.count > 0 }
    }
}

/// Factory of prediction series for one arrival.
enum Series {
    static let arrival = Timestamp(milliseconds: 1_700_000_400_000)

    /// Returns one sample per pair: seconds before the arrival, and error in seconds (predicted minus actual).
    static func of(
        _ samples: [(horizon: Double, error: Double)], by method: ArrivalMethod = .ours, tripID: String = "trip"
    ) -> ArrivalSeries {
        var series = ArrivalSeries(tripID: tripID, half: .fit, arrivedAt: arrival)
        series.samples = samples.map { horizon, error in
            var sample = ArrivalSample(at: arrival.advanced(bySeconds: -horizon), horizonSeconds: horizon)
            sample.errors[method] = error
            return sample
        }
        return series
    }
}
