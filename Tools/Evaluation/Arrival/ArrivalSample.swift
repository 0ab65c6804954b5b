import Support

/// A prediction method.
package enum ArrivalMethod: String, Sendable, CaseIterable {
    /// The workers' estimates in each record.
    case ours
    /// The estimates that riders see: broadcast messages, counted down since they were sent.
    case shown
    /// The timetable, or departure plus planned duration; uses no position.
    case plan
    /// Remaining distance divided by the mean speed of the other half's trips.
    case meanSpeed = "mean_speed"

    package var name: String {
        switch self {
        case .ours: "sightline"
        case .shown: "sightline, as shown"
        case .plan: "plan only"
        case .meanSpeed: "distance / mean speed"
        }
    }
}

/// Predictions of one arrival at one time.
///
/// All errors are predicted minus actual arrival, in seconds: positive if the vehicle came earlier than predicted, so
/// that a rider may have missed it.
package struct ArrivalSample: Sendable, Equatable {
    /// One error per method with a prediction.
    package struct Errors: Sendable, Equatable {
        private var ours: Double?
        private var shown: Double?
        private var plan: Double?
        private var meanSpeed: Double?

        private static func path(_ method: ArrivalMethod) -> WritableKeyPath<Errors, Double?> {
            switch method {
            case .ours: \.ours
            case .shown: \.shown
            case .plan: \.plan
            case .meanSpeed: \.meanSpeed
            }
        }

        package subscript(method: ArrivalMethod) -> Double? {
            get { self[keyPath: Self.path(method)] }
            set { self[keyPath: Self.path(method)] = newValue }
        }
    }

    package var at: Timestamp
    /// Seconds to the actual arrival, at least 0.
    package var horizonSeconds: Double
    package var errors = Errors()
    /// Bounds of the interval minus the actual arrival, in seconds.
    package var lowSeconds = 0.0
    package var highSeconds = 0.0
    /// Whether a run had not left its first stop yet.
    package var isBeforeDeparture = false
}

/// Predictions of one arrival, in order of time.
package struct ArrivalSeries: Sendable, Equatable {
    package var tripID: String
    package var half: EvaluationHalf
    package var arrivedAt: Timestamp
    package var samples: [ArrivalSample] = []
    /// Number of sampled times without a prediction.
    package var missing = 0

    /// Returns the series with only the predictions before the departure, or after it.
    package func predicted(beforeDeparture: Bool) -> ArrivalSeries {
        var part = self
        part.samples.removeAll { $0.isBeforeDeparture != beforeDeparture }
        return part
    }
}
