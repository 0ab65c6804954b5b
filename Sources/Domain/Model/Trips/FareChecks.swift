import Support

/// Anomalies in the distances of a completed ride, for checking its fare; not evidence of spoofing.
package struct FareChecks: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The driven distance is over ``ArrivalSettings/longRouteRatio`` times the planned one, and longer by
    /// more than ``ArrivalSettings/longRouteMeters``.
    package static let longRoute = FareChecks(rawValue: 1 << 0)
    /// The driven distance is over ``ArrivalSettings/inflationRatio`` times the distance along the route, and
    /// longer by more than ``ArrivalSettings/inflationMeters``, because of noise or forged positions.
    package static let distanceInflation = FareChecks(rawValue: 1 << 1)

    /// All codes, in wire order.
    package static let all: [(code: StaticString, value: FareChecks)] = [
        ("LONG_ROUTE", .longRoute), ("DISTANCE_INFLATION", .distanceInflation),
    ]
}
