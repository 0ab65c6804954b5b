import Support

/// A warning about a trip, sent when it starts and when it ends.
package struct TripWarning: Sendable, Equatable {
    package enum Code: UInt8, Sendable, CaseIterable {
        /// The vehicle has left the planned route.
        case routeDeviation
    }

    /// Why a warning ended.
    package enum Ending: UInt8, Sendable, CaseIterable {
        /// The vehicle is back on the route.
        case returned
        /// The trip has a new plan.
        case replanned
        /// The trip was completed or cancelled.
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
        self.code = code
        self.beganAt = beganAt
        self.endedAt = endedAt
        self.ending = ending
        self.greatestMeters = greatestMeters
        self.coordinate = coordinate
    }
}
