import Codec
import Model
import Processing
import RiderUpdates
import Support

/// Turns what is known of trips into what riders are told.
///
/// The last message of an event carries what the trip's watchers know after it. Events that are worth no message leave
/// no trace, so a restore reads the input again from some minutes back, and each trip skips what it has seen.
///
/// A trip of which nothing was told for the stage's memory is forgotten, and its state told anew with its next event. A
/// restore reads back twice as much: so whatever a partition that never stopped still knows of a trip stands there, and
/// what it does not read back has been forgotten by both.
package final class BroadcastProcessor: Processor {
    private struct Trip {
        var state = BroadcastState()
        /// The events taken in: what a zombie appended again is none.
        var seen = Watermark()
        /// The offset of the last of them: what a restore reads again is in the state already.
        var seenOffset: Int64 = -1
        /// When an event was last worth a message.
        var toldAt: Timestamp?
    }

    package var counts: [Int]
    package private(set) var unreadable = UnreadableStates()

    private let stateForm: StateForm
    private let broadcaster: Broadcaster
    private let memoryMilliseconds: Int64
    private let reader = TripEtaReader()
    private var keys = KeyTable()
    private var trips: ContiguousArray<Trip> = []
    private var clock = Watermark()
    private var streamTime = Timestamp(milliseconds: .min)
    private var sweptAt = Timestamp(milliseconds: .min)
    // Reused from record to record.
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
    private var updates: [RiderUpdate] = []
    /// The route that the record's vehicle is on before the record.
    private var routeBefore: String?
    private var channel = ByteWriter(capacity: 256)

    /// A stage for the partition whose records it will be given.
    package init(
        partition: Int32, settings: BroadcastSettings, memorySeconds: Double, stateForm: StateForm = .current
    ) {
        self.stateForm = stateForm
        broadcaster = Broadcaster(settings: settings)
        memoryMilliseconds = Int64(memorySeconds * 1000)
        counts = Array(repeating: 0, count: Self.counterDefinitions.count)
    }

    package func process(_ record: InputRecord, into outputs: inout OutputBatch) {
        streamTime = max(streamTime, record.timestamp)
        sweepIfDue()
        // Before the reading: the last updates hold the stops of the record before, which would be copied else.
        updates.removeAll(keepingCapacity: true)
        // No event of the eta stage has more messages than there is room for.
        guard let value = record.value, let event = reader.read(value, into: &eta),
            event.message < 256 / Self.messagesPerEvent
        else {
            counts[Self.unreadableSlot] += 1
            return
        }
        let index = slot(of: record.key)
        guard record.offset > trips[index].seenOffset, trips[index].seen.advance(to: event) else { return }
        if isForgotten(index, at: record.timestamp) {
            trips[index] = remains(of: index, at: record.timestamp)
            trips[index].seen.advance(to: event)
        }
        trips[index].seenOffset = record.offset
        routeBefore = trips[index].state.routeID
        broadcaster.append(to: &updates, for: eta, state: &trips[index].state)
        if !updates.isEmpty { trips[index].toldAt = record.timestamp }
        for number in updates.indices { append(number, index, event, record, into: &outputs) }
    }

    private func append(
        _ number: Int, _ index: Int, _ event: EventID, _ record: InputRecord, into outputs: inout OutputBatch
    ) {
        let id = event.withMessage(event.message * Self.messagesPerEvent + number)
        let update = updates[number]
        counts[Int(RiderUpdateType(update).rawValue)] += 1
        writeChannel(of: update)
        outputs.begin(topic: 0, clock: id, timestamp: record.timestamp, key: channel.bytes)
        outputs.writeValue { RiderUpdateWriter.write(event: id, channel: channel.bytes, update: update, into: &$0) }
        guard number == updates.count - 1 else { return }
        outputs.writeHeader(RecordHeader.state) {
            RestoredWatch.write(
                trip: record.key, seen: trips[index].seen, offset: record.offset, state: trips[index].state,
                as: stateForm, into: &$0)
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

    /// Whose trip it is and whether it has ended, while a restore would read that back: a driver who lost the trip to
    /// another does not have it again because little was told of it.
    private func remains(of index: Int, at time: Timestamp) -> Trip {
        var trip = Trip()
        guard let told = trips[index].toldAt,
            time.milliseconds - told.milliseconds <= Self.restoredMemories * memoryMilliseconds
        else { return trip }
        trip.state.driverHash = trips[index].state.driverHash
        trip.state.hasEnded = trips[index].state.hasEnded
        trip.state.routeID = trips[index].state.routeID
        return trip
    }

    /// By the event's own time: a restore meets it when stream time is past it already.
    private func isForgotten(_ index: Int, at time: Timestamp) -> Bool {
        guard let told = trips[index].toldAt else { return false }
        return time.milliseconds - told.milliseconds > memoryMilliseconds
    }

    private func sweepIfDue() {
        guard streamTime.milliseconds - 60_000 >= sweptAt.milliseconds else { return }
        sweptAt = streamTime
        let start = streamTime.milliseconds - Self.restoredMemories * memoryMilliseconds
        for index in 0..<keys.capacity where keys.contains(index: index) {
            // The first event of a trip is always told; what was only skipped may go.
            if trips[index].toldAt.map({ $0.milliseconds < start }) ?? true { keys.remove(at: index) }
        }
    }

    package func restore(_ record: InputRecord) {
        // What a process wrote that had lost the partition is older than what it stands behind.
        // Only an event's last record has a state.
        guard let event = record.clock, clock.advance(to: event), !record.state.isEmpty else { return }
        guard let watch = RestoredWatch(record.state) else {
            return unreadable.note("a trip's watchers", RestoredWatch.problem(of: record.state))
        }
        streamTime = max(streamTime, record.timestamp)
        let index = watch.withTrip { slot(of: $0) }
        trips[index] = Trip(
            state: watch.state, seen: watch.seen, seenOffset: watch.offset, toldAt: record.timestamp)
    }
}
