import Support

/// A warning about a trip, sent when it starts and when it ends.
package struct TripWarning: Sendable, Equatable {
    package enum Code: UInt8, Sendable, CaseIterable {
        case routeDeviation
        package static let codes: [StaticString] = ["ROUTE_DEVIATION"]
        package var code: StaticString { Self.codes[Int(rawValue)] }
    }

    package enum Ending: UInt8, Sendable, CaseIterable {
        /// The vehicle is back on the route.
        case returned
        /// The trip has a new plan.
        case replanned
        case tripEnded
        /// Another trip of the driver replaced this trip before its end was received.
        case displaced
        package static let codes: [StaticString] = ["RETURNED", "REPLANNED", "TRIP_ENDED", "DISPLACED"]
        package var code: StaticString { Self.codes[Int(rawValue)] }
    }

    package var code: Code
    package var beganAt: Timestamp
    /// Time of the end; `nil` while the warning is active.
    package var endedAt: Timestamp?
    /// Reason of the end; `nil` while the warning is active.
    package var ending: Ending?
    /// Maximum distance from the route so far, in metres.
    package var greatestMeters: Double
    /// The vehicle's last position.
    package var coordinate: Coordinate?

    /// Placeholder for decoders, which overwrite it.
    package static let blank = TripWarning(
        code: .routeDeviation, beganAt: Timestamp(milliseconds: 0), greatestMeters: 0)
}
