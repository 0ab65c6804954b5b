import Model
import Support

/// One row of a recorded trace.
package struct TraceRow: Equatable {
    package var traceID: String
    package var driverID: String
    package var at: Timestamp
    package var coordinate: Coordinate
    package var accuracyMeters: Double?
    package var speedMetersPerSecond: Double?
    package var headingDegrees: Double?
    package var altitudeMeters: Double?
    /// Where a reference says the vehicle was.
    package var trueCoordinate: Coordinate?
    /// Whether the recording marks the position as forged.
    package var isSpoofed = false
    /// The scheduled run that the vehicle says it is on.
    package var run = VehicleLog.Label()
    /// Cells that are no numbers where there should be some; they count as empty.
    package var ignored: [RowFault] = []
    /// The line of the file on which it begins, counted from 1; 0 where that is not known.
    package var line = 0
}
