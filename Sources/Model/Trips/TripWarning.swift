import Support

/// Something about a trip that a dispatcher may want to act on: told once when it begins, and once when it is over.
package struct TripWarning: Sendable, Equatable {
    package enum Code: UInt8, Sendable, CaseIterable {
        /// The vehicle has left the planned route.
        case routeDeviation
    }

    /// Why a warning is over.
    package enum Ending: UInt8, Sendable, CaseIterable {
        /// The vehicle is back on the route.
        case returned
        /// The trip got another plan.
        case replanned
        /// The trip was completed or cancelled.
        case tripEnded
        /// Another trip took this one's place without its end having been seen.
        case displaced
    }

    package var code: Code
    package var beganAt: Timestamp
    /// When it was over; `nil` while it goes on.
    package var endedAt: Timestamp?
    /// Why it is over; `nil` while it goes on.
    package var ending: Ending?
    /// The greatest distance from the route so far, in metres.
    package var greatestMeters: Double
    /// Where the vehicle was seen last.
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
