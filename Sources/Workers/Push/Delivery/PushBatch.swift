import Codec
import Model
import Processing
import Support

/// What the batches of one write have for phones.
struct PushBatch {
    struct Item {
        let message: PushMessage
        let record: InputRecord
        let event: EventID
    }

    private(set) var items: [Item] = []
    /// Trips that ended.
    private(set) var endedTrips: Set<String> = []
    /// Messages that are too old to be told.
    private(set) var expired = 0
    /// The clocks after the batches, of those that began where theirs stood.
    private(set) var clocks: [(partition: SinkPartition, clock: StoredWatermark)] = []
    var report = SinkReport()
    private let oldest: Timestamp
    private let reader: RiderUpdateReader
    private let envelopes: RiderUpdateEnvelopeReader

    /// `oldest`: what happened before is not told any more.
    init(oldest: Timestamp, _ reader: RiderUpdateReader, _ envelopes: RiderUpdateEnvelopeReader) {
        self.oldest = oldest
        self.reader = reader
        self.envelopes = envelopes
    }

    /// Takes in the records of a partition; `stored`: where its clock stands.
    mutating func add(_ batch: PartitionBatch, stored: StoredWatermark) {
        guard stored.next == batch.from else {
            report.superseded.append(batch.partition)
            return
        }
        var clock = stored
        for record in batch.records { add(record, &clock.events) }
        clock.next = batch.to
        clocks.append((batch.partition, clock))
    }

    private mutating func add(_ record: InputRecord, _ clock: inout Watermark) {
        guard let value = record.value, let envelope = envelopes.read(value),
            let event = record.clock ?? envelope.event
        else {
            report.unreadable += 1
            return
        }
        guard clock.advance(to: event) else {
            report.repeated += 1
            return
        }
        // Most records are positions and arrival times, of which nothing more is read.
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
