import Support

/// What the distances of a completed ride speak of, for the settlement of its fare; it accuses no driver.
package struct FareChecks: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Driven far more than planned: over ``ArrivalSettings/longRouteRatio`` times the plan, and
    /// ``ArrivalSettings/longRouteMeters`` over it.
    package static let longRoute = FareChecks(rawValue: 1 << 0)
    /// The positions add up to far more than the way along the route: noise, or positions made up to lengthen it.
    ///
    /// Over ``ArrivalSettings/inflationRatio`` times the route-snapped distance, and
    /// ``ArrivalSettings/inflationMeters`` over it.
    package static let distanceInflation = FareChecks(rawValue: 1 << 1)

    /// The checks with their codes on the wire, in the order in which they are written.
    package static let all: [(code: StaticString, value: FareChecks)] = [
        ("LONG_ROUTE", .longRoute), ("DISTANCE_INFLATION", .distanceInflation),
    ]
}
