import Codec
import Domain
import Runtime
import Support

/// Makes the updates of a load: positions on trips as broadcast-worker writes them, each with an ``UpdateStamp``.
final class LoadUpdates {
    let channels: [String]
    private let partitions: Int
    /// By channel, the updates made.
    private var sequences: [Int64]
    /// By partition, the offset in the next event's id.
    private var offsets: [Int64]
    private var bare = ByteWriter(capacity: 4096)
    private var stamped = ByteWriter(capacity: 4096)

    init(trips: Int, partitions: Int) {
        channels = (0..<trips).map { "trip:load-\($0)" }
        self.partitions = partitions
        sequences = Array(repeating: 0, count: trips)
        offsets = Array(repeating: 0, count: partitions)
    }

    /// Sends the next update of the channel of this number, which was due at `sentAt` of ``UpdateStamp/now``.
    func send(_ channel: Int, sentAt: Int64, to feed: any UpdateFeed) throws {
        let partition = channel % partitions
        sequences[channel] += 1
        offsets[partition] += 1
        let location = RiderUpdate.DriverLocation(
            coordinate: Coordinate(latitude: 48.137412, longitude: 11.575523), headingDegrees: 270.4,
            speedMetersPerSecond: 13.89, interpolationMilliseconds: 1000,
            fixedAt: Timestamp(milliseconds: WallClock.milliseconds()), isStale: false, staleSeconds: 0)
        try ByteSlice.withBytes(of: channels[channel]) { name in
            bare.removeAll()
            RiderUpdateWriter.write(
                event: EventID(partition: Int32(partition), offset: offsets[partition]), channel: name,
                update: .driverLocation(location), into: &bare)
            stamped.removeAll()
            UpdateStamp(sequence: sequences[channel], sentAt: sentAt).append(to: bare.bytes, into: &stamped)
            try feed.send(stamped.bytes, channel: name, partition: Int32(partition))
        }
    }
}
