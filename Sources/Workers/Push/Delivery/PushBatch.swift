import Codec
import Domain
import Processing
import Support

/// Message and the device to which it is sent.
struct PushKey: Hashable {
    let event: String
    let trip: String
    let device: PushDevice
}

/// Notifications in the batches of one write.
struct PushBatch {
    struct Item {
        let message: PushMessage
        let record: InputRecord
        let event: EventID
    }

    private(set) var items: [Item] = []
    private(set) var endedTrips: Set<String> = []
    /// Number of messages that are too old to be sent.
    private(set) var expired = 0
    /// Progress after the batches, without superseded partitions.
    private(set) var progress: [(partition: SinkPartition, watermark: StoredWatermark)] = []
    var report = SinkReport()
    /// Events before this time are not sent.
    let oldest: Timestamp
    let reader: RiderUpdateReader
    let envelopes: RiderUpdateEnvelopeReader

    init(oldest: Timestamp, _ reader: RiderUpdateReader, _ envelopes: RiderUpdateEnvelopeReader) {
        self.oldest = oldest
        self.reader = reader
        self.envelopes = envelopes
    }

    /// Adds a batch that begins at the progress `stored`; reports others as superseded.
    mutating func add(_ batch: PartitionBatch, stored: StoredWatermark) {
        guard stored.next == batch.from else {
            report.superseded.append(batch.partition)
            return
        }
        var after = stored
        for record in batch.records { add(record, &after.watermark) }
        after.next = batch.to
        progress.append((batch.partition, after))
    }

    private mutating func add(_ record: InputRecord, _ watermark: inout Watermark) {
        guard let value = record.value, let envelope = envelopes.read(value),
            let event = record.event ?? envelope.event
        else {
            report.unreadable += 1
            return
        }
        guard watermark.advance(to: event) else {
            report.repeated += 1
            return
        }
        // Most records are positions and arrival times, which need no complete parsing.
        guard envelope.type == .notification || envelope.type == .tripStateChanged else { return }
        guard let update = reader.read(value) else {
            report.unreadable += 1
            return
        }
        if case .stateChanged(let change) = update.update, change.state == .completed || change.state == .cancelled,
            let trip = update.channel.dropping(prefix: "trip:")
        {
            endedTrips.insert(trip.string)
        }
        guard let message = PushMessage(update, event: event, at: record.timestamp) else { return }
        guard message.at >= oldest else {
            expired += 1
            return
        }
        items.append(Item(message: message, record: record, event: event))
    }
}
