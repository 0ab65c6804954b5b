import Codec
import Domain
import Processing
import Support

/// Turns arrival records of trips into rider updates.
///
/// The last update of an event carries the trip's published state in its header. Events without an update leave no
/// trace in the changelog, so a restore rereads some minutes of the input, and each trip skips events it has processed.
/// A trip without a published update within the memory is reset; a restore reads twice the memory.
package final class BroadcastProcessor: Processor {
    private struct Trip {
        var state = BroadcastState()
        /// Drops events that a former owner of the input partition appended again.
        var seen = Watermark()
        /// Offset of the last event; drops records that a restore reads again.
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
    /// The route of the vehicle before the current record.
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
        // Before reading: the last updates share the stops of `eta`, which would otherwise be copied on write.
        updates.removeAll(keepingCapacity: true)
        guard let value = record.value, let event = reader.read(value, into: &eta),
            event.message < 256 / Self.messagesPerEvent
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
        let id = event.withMessage(event.message * Self.messagesPerEvent + number)
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

    /// Returns a trip without published state; keeps driver, end and route, so that no former driver owns it again.
    private func resetTrip(_ index: Int, at time: Timestamp) -> Trip {
        var trip = Trip()
        guard let publishedAt = trips[index].publishedAt,
            time.milliseconds - publishedAt.milliseconds <= Self.restoredMemories * memoryMilliseconds
        else { return trip }
        trip.state.driverHash = trips[index].state.driverHash
        trip.state.hasEnded = trips[index].state.hasEnded
        trip.state.routeID = trips[index].state.routeID
        return trip
    }

    /// Uses the event's own time, because stream time is already past it when a restore rereads the event.
    private func isExpired(_ index: Int, at time: Timestamp) -> Bool {
        guard let publishedAt = trips[index].publishedAt else { return false }
        return time.milliseconds - publishedAt.milliseconds > memoryMilliseconds
    }

    private func sweepIfDue() {
        guard streamTime.milliseconds - 60_000 >= sweptAt.milliseconds else { return }
        sweptAt = streamTime
        let start = streamTime.milliseconds - Self.restoredMemories * memoryMilliseconds
        for index in 0..<keys.capacity where keys.contains(index: index) {
            // The first event of a trip is always published, so trips without one can be evicted.
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
