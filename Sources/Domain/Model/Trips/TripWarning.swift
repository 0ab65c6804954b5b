import Support

/// A warning about a trip, sent when it starts and when it ends.
package struct TripWarning: Sendable, Equatable {
    package enum Code: UInt8, Sendable, CaseIterable {
        case routeDeviation
    }

    package enum Ending: UInt8, Sendable, CaseIterable {
        /// The vehicle is back on the route.
        case returned
        /// The trip has a new plan.
        case replanned
        case tripEnded
        /// Another trip of the driver replaced this one before its end was received.
        case displaced
    }

    package var code: Code
    package var beganAt: Timestamp
    /// `nil` while the warning is active.
    package var endedAt: Timestamp?
    /// `nil` while the warning is active.
    package var ending: Ending?
    /// Maximum distance from the route so far, in metres.
    package var greatestMeters: Double
    /// The vehicle's last position.
    package var coordinate: Coordinate?

    package init(
        code: Code, beganAt: Timestamp, endedAt: Timestamp? = nil, ending: Ending? = nil, greatestMeters: Double,
        coordinate: Coordinate? = nil
    ) {
        (self.code, self.beganAt, self.endedAt, self.ending) = (code, beganAt, endedAt, ending)
        (self.greatestMeters, self.coordinate) = (greatestMeters, coordinate)
    }
}
