import Support

/// Who predicts.
package enum ArrivalMethod: String, Sendable, CaseIterable, Codable {
    /// The workers' estimates, as each record has them.
    case ours
    /// The same, as a rider sees them: only what was broadcast, counted down since.
    case shown
    /// The timetable, or departure and planned duration: what is known without a position.
    case plan
    /// Distance left over the mean speed of the other half's trips.
    case meanSpeed = "mean_speed"
    /// Distance left over the vehicle's speed of the last minute, at least 2 m/s.
    case currentSpeed = "current_speed"

    /// For tables.
    package var name: String {
        switch self {
        case .ours: "sightline"
        case .shown: "sightline, as shown"
        case .plan: "plan only"
        case .meanSpeed: "distance / mean speed"
        case .currentSpeed: "distance / current speed"
        }
    }
}

/// What was predicted of one arrival at one moment.
///
/// All errors are predicted minus actual arrival, in seconds: positive when the vehicle came earlier than predicted, so
/// that a rider who trusted the prediction may have missed it.
package struct ArrivalSample: Sendable, Equatable {
    /// How the estimate was made.
    package enum Basis: String, Sendable, CaseIterable, Codable {
        /// Along the matched route, from a fix.
        case route
        /// The same, counted down since the last fix.
        case counted
        /// Straight, off the route or without one.
        case straight
    }

    /// One error per method, where it predicted.
    package struct Errors: Sendable, Equatable {
        private var ours: Double?
        private var shown: Double?
        private var plan: Double?
        private var meanSpeed: Double?
        private var currentSpeed: Double?

        package subscript(method: ArrivalMethod) -> Double? {
            get {
                switch method {
                case .ours: ours
                case .shown: shown
                case .plan: plan
                case .meanSpeed: meanSpeed
                case .currentSpeed: currentSpeed
                }
            }
            set {
                switch method {
                case .ours: ours = newValue
                case .shown: shown = newValue
                case .plan: plan = newValue
                case .meanSpeed: meanSpeed = newValue
                case .currentSpeed: currentSpeed = newValue
                }
            }
        }
    }

    package var at: Timestamp
    /// Seconds until the actual arrival, at least 0.
    package var horizonSeconds: Double
    package var errors = Errors()
    /// Bounds of the interval, minus the actual arrival.
    package var lowSeconds = 0.0
    package var highSeconds = 0.0
    package var basis = Basis.route
    /// Whether a run had not left its first stop yet.
    package var isBeforeDeparture = false
}

/// All that was predicted of one arrival, by rising time.
package struct ArrivalSeries: Sendable, Equatable {
    package var tripID: String
    package var routeID: String?
    package var half: EvaluationHalf
    package var arrivedAt: Timestamp
    package var samples: [ArrivalSample] = []
    /// Moments at which there was no prediction, among those sampled.
    package var missing = 0

    /// The same with only what was predicted before the departure, or only after it.
    package func predicted(beforeDeparture: Bool) -> ArrivalSeries {
        var part = self
        part.samples.removeAll { $0.isBeforeDeparture != beforeDeparture }
        return part
    }
}
