import Pipeline
import Redis
import Tracking
import Wire

/// One accepted position of a batch, copied out of its record.
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

    /// The area that the driver is found in; ``GeoArea/none`` for one who is taken for a forger.
    var area: GeoArea { risk.isFlagged ? .none : GeoArea(coordinate) }

    /// Whether the point comes after another of the driver, made from `other`.
    ///
    /// Events tell within a partition. A driver has points of two partitions where the topics' partitions were changed,
    /// and those are told apart by when they were received.
    func follows(_ other: EventID, receivedAt otherReceivedAt: Timestamp) -> Bool {
        event.follows(other, receivedAt, otherReceivedAt)
    }

    /// Adds the point as an element of the trail: `lat,lon,fixed_at,heading,speed_mps`, an unknown heading left empty.
    func addTrailElement(to commands: inout RedisCommands) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 5 * (DecimalText.maximumByteCount + 1)) { scratch in
            var used = 0
            func room() -> UnsafeMutableBufferPointer<UInt8> {
                UnsafeMutableBufferPointer(rebasing: scratch[used...])
            }
            func separate() {
                scratch[used] = UInt8(ascii: ",")
                used += 1
            }
            used += DecimalText.write(coordinate.latitude, decimals: 6, into: room())
            separate()
            used += DecimalText.write(coordinate.longitude, decimals: 6, into: room())
            separate()
            used += DecimalText.write(fixedAt.milliseconds, into: room())
            separate()
            if let headingDegrees { used += DecimalText.write(headingDegrees, decimals: 1, into: room()) }
            separate()
            used += DecimalText.write(speedMetersPerSecond, decimals: 2, into: room())
            commands.add(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: scratch[..<used])))
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
