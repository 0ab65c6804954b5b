import Domain
import Redis
import Support

/// Estimated position of a driver, copied from a record of the batch.
struct DriverPoint {
    var event: EventID
    var coordinate: Coordinate
    var headingDegrees: Double?
    var speedMetersPerSecond: Double
    var accuracyMeters: Double
    var confidence: Confidence
    var isHalted: Bool
    var fixedAt: Timestamp
    var receivedAt: Timestamp
    var risk: DriverRisk
    /// Range of the trip's id in the batch's arena; empty without a trip.
    var trip: Range<Int>
    /// Index of the driver's previous point in the batch; -1 for none.
    var previous: Int32

    /// Returns the driver's geo set; ``GeoArea/none`` for drivers excluded from the nearest-driver sets.
    func area(of drivers: NearestDrivers) -> GeoArea { risk.isExcluded(from: drivers) ? .none : GeoArea(coordinate) }

    /// Adds the point as a trail element `lat,lon,fixed_at,heading,speed_mps`; an unknown heading is empty.
    func addTrailElement(to commands: inout RedisCommands) {
        commands.add { writer in
            writer.append(decimal: coordinate.latitude, places: 6)
            writer.append(",")
            writer.append(decimal: coordinate.longitude, places: 6)
            writer.append(",")
            writer.append(decimal: fixedAt.milliseconds)
            writer.append(",")
            if let headingDegrees { writer.append(decimal: headingDegrees, places: 1) }
            writer.append(",")
            writer.append(decimal: speedMetersPerSecond, places: 2)
        }
    }
}

extension EventID {
    /// Whether this event, received at `receivedAt`, comes after `other`.
    ///
    /// Compares events within a partition and receipt times across partitions: a driver has verdicts in two partitions
    /// if the number of partitions was changed.
    func follows(_ other: EventID, _ receivedAt: Timestamp, _ otherReceivedAt: Timestamp) -> Bool {
        guard origin == other.origin, partition == other.partition else { return receivedAt > otherReceivedAt }
        return isAfter(other)
    }
}
