import Model
import Redis
import Support

/// One judged position of a batch, copied out of its record.
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
    /// Where the trip's id lies in the batch's arena; empty when there is none.
    var trip: Range<Int>
    /// The driver's point before this one in the batch; -1 for none.
    var previous: Int32

    /// The area that the driver is found in; ``GeoArea/none`` for one who is left out of the nearest drivers.
    func area(of drivers: NearestDrivers) -> GeoArea { risk.isLeftOut(of: drivers) ? .none : GeoArea(coordinate) }

    /// Whether the point comes after another of the driver, made from `other`.
    ///
    /// Events tell within a partition. A driver has points of two partitions where the topics' partitions were changed,
    /// and those are told apart by when they were received.
    func follows(_ other: EventID, receivedAt otherReceivedAt: Timestamp) -> Bool {
        event.follows(other, receivedAt, otherReceivedAt)
    }

    /// Adds the point as an element of the trail: `lat,lon,fixed_at,heading,speed_mps`, an unknown heading left empty.
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
    /// Whether the verdict of this event, received at `receivedAt`, comes after that of `other`: by the events within a
    /// partition, by the receipts where the partitions differ.
    func follows(_ other: EventID, _ receivedAt: Timestamp, _ otherReceivedAt: Timestamp) -> Bool {
        guard origin == other.origin, partition == other.partition else { return receivedAt > otherReceivedAt }
        return isAfter(other)
    }
}
