import Tracking

/// One fix of a recorded trace.
package struct TraceRow: Sendable, Equatable {
    package var traceID: String
    package var driverID: String
    package var at: Timestamp
    package var coordinate: Coordinate
    package var accuracyMeters: Double?
    package var speedMetersPerSecond: Double?
    /// Clockwise from north, as recorded.
    package var headingDegrees: Double?
    package var altitudeMeters: Double?
    /// Where a reference says the vehicle was.
    package var trueCoordinate: Coordinate?
}
