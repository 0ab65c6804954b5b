import Codec
import Domain
import Processing
import Support

/// Processor that converts records of trip.etas to rider updates.
///
/// The last update of an event carries the trip's published state in its header. The changelog lacks events without an
/// update, so a restore also rereads the input, and each trip skips events that it has processed. A trip that published
/// nothing for `memorySeconds` is reset at its next event; a restore reads twice that stream time.
package final class BroadcastProcessor: Processor {
    private struct Trip {
        var state = BroadcastState()
        /// Watermark that drops events which a former owner of the input partition appended again.
        var seen = Watermark()
        /// Offset of the last processed record; skips records that are reread after a restore.
        var seenOffset: Int64 = -1
        var publishedAt: Timestamp?
    }

    package var counts: [Int]
    package private(set) var unreadable = UnreadableStates()

    private let broadcaster: Broadcaster
    private let memoryMilliseconds: Int64
    private let reader = TripEtaReader()
    private var keys = KeyTable()
    private var trips: ContiguousArray<Trip> = []
    private var watermark = Watermark()
    private var streamTime = Timestamp(milliseconds: .min)
    private var sweptAt = Timestamp(milliseconds: .min)
    // Reused buffers.
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
    private var updates: [RiderUpdate] = []
    /// Route on which the vehicle was published before the current record.
    private var routeBefore: String?
    private var channel = ByteWriter(capacity: 256)

    package init(partition: Int32, settings: BroadcastSettings, memorySeconds: Double) {
        broadcaster = Broadcaster(settings: settings)
        memoryMilliseconds = Int64(memorySeconds * 1000)
        counts = Array(repeating: 0, count: Self.counterDefinitions.count)
    }

    package func process(_ record: InputRecord, into outputs: inout OutputBatch) {
        streamTime = max(streamTime, record.timestamp)
        sweepIfDue()
        // Removes updates first, because the reader would copy storage that they share with `eta`.
        updates.removeAll(keepingCapacity: true)
        guard let value = record.value, let event = reader.read(value, into: &eta),
            event.message < 256 / Self.messagesPerRecord
        else {
            counts[Self.unreadableSlot] += 1
            return
        }
        let index = slot(of: record.key)
        guard record.offset > trips[index].seenOffset, trips[index].seen.advance(to: event) else { return }
        if isExpired(index, at: record.timestamp) {
            trips[index] = resetTrip(index, at: record.timestamp)
            trips[index].seen.advance(to: event)
        }
        trips[index].seenOffset = record.offset
        routeBefore = trips[index].state.routeID
        broadcaster.append(to: &updates, for: eta, state: &trips[index].state)
        if !updates.isEmpty { trips[index].publishedAt = record.timestamp }
        for number in updates.indices { append(number, index, event, record, into: &outputs) }
    }

    private func append(
        _ number: Int, _ index: Int, _ event: EventID, _ record: InputRecord, into outputs: inout OutputBatch
    ) {
        let id = event.withMessage(event.message * Self.messagesPerRecord + number)
        let update = updates[number]
        counts[Int(RiderUpdateType(update).rawValue)] += 1
        writeChannel(of: update)
        outputs.begin(topic: 0, event: id, timestamp: record.timestamp, key: channel.bytes)
        outputs.writeValue { RiderUpdateWriter.write(event: id, channel: channel.bytes, update: update, into: &$0) }
        guard number == updates.count - 1 else { return }
        outputs.writeHeader(RecordHeader.state) {
            BroadcastStateHeader.write(
                trip: record.key, seen: trips[index].seen, offset: record.offset, state: trips[index].state,
                into: &$0)
        }
    }

    private func writeChannel(of update: RiderUpdate) {
        channel.removeAll()
        switch update {
        case .vehiclePosition:
            channel.append("route:")
            channel.append(eta.routeID ?? "")
        case .vehicleLeft:
            channel.append("route:")
            channel.append(routeBefore ?? eta.routeID ?? "")
        case .driverLocation, .eta, .stateChanged, .notification:
            channel.append("trip:")
            channel.append(eta.tripID)
        }
    }

    private func slot(of key: ByteSlice) -> Int { keys.slot(of: key, in: &trips, blank: Trip()) }

    /// Returns a reset trip, which keeps driver, end and route, so that former drivers are ignored.
    private func resetTrip(_ index: Int, at time: Timestamp) -> Trip {
        var trip = Trip()
        guard let publishedAt = trips[index].publishedAt,
            time.milliseconds - publishedAt.milliseconds <= Self.restoreFactor * memoryMilliseconds
        else { return trip }
        trip.state.driverHash = trips[index].state.driverHash
        trip.state.hasEnded = trips[index].state.hasEnded
        trip.state.routeID = trips[index].state.routeID
        return trip
    }

    /// Returns whether the trip published nothing for `memorySeconds` before `time`.
    private func isExpired(_ index: Int, at time: Timestamp) -> Bool {
        guard let publishedAt = trips[index].publishedAt else { return false }
        return time.milliseconds - publishedAt.milliseconds > memoryMilliseconds
    }

    private func sweepIfDue() {
        guard streamTime.milliseconds - 60_000 >= sweptAt.milliseconds else { return }
        sweptAt = streamTime
        let start = streamTime.milliseconds - Self.restoreFactor * memoryMilliseconds
        for index in 0..<keys.capacity where keys.contains(index: index) {
            // A trip's first relevant event always publishes an update, so trips without one can be evicted.
            if trips[index].publishedAt.map({ $0.milliseconds < start }) ?? true { keys.remove(at: index) }
        }
    }

    package func restore(_ record: InputRecord) {
        // The watermark drops records that a former owner appended late. Only the last record of an event has a state.
        guard let event = record.event, watermark.advance(to: event), !record.state.isEmpty else { return }
        guard let header = BroadcastStateHeader(record.state) else {
            return unreadable.record("a trip's rider updates", BroadcastStateHeader.problem(of: record.state))
        }
        streamTime = max(streamTime, record.timestamp)
        trips[slot(of: header.trip)] = Trip(
            state: header.state, seen: header.seen, seenOffset: header.offset, publishedAt: record.timestamp)
    }
}
